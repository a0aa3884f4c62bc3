import { createServer, type Server, type Socket } from "node:net";
import { Connection, Writer } from "@platformatic/kafka";

export const TOPIC_ID = "0f8fad5b-d9cb-469f-a165-70867728950e";

export interface SeenRequest {
  apiKey: number;
  apiVersion: number;
  clientId: string;
  /** After the header. */
  body: Buffer;
  /** Which connection it came over, counted from 1. */
  connection: number;
}

/** An answer's body, or what the broker does instead. */
export type Reply = Buffer | "silence" | "hang-up";

/** A broker that answers what a test tells it to. */
export class ScriptedBroker {
  readonly requests: SeenRequest[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #reply: (request: SeenRequest) => Reply = () => "silence";
  #connections = 0;

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(): Promise<ScriptedBroker> {
    const broker = new ScriptedBroker();
    await new Promise<void>((resolve) => broker.#server.listen(0, "127.0.0.1", resolve));
    return broker;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  /** The last reply is given from then on. */
  script(...replies: (Reply | ((request: SeenRequest) => Reply))[]): void {
    let next = 0;
    this.#reply = (request) => {
      const reply = replies[Math.min(next++, replies.length - 1)]!;
      return typeof reply === "function" ? reply(request) : reply;
    };
  }

  async connect(): Promise<Connection> {
    const connection = new Connection("test", { requestTimeout: 60_000 });
    const { port } = this.#server.address() as { port: number };
    await connection.connect("127.0.0.1", port);
    return connection;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    const connection = ++this.#connections;
    let pending = Buffer.alloc(0);
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("data", (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 4 && pending.length >= 4 + pending.readInt32BE(0)) {
        const end = 4 + pending.readInt32BE(0);
        this.#answer(socket, pending.subarray(4, end), connection);
        pending = pending.subarray(end);
      }
    });
  }

  #answer(socket: Socket, frame: Buffer, connection: number): void {
    const clientEnd = 10 + frame.readInt16BE(8);
    const request: SeenRequest = {
      apiKey: frame.readInt16BE(0),
      apiVersion: frame.readInt16BE(2),
      clientId: frame.toString("utf8", 10, clientEnd),
      body: Buffer.from(frame.subarray(clientEnd + 1)),
      connection,
    };
    this.requests.push(request);
    const reply = this.#reply(request);
    if (reply === "hang-up") socket.destroy();
    if (typeof reply === "string") return;
    const head = Buffer.alloc(9);
    head.writeInt32BE(5 + reply.length, 0);
    head.writeInt32BE(frame.readInt32BE(4), 4);
    socket.write(Buffer.concat([head, reply]));
  }
}

export interface FetchReplySpec {
  throttleTimeMs?: number;
  errorCode?: number;
  topicId?: string;
  partition?: number;
  partitionErrorCode?: number;
  highWatermark?: number | bigint;
  preferredReadReplica?: number;
  aborted?: { producerId: number; firstOffset: number }[];
  records?: Buffer;
  /** What the answer claims about the records' length, where it lies. */
  declaredBytes?: number;
}

/** Fetch v13 with one partition. */
export function fetchReply(spec: FetchReplySpec): Buffer {
  const records = spec.records ?? Buffer.alloc(0);
  return Writer.create()
    .appendInt32(spec.throttleTimeMs ?? 0)
    .appendInt16(spec.errorCode ?? 0)
    .appendInt32(0)
    .appendArray([spec], (topics) => {
      topics.appendUUID(spec.topicId ?? TOPIC_ID).appendArray([spec], (partitions) => {
        partitions
          .appendInt32(spec.partition ?? 0)
          .appendInt16(spec.partitionErrorCode ?? 0)
          .appendInt64(BigInt(spec.highWatermark ?? 2000))
          .appendInt64(1990n)
          .appendInt64(7n)
          .appendArray(spec.aborted ?? null, (w, { producerId, firstOffset }) => {
            w.appendInt64(BigInt(producerId)).appendInt64(BigInt(firstOffset));
          })
          .appendInt32(spec.preferredReadReplica ?? -1)
          .appendUnsignedVarInt((spec.declaredBytes ?? records.length) + 1)
          .append(records);
      });
    })
    .appendTaggedFields().buffer;
}

/** As a broker throttles: no topics at all. */
export const throttledReply = (throttleTimeMs: number): Buffer =>
  Writer.create()
    .appendInt32(throttleTimeMs)
    .appendInt16(0)
    .appendInt32(0)
    .appendArray([], () => {})
    .appendTaggedFields().buffer;

/** ListOffsets v6 with one partition. */
export const listOffsetsReply = (offset: number, errorCode = 0): Buffer =>
  Writer.create()
    .appendInt32(0)
    .appendArray([offset], (topics) => {
      topics.appendString("orders").appendArray([offset], (partitions) => {
        partitions.appendInt32(0).appendInt16(errorCode).appendInt64(-1n).appendInt64(BigInt(offset)).appendInt32(0);
      });
    })
    .appendTaggedFields().buffer;
