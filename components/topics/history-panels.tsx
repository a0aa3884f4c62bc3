"use client";
import { useState } from "react";
import { lastOf, logDomain, logTicks, type SeriesPoint, seriesOf } from "#components/topics/history-series.ts";
import { Measured } from "#components/topics/measured.tsx";
import { type ChartLine, TimeChart } from "#components/topics/time-chart.tsx";
import { boundWritten, pickReading, readLimit } from "#components/topics/topic-readings.ts";
import { Panel } from "#components/ui/panel.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { formatCompact, formatEstimate, formatRatio, formatTick } from "#lib/platform/format-figure.ts";
import type { TopicView } from "#lib/topics/topic-view.ts";

const SCALES = [
  { value: "log", text: "Log" },
  { value: "linear", text: "Linear" },
] as const;

const THREE = ["distinctKeys", "retainedRecords", "written"] as const;
const THREE_LINES: readonly ChartLine[] = [
  { field: "written", label: "written", color: "var(--fg-2)", dash: "1 3" },
  { field: "retainedRecords", label: "kept", color: "var(--dirty)", dash: "6 2" },
  { field: "distinctKeys", label: "keys", color: "var(--clean)" },
];

const RATIOS = ["dirtyRatio", "removableShare"] as const;
const RATIO_LINES: readonly ChartLine[] = [
  { field: "removableShare", label: "removable", color: "var(--dirty)", dash: "3 2", width: 1.6 },
  { field: "dirtyRatio", label: "ratio", color: "var(--fg)", width: 1.6 },
];

export function HistoryPanels({ view }: { view: TopicView }) {
  return (
    <>
      <KeysPanel view={view} />
      <RatioPanel view={view} />
    </>
  );
}

function KeysPanel({ view }: { view: TopicView }) {
  const [scale, setScale] = useState<"log" | "linear">("log");
  const { probe, scan, partitions } = view;
  const points = seriesOf(view.history, THREE);
  const tombstones = pickReading("tombstones", scan, probe);
  const superseded = pickReading("supersededRecords", scan, probe);
  return (
    <Panel
      id="keys"
      title="Keys, kept, written"
      actions={<Segmented label="Scale of the chart" value={scale} options={SCALES} onChange={setScale} />}
    >
      <div className="px-[14px] pt-[10px] pb-[13px]">
        <div className="mb-3 grid grid-cols-3 gap-3 max-wide:grid-cols-1">
          <Measured
            label={<span className="text-clean">Distinct keys</span>}
            kind="count"
            size="big"
            reading={pickReading("distinctKeys", scan, probe)}
            unknownReason="only a scan counts keys"
          />
          <Measured
            label={<span className="text-dirty">Records kept</span>}
            kind="count"
            size="big"
            reading={pickReading("retainedRecords", scan, probe)}
            unknownReason="not measured yet"
          />
          <Measured
            label="Ever written"
            kind="count"
            size="big"
            reading={boundWritten(partitions)}
            unknownReason="an offset is not known"
          />
        </div>
        {tombstones === null && superseded === null ? null : (
          <p className="mb-3 text-second text-fg-3">
            {[
              tombstones && `${formatEstimate(tombstones.estimate, "count").text} tombstones`,
              superseded && `${formatEstimate(superseded.estimate, "count").text} records superseded`,
            ]
              .filter(Boolean)
              .join(", ")}
            .
          </p>
        )}
        <ThreeLines points={points} scale={scale} />
      </div>
    </Panel>
  );
}

function ThreeLines({ points, scale }: { points: SeriesPoint[]; scale: "log" | "linear" }) {
  if (points.length === 0) return <NoHistory />;
  const domain = logDomain(points, THREE);
  const highest = Math.max(1, ...points.flatMap((point) => THREE.map((field) => point[field] ?? 0)));
  const logarithmic = scale === "log";
  const drawn = logarithmic
    ? points.map((point) => ({
        ...point,
        ...Object.fromEntries(THREE.map((field) => [field, point[field] === null ? null : Math.max(1, point[field])])),
      }))
    : points;
  return (
    <TimeChart
      points={drawn}
      lines={THREE_LINES}
      summary={summarize(points, THREE_LINES, formatCompact)}
      domain={logarithmic ? domain : [0, highest]}
      ticks={logarithmic ? logTicks(domain) : [0, highest / 2, highest]}
      logarithmic={logarithmic}
      formatTick={formatTick}
    />
  );
}

function RatioPanel({ view }: { view: TopicView }) {
  const points = seriesOf(view.history, RATIOS);
  const limit = readLimit(view);
  return (
    <Panel id="ratio" title="Cleaner ratio" note="of all partitions, weighted by bytes">
      <div className="px-[14px] pt-[10px] pb-[13px]">
        {points.length === 0 ? (
          <NoHistory />
        ) : (
          <TimeChart
            points={points}
            lines={RATIO_LINES}
            summary={summarize(points, RATIO_LINES, formatRatio)}
            domain={[0, 1]}
            ticks={[0, 0.5, 1]}
            formatTick={(value) => value.toFixed(1)}
            limit={limit === null ? null : { value: limit, text: `cleaner starts above ${formatRatio(limit)}` }}
          />
        )}
        <p className="mt-2 text-second text-fg-3">
          The ratio is the broker's own definition; removable is what compaction would free if it ran now. What is known
          as bounds only has no point here.
        </p>
      </div>
    </Panel>
  );
}

function NoHistory() {
  return <p className="py-4 text-fg-2">No reading has a point to draw yet. The line begins with the first one.</p>;
}

function summarize(points: SeriesPoint[], lines: readonly ChartLine[], format: (value: number) => string): string {
  const said = lines.flatMap(({ field, label }) => {
    const first = points.find((point) => point[field] !== null)?.[field] ?? null;
    const last = lastOf(points, field);
    return first === null || last === null ? [] : [`${label} from ${format(first)} to ${format(last.value)}`];
  });
  return `Over time: ${said.join("; ")}.`;
}
