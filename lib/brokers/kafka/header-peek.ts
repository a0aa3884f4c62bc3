/**
 * Reads the head of a Fetch answer and drops the connection: the declared length of a record set tells the way to the
 * end of its segment, for 150 KiB on the wire in place of tens of MiB.
 */
import type { Connection } from "@platformatic/kafka";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import { type FetchFields, writeFetchFrame } from "#lib/brokers/kafka/fetch-request.ts";
import { WireReader } from "#lib/brokers/kafka/wire-reader.ts";

const HEAD_BYTES = 64 * 1024;

export interface HeadRequest {
  /** Used up: it is closed in every case. */
  connection: Connection;
  clientId: string;
  fields: FetchFields;
  timeoutMs: number;
  signal: AbortSignal;
  /** Bytes that came from the socket. */
  onBytes: (length: number) => void;
}

/**
 * @returns the body of the answer, cut off after about 64 KiB
 * @throws BrokerError `unreachable`, `timeout`, `cancelled`
 */
export async function fetchHead(request: HeadRequest): Promise<Buffer> {
  const { connection, clientId, fields } = request;
  connection.on("error", () => {});
  try {
    const answer = awaitHead(request);
    connection.socket.write(writeFetchFrame(fields, clientId, 1));
    const reader = new WireReader(await answer);
    reader.skip(8);
    reader.skipTaggedFields();
    return reader.bytes.subarray(reader.position);
  } finally {
    connection.socket.destroy();
    // Stops the timer of the next authentication, too.
    await connection.close();
  }
}

function awaitHead({ connection, timeoutMs, signal, onBytes }: HeadRequest): Promise<Buffer> {
  const { socket } = connection;
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    length += chunk.length;
    onBytes(chunk.length);
    if (length < HEAD_BYTES && length < sizeOfFrame(chunks, length)) return;
    socket.pause();
    resolve(Buffer.concat(chunks));
  };
  const onClose = (): void =>
    reject(new BrokerError("unreachable", "The broker closed the connection while the head of an answer was read."));
  const onAbort = (): void => reject(new BrokerError("cancelled", "The replica's log was closed while it was read."));
  const timer = setTimeout(
    () => reject(new BrokerError("timeout", `The broker sent no head of an answer within ${timeoutMs} ms.`)),
    timeoutMs,
  );
  // From here on the answers are no longer the client's to read.
  socket.removeAllListeners("data");
  socket.on("data", onData);
  socket.once("close", onClose);
  signal.addEventListener("abort", onAbort, { once: true });
  return promise.finally(() => {
    clearTimeout(timer);
    socket.off("data", onData);
    socket.off("close", onClose);
    signal.removeEventListener("abort", onAbort);
  });
}

function sizeOfFrame(chunks: Buffer[], length: number): number {
  if (length < 4) return Number.POSITIVE_INFINITY;
  const head = chunks[0]!.length < 4 ? Buffer.concat(chunks) : chunks[0]!;
  return 4 + head.readInt32BE(0);
}
