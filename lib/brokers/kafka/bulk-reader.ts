import type { Socket } from "node:net";
import { BrokerError } from "#lib/brokers/broker-error.ts";

const FIRST_BUFFER_BYTES = 1024 * 1024;
/** Above any `fetch.max.bytes` that a broker is run with; a length beyond it is no answer of Kafka's. */
const ANSWER_BYTES_MAX = 1024 * 1024 * 1024;
const LENGTH_BYTES = 4;

/** The socket was closed before the answer was whole. */
export class SocketClosedError extends Error {}

/**
 * Reads whole answers from a socket into buffers that are used again. The client library appends every chunk to a list
 * and makes one new buffer of it: for a scan those buffers, megabytes each, are most of what the garbage collector does.
 *
 * Two buffers take turns, so that an answer stays valid while the next one arrives; it is gone with the one after that.
 */
export class BulkReader {
  readonly #buffers: [Buffer, Buffer] = [Buffer.alloc(0), Buffer.alloc(0)];
  #turn: 0 | 1 = 0;

  /**
   * Sends a request and reads its answer. Nothing else may be under way on this socket.
   * @returns the answer without its length: correlation id first
   * @throws SocketClosedError, BrokerError `protocol`
   */
  exchange(socket: Socket, frame: Buffer): Promise<Buffer> {
    this.#turn = this.#turn === 0 ? 1 : 0;
    const turn = this.#turn;
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const others = socket.listeners("data") as ((chunk: Buffer) => void)[];
    let filled = 0;
    let needed = LENGTH_BYTES;
    const onData = (chunk: Buffer): void => {
      this.#reserve(turn, filled, Math.max(needed, filled + chunk.length));
      filled += chunk.copy(this.#buffers[turn], filled);
      if (needed === LENGTH_BYTES && filled >= LENGTH_BYTES) {
        needed += this.#buffers[turn].readInt32BE(0);
        if (needed < 2 * LENGTH_BYTES || needed > ANSWER_BYTES_MAX) reject(outOfBounds());
        else this.#reserve(turn, filled, needed);
      }
      if (filled === needed) resolve(this.#buffers[turn].subarray(LENGTH_BYTES, needed));
      else if (filled > needed && needed > LENGTH_BYTES) reject(outOfBounds());
    };
    const onClose = (): void => reject(new SocketClosedError("The socket was closed before the answer was whole."));
    for (const listener of others) socket.off("data", listener);
    socket.on("data", onData);
    socket.once("close", onClose);
    if (socket.destroyed) onClose();
    else socket.write(frame);
    return promise.finally(() => {
      socket.off("data", onData);
      socket.off("close", onClose);
      for (const listener of others) socket.on("data", listener);
    });
  }

  #reserve(turn: 0 | 1, filled: number, bytes: number): void {
    const buffer = this.#buffers[turn];
    if (buffer.length >= bytes) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BUFFER_BYTES, bytes));
    buffer.copy(larger, 0, 0, filled);
    this.#buffers[turn] = larger;
  }
}

const outOfBounds = (): BrokerError =>
  new BrokerError("protocol", "An answer's length is out of bounds. Is it a Kafka broker?");
