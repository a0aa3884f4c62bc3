/** Measurements as a table for people. Pure. */
import { writeCountEstimate, writeInterval, writePartEstimate } from "#lib/cli/figure-text.ts";
import type { PartitionMeasurement, TopicMeasurement } from "#lib/compaction/measurement.ts";
import type { MeasuredPartitions } from "#lib/compaction/probe/probe-topic.ts";
import { formatCount } from "#lib/platform/format-count.ts";
import { formatBytes, formatDuration, formatRatio, formatShare, NOT_KNOWN } from "#lib/platform/format-figure.ts";

type Column = readonly [title: string, write: (one: PartitionMeasurement) => string];

const COLUMNS: readonly Column[] = [
  ["partition", (one) => String(one.partition)],
  ["size", (one) => (one.bytes === null ? NOT_KNOWN : formatBytes(one.bytes))],
  ["offset span", (one) => `≤ ${formatCount(one.offsetSpan)}`],
  ["records kept", (one) => writeCountEstimate(one.retainedRecords)],
  ["keys", (one) => writeCountEstimate(one.distinctKeys)],
  ["superseded", (one) => writeCountEstimate(one.supersededRecords)],
  ["tombstones", (one) => writeCountEstimate(one.tombstones)],
  ["cleaner ratio", (one) => writePartEstimate(one.dirtyRatio, formatRatio)],
  ["removable", (one) => writePartEstimate(one.removableShare, formatShare)],
  ["clean point", (one) => writeInterval(one.cleanPoint)],
  ["active from", (one) => writeInterval(one.activeSegmentBase)],
  ["replicas", writeReplicas],
];

/** Columns of which nothing is known in this mode are left out. */
export function toText({ partitions, failed, topic }: MeasuredPartitions): string {
  const columns = COLUMNS.filter(([, write]) => partitions.some((one) => write(one) !== NOT_KNOWN));
  const rows = [columns.map(([title]) => title), ...partitions.map((one) => columns.map(([, write]) => write(one)))];
  const failures = failed.map(({ partition, message }) => `Partition ${partition} could not be measured: ${message}\n`);
  const warnings = topic.warnings
    .filter(({ code }) => code !== "partition-failed")
    .map(({ code, message }) => `! ${message} (${code})\n`);
  return `${headline(topic, partitions.length)}\n${alignColumns(rows)}\n${factsOf(topic)}${failures.join("")}${warnings.join("")}`;
}

function headline(topic: TopicMeasurement, partitions: number): string {
  const cost = `${formatCount(topic.fetches)} fetches, ${formatBytes(topic.fetchedBytes)}, ${formatDuration(topic.durationMs)}`;
  return `${visibleName(topic.topic)}: ${partitions} ${partitions === 1 ? "partition" : "partitions"} by ${topic.mode} (${cost})\n`;
}

function factsOf(topic: TopicMeasurement): string {
  const facts: [string, string][] = [
    ["Records kept", writeCountEstimate(topic.retainedRecords)],
    ["Distinct keys", writeCountEstimate(topic.distinctKeys)],
    ["Live keys", writeCountEstimate(topic.liveKeys)],
    ["Keys in several partitions", writeCountEstimate(topic.keysInSeveralPartitions)],
    ["Superseded records", writeCountEstimate(topic.supersededRecords)],
    ["Tombstones", writeCountEstimate(topic.tombstones)],
    ["Records without a key", writeCountEstimate(topic.nullKeyRecords)],
    ["Held by open transactions", topic.heldRecords === null ? NOT_KNOWN : formatCount(topic.heldRecords)],
    ["Offset span (upper bound)", `≤ ${formatCount(topic.offsetSpan)}`],
    ["Size", topic.bytes === null ? NOT_KNOWN : formatBytes(topic.bytes)],
    ["Cleaner ratio", worstOf(topic)],
    ["Removable", writePartEstimate(topic.removableShare, formatShare)],
  ];
  const known = facts.filter(([, text]) => text !== NOT_KNOWN);
  const width = Math.max(...known.map(([name]) => name.length));
  return known.map(([name, text]) => `${name.padEnd(width)}  ${text}\n`).join("");
}

function worstOf({ dirtyRatio, worstPartition }: TopicMeasurement): string {
  const ratio = writePartEstimate(dirtyRatio, formatRatio);
  return worstPartition === null || ratio === NOT_KNOWN ? ratio : `${ratio}, highest in partition ${worstPartition}`;
}

function writeReplicas({ replicas }: PartitionMeasurement): string {
  if (replicas === null) return NOT_KNOWN;
  const odd = replicas.filter(({ state }) => state !== "ok");
  if (odd.length === 0) return `${replicas.length} ok`;
  return odd.map(({ brokerId, state }) => `broker ${brokerId}: ${state}`).join(", ");
}

function alignColumns(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => `${row.map((cell, column) => cell.padStart(widths[column]!)).join("  ")}\n`).join("");
}

/** Names may hold control characters and text that runs backwards: those are written out. */
export const visibleName = (name: string): string =>
  name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
