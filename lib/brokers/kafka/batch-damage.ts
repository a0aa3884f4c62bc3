import { BrokerError, type BrokerErrorCode } from "#lib/brokers/broker-error.ts";

/** What is wrong with a batch, before it is known where it lies. */
export class BatchDamage extends Error {
  override readonly name = "BatchDamage";
  readonly code: Extract<BrokerErrorCode, "corrupt-batch" | "expansion-bound" | "unsupported-format">;

  constructor(code: BatchDamage["code"], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

export const corrupt = (message: string, cause?: unknown): BatchDamage =>
  new BatchDamage("corrupt-batch", message, { cause });

export const exceedsLimit = (limitBytes: number): BatchDamage =>
  new BatchDamage(
    "expansion-bound",
    `it expands to more than ${limitBytes} bytes, which Keyfold does not hold in memory. Check its producer's compression and batch size.`,
  );

/** @param where the partition and broker, in words */
export const locateDamage = (damage: BatchDamage, where: string, offset: number): BrokerError =>
  new BrokerError(damage.code, `Batch at offset ${offset} of ${where}: ${damage.message}`, { cause: damage });
