import { BrokerError } from "#lib/brokers/broker-error.ts";

/** A 64-bit integer of the protocol as a number; above 2^53 - 1 it is refused, since it would be another number. */
export function toSafeNumber(value: bigint | number, what: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new BrokerError("protocol", `${what} is ${value}, and Keyfold counts up to 2^53 - 1.`);
}

export const checkOffset = (offset: number): number => toSafeNumber(offset, "An offset");
