import type { Socket } from "node:net";
import type { Traffic } from "#lib/brokers/broker-port.ts";

/** Counts requests and bytes of all connections of one broker object, closed ones included. */
export class TrafficMeter {
  #requests = 0;
  #closedSentBytes = 0;
  #closedReceivedBytes = 0;
  readonly #sockets = new Set<Socket>();

  countRequest(): void {
    this.#requests++;
  }

  watch(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#closedSentBytes += socket.bytesWritten;
      this.#closedReceivedBytes += socket.bytesRead;
    });
  }

  read(): Traffic {
    let sentBytes = this.#closedSentBytes;
    let receivedBytes = this.#closedReceivedBytes;
    for (const socket of this.#sockets) {
      sentBytes += socket.bytesWritten;
      receivedBytes += socket.bytesRead;
    }
    return { requests: this.#requests, sentBytes, receivedBytes };
  }
}
