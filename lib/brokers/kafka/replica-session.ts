import type { Connection, Reader, Writer } from "@platformatic/kafka";
import { TimeoutError } from "@platformatic/kafka";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import { BulkReader, SocketClosedError } from "#lib/brokers/kafka/bulk-reader.ts";
import { SessionConnection } from "#lib/brokers/kafka/session-connection.ts";

export interface ReplicaSessionOptions {
  /** Opens an authenticated connection to the broker; rejects with a `BrokerError`. */
  connect: () => Promise<Connection>;
  brokerId: number;
  timeoutMs: number;
}

/** Length, correlation id and tagged fields, which come before an answer's body. */
export const ANSWER_HEADER_BYTES = 9;

/** Correlation id and tagged fields. */
const BULK_HEADER_BYTES = 5;

class LostConnection extends Error {}

/** One connection that is opened when it is needed, and once more where it was lost. */
export class ReplicaSession {
  readonly #options: ReplicaSessionOptions;
  readonly #closing = new AbortController();
  readonly #bulk = new BulkReader();
  #connection: Promise<Connection> | null = null;
  #correlationId = 0;
  /** Requests go one after the other: a bulk answer has the socket for itself. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ReplicaSessionOptions) {
    this.#options = options;
  }

  /** Aborted when this session is closed. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** A connection for one use, apart from the one that is kept. */
  connect(): Promise<Connection> {
    this.#refuseWhenClosed();
    return this.#options.connect();
  }

  /**
   * Asks and awaits the body of the answer.
   * @param onSent called for every request that goes out, repeated ones included
   * @throws BrokerError `unreachable`, `timeout`, `cancelled`, or what connecting rejects with
   */
  ask(apiKey: number, apiVersion: number, write: () => Writer, onSent: () => void = () => {}): Promise<Buffer> {
    return this.#inTurn(() => this.#ask((connection) => this.#send(connection, apiKey, apiVersion, write), onSent));
  }

  /**
   * The same for large answers, into a buffer that is used again: the body is valid until the answer after the next.
   * @param frame the whole request; the correlation id may be any
   */
  askInBulk(
    apiKey: number,
    apiVersion: number,
    write: () => Writer,
    frame: (correlationId: number) => Buffer,
    onSent: () => void,
  ): Promise<Buffer> {
    return this.#inTurn(() =>
      this.#ask(async (connection) => {
        const body = connection instanceof SessionConnection ? await this.#exchange(connection, frame) : null;
        return body ?? this.#send(connection, apiKey, apiVersion, write);
      }, onSent),
    );
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(run);
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #ask(send: (connection: Connection) => Promise<Buffer>, onSent: () => void): Promise<Buffer> {
    for (let attempt = 1; ; attempt++) {
      this.#refuseWhenClosed();
      const connection = await this.#open();
      this.#refuseWhenClosed();
      try {
        onSent();
        return await send(connection);
      } catch (error) {
        this.#drop(connection);
        this.#refuseWhenClosed();
        if (error instanceof BrokerError) throw error;
        if (attempt === 2) throw this.#unreachable(error);
      }
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const connection = await this.#connection?.catch(() => null);
    this.#connection = null;
    await connection?.close();
  }

  #open(): Promise<Connection> {
    this.#connection ??= this.#options.connect().then(
      (connection) => {
        // Without a listener an error of an idle connection would end the process; the next request meets it anyhow.
        connection.on("error", () => {});
        return connection;
      },
      (error: unknown) => {
        this.#connection = null;
        throw error;
      },
    );
    return this.#connection;
  }

  #send(connection: Connection, apiKey: number, apiVersion: number, write: () => Writer): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const timer = setTimeout(() => reject(this.#timedOut()), this.#options.timeoutMs);
    connection.send(apiKey, apiVersion, write, takeBody, true, true, (error, body) => {
      if (error instanceof TimeoutError) reject(this.#timedOut());
      else if (error) reject(new LostConnection("The connection was lost.", { cause: error }));
      else resolve(body as Buffer);
    });
    return promise.finally(() => clearTimeout(timer));
  }

  async #exchange(connection: SessionConnection, frame: (correlationId: number) => Buffer): Promise<Buffer | null> {
    this.#correlationId = (this.#correlationId + 1) % 0x4000_0000;
    const { timeoutMs } = this.#options;
    const timedOut = Promise.withResolvers<never>();
    const timer = setTimeout(() => timedOut.reject(this.#timedOut()), timeoutMs);
    try {
      const answer = connection.withSocket((socket) => this.#bulk.exchange(socket, frame(this.#correlationId)));
      const bytes = await Promise.race([answer, timedOut.promise]);
      if (bytes === null) return null;
      const isExpected = bytes.length >= BULK_HEADER_BYTES && bytes.readInt32BE(0) === this.#correlationId;
      // No tagged field is known for an answer's header: any would follow the count.
      if (!isExpected || bytes[4] !== 0) throw new LostConnection("The answer is not the one to this request.");
      return bytes.subarray(BULK_HEADER_BYTES);
    } catch (error) {
      if (error instanceof SocketClosedError) throw new LostConnection("The connection was lost.", { cause: error });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #drop(connection: Connection): void {
    this.#connection = null;
    connection.socket?.destroy();
  }

  #refuseWhenClosed(): void {
    if (this.signal.aborted) throw new BrokerError("cancelled", "The replica's log was closed while it was read.");
  }

  #timedOut(): BrokerError {
    const { brokerId, timeoutMs } = this.#options;
    return new BrokerError("timeout", `Broker ${brokerId} gave no answer within ${timeoutMs} ms. Is it overloaded?`);
  }

  #unreachable(cause: unknown): BrokerError {
    const { brokerId } = this.#options;
    const message = `Broker ${brokerId} closed the connection twice. Does it run, and is it Kafka 3.1 or newer?`;
    return new BrokerError("unreachable", message, { cause });
  }
}

/** The reader's buffer may be a list of chunks, in which an index finds nothing: one buffer is made of it here. */
const takeBody = (_correlationId: number, _apiKey: number, _apiVersion: number, reader: Reader): Buffer =>
  reader.buffer.slice(reader.position, reader.length);
