/** The configuration keys that decide about compaction, by Kafka's own names. */
import { z } from "zod";
import type { ConfigEntries } from "#lib/brokers/broker-port.ts";

export const COMPACTION_CONFIG_KEYS = [
  "cleanup.policy",
  "min.cleanable.dirty.ratio",
  "min.compaction.lag.ms",
  "max.compaction.lag.ms",
  "delete.retention.ms",
  "segment.bytes",
  "segment.ms",
  "retention.ms",
  "retention.bytes",
  "file.delete.delay.ms",
  "message.timestamp.type",
  "remote.storage.enable",
] as const;

const configEntries = z.record(
  z.string(),
  z.object({
    value: z.string().nullable(),
    source: z.enum(["topic", "broker-dynamic", "broker-default-dynamic", "broker-static", "default", "other"]),
  }),
);

export const decodeSettings = (json: unknown): ConfigEntries => configEntries.parse(json);

/** `cleanup.policy` names compaction, alone or beside deletion. */
export const isCompacted = (cleanupPolicy: string | null): boolean =>
  cleanupPolicy?.split(",").some((part) => part.trim() === "compact") ?? false;

/** A numeric setting in force; null where it is not known. */
export function readNumericSetting(settings: ConfigEntries, key: string): number | null {
  const value = settings[key]?.value;
  const number = value === null || value === undefined || value.trim() === "" ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}
