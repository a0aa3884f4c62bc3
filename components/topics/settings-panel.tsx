"use client";
import { Ago } from "#components/ui/ago.tsx";
import { Panel } from "#components/ui/panel.tsx";
import type { ConfigEntry, ConfigSource } from "#lib/brokers/broker-port.ts";
import { formatBytes, formatDuration, NOT_KNOWN } from "#lib/platform/format-figure.ts";
import type { TopicView } from "#lib/topics/topic-view.ts";

const SETTINGS = [
  "cleanup.policy",
  "min.cleanable.dirty.ratio",
  "min.compaction.lag.ms",
  "max.compaction.lag.ms",
  "delete.retention.ms",
  "segment.ms",
  "segment.bytes",
  "retention.ms",
  "retention.bytes",
] as const;

const SOURCES: Record<ConfigSource, string> = {
  topic: "topic",
  "broker-dynamic": "broker",
  "broker-default-dynamic": "all brokers",
  "broker-static": "broker file",
  default: "default",
  other: "other",
};

/** Kafka's way to say "no limit" (2^63 - 1). */
const LONG_MAX = 9_223_372_036_854_775_807n;

export function SettingsPanel({ view }: { view: TopicView }) {
  const deletes = view.cleanupPolicy.includes("delete");
  const shown = SETTINGS.filter((name) => deletes || !name.startsWith("retention."));
  return (
    <Panel
      id="settings"
      title="Settings that decide"
      note={view.settingsAt === null ? "not read yet" : <Ago at={view.settingsAt} />}
    >
      <dl className="grid grid-cols-[minmax(0,auto)_auto_auto] gap-x-3 gap-y-[3px] px-[14px] pt-2 pb-[13px] text-second">
        {shown.map((name) => {
          const entry = view.settings[name];
          return (
            <div key={name} className="col-span-3 grid grid-cols-subgrid">
              <dt className="font-mono text-note leading-[18px] tracking-tight">{name}</dt>
              <dd className="whitespace-nowrap">{entry === undefined ? NOT_KNOWN : formatSetting(name, entry)}</dd>
              <dd className="text-fg-3">{entry === undefined ? "not known" : SOURCES[entry.source]}</dd>
            </div>
          );
        })}
      </dl>
    </Panel>
  );
}

function formatSetting(name: string, { value }: ConfigEntry): string {
  if (value === null || value === "") return NOT_KNOWN;
  if (!/^-?\d+$/.test(value)) return value;
  const unlimited = BigInt(value) === LONG_MAX || BigInt(value) < 0n;
  if (unlimited) return "no limit";
  if (name.endsWith(".ms")) return formatDuration(Number(value));
  return name.endsWith(".bytes") ? formatBytes(Number(value)) : value;
}
