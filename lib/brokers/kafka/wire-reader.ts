import { BrokerError } from "#lib/brokers/broker-error.ts";
import { checkOffset } from "#lib/brokers/kafka/safe-number.ts";

/**
 * Reads Kafka's wire types from an answer, in order. Every read is checked against the end: an answer that is shorter
 * than it claims is a `protocol` error, never a crash.
 */
export class WireReader {
  readonly bytes: Buffer;
  position: number;

  constructor(bytes: Buffer, position = 0) {
    this.bytes = bytes;
    this.position = position;
  }

  #advance(length: number): number {
    const from = this.position;
    if (length < 0 || from + length > this.bytes.length) {
      throw new BrokerError(
        "protocol",
        "The broker's answer ends too early. Check what is between here and the broker.",
      );
    }
    this.position = from + length;
    return from;
  }

  skip(length: number): void {
    this.#advance(length);
  }

  readInt16(): number {
    return this.bytes.readInt16BE(this.#advance(2));
  }

  readInt32(): number {
    return this.bytes.readInt32BE(this.#advance(4));
  }

  /** @returns the nearest number; offsets must go through `readOffset` */
  readInt64(): number {
    const at = this.#advance(8);
    return this.bytes.readInt32BE(at) * 4294967296 + this.bytes.readUInt32BE(at + 4);
  }

  /** An offset, or -1 where the broker does not know it. */
  readOffset(): number {
    return checkOffset(this.readInt64());
  }

  readUnsignedVarint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.bytes[this.#advance(1)]!;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new BrokerError("protocol", "The broker's answer holds a length that is no length.");
  }

  /** Length of a compact array, string or record set; -1 for null. */
  readCompactLength(): number {
    return this.readUnsignedVarint() - 1;
  }

  /** @returns hyphenated UUID */
  readUuid(): string {
    const at = this.#advance(16);
    return formatUuid(this.bytes.toString("hex", at, at + 16));
  }

  skipTaggedFields(): void {
    for (let count = this.readUnsignedVarint(); count > 0; count--) {
      this.readUnsignedVarint();
      this.skip(this.readUnsignedVarint());
    }
  }
}

const formatUuid = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
