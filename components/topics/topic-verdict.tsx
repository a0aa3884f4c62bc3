import { Measured } from "#components/topics/measured.tsx";
import { findRemedy } from "#components/topics/remedy.ts";
import {
  boundWritten,
  judgeView,
  newestMeasurement,
  pickReading,
  readLimit,
  sumLeaderBytes,
} from "#components/topics/topic-readings.ts";
import { StateChip } from "#components/ui/chip.tsx";
import { Command } from "#components/ui/command.tsx";
import { formatRatio } from "#lib/platform/format-figure.ts";
import { judgePartition, type StateKind } from "#lib/topics/standing.ts";
import type { TopicView } from "#lib/topics/topic-view.ts";

const EDGE: Record<StateKind, string> = {
  ok: "border-l-ok",
  watch: "border-l-watch",
  broken: "border-l-broken",
  unknown: "border-l-unknown",
  run: "border-l-run",
};

/** The verdict in a sentence, what follows from it, and what to do. */
export function TopicVerdict({ view }: { view: TopicView }) {
  const standing = judgeView(view);
  const remedy = findRemedy(standing, view.topic);
  const limit = readLimit(view);
  const columns = remedy === null ? "" : "desk:grid-cols-[1.5fr_1fr]";
  return (
    <div
      className={`grid rounded-panel border border-l-[3px] border-line bg-surface ${columns} ${EDGE[standing.state]}`}
    >
      <div className="min-w-0 px-[18px] pt-[14px] pb-[15px]">
        <div className="flex flex-wrap items-center gap-2 text-second text-fg-3">
          <StateChip state={standing.state}>{standing.word}</StateChip>
          {countCompacting(view, limit)}
        </div>
        <h1 className="mt-2 text-verdict font-semibold tracking-[-.01em]">{standing.sentence}</h1>
        <p className="mt-[5px] max-w-[76ch] text-fg-2">{standing.why}</p>
        <div className="mt-[13px] grid grid-cols-2 gap-x-[26px] gap-y-3 wide:flex wide:flex-wrap">
          <Measured
            label="On disk, leaders"
            kind="bytes"
            reading={sumLeaderBytes(view.partitions)}
            unknownReason="a size is not known"
          />
          <Measured
            label="Removable"
            kind="share"
            reading={pickReading("removableShare", view.probe, view.scan)}
            unknownReason="not measured yet"
          />
          <Measured
            label={limit === null ? "Cleaner ratio" : `Cleaner ratio, limit ${formatRatio(limit)}`}
            kind="ratio"
            reading={pickReading("dirtyRatio", view.probe, view.scan)}
            unknownReason="not measured yet"
          />
          <Measured
            label="Ever written"
            kind="count"
            reading={boundWritten(view.partitions)}
            unknownReason="an offset is not known"
          />
        </div>
      </div>
      {remedy === null ? null : (
        <div className="min-w-0 border-line px-[18px] py-[14px] max-desk:border-t desk:border-l">
          <h2 className="font-semibold">What to do</h2>
          <p className="mt-[5px] mb-[9px] text-fg-2">{remedy.text}</p>
          {remedy.command === null ? null : <Command>{remedy.command}</Command>}
        </div>
      )}
    </div>
  );
}

function countCompacting(view: TopicView, limit: number | null): string {
  const measured = view.partitions.map(newestMeasurement).filter((measurement) => measurement !== null);
  const total = view.partitions.length;
  if (measured.length === 0) return `0 of ${total} partitions measured`;
  const compacting = measured.filter((measurement) => judgePartition(measurement, limit).state === "ok").length;
  const known = measured.length === total ? "" : `, ${measured.length} measured`;
  return `Compacting or empty: ${compacting} of ${total} partitions${known}`;
}
