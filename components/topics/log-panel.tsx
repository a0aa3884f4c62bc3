"use client";
import { useState } from "react";
import { LogLegend } from "#components/topics/log-legend.tsx";
import type { StripScale } from "#components/topics/log-strip-model.ts";
import { LogTable } from "#components/topics/log-table.tsx";
import { PartitionRows } from "#components/topics/partition-rows.tsx";
import { judgeView, newestMeasurement, readLimit, replicasDiffer } from "#components/topics/topic-readings.ts";
import { Panel } from "#components/ui/panel.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import type { TopicView } from "#lib/topics/topic-view.ts";

const SCALES = [
  { value: "bytes", text: "Bytes" },
  { value: "offsets", text: "Offsets" },
] as const satisfies readonly { value: StripScale; text: string }[];

const REPLICAS = [
  { value: "differing", text: "Where they differ" },
  { value: "all", text: "All replicas" },
] as const;

const FORMS = [
  { value: "strips", text: "Strips" },
  { value: "table", text: "Table" },
] as const;

/** The logs of all partitions on one scale, so that the sick one sticks out; the worst is opened by offset. */
export function LogPanel({ view }: { view: TopicView }) {
  const [scale, setScale] = useState<StripScale>("bytes");
  const [replicas, setReplicas] = useState<"differing" | "all">("differing");
  const [form, setForm] = useState<"strips" | "table">("strips");
  const limit = readLimit(view);
  const measured = view.partitions.filter((partition) => newestMeasurement(partition) !== null);
  const note = scale === "bytes" ? "by bytes, bars share one scale" : "by offset, each bar fills its column";
  const controls = (
    <>
      <Segmented label="Scale of the bars" value={scale} options={SCALES} onChange={setScale} />
      {view.partitions.some((partition) => partition.replicas.length > 1) ? (
        <Segmented label="Replicas" value={replicas} options={REPLICAS} onChange={setReplicas} />
      ) : null}
      <Segmented label="Form" value={form} options={FORMS} onChange={setForm} />
    </>
  );
  if (measured.length === 0) {
    return (
      <Panel id="log" title="Log" className="mt-3">
        <Unmeasured view={view} />
      </Panel>
    );
  }
  const content =
    form === "table" ? (
      <LogTable partitions={measured} />
    ) : (
      <PartitionRows
        view={view}
        scale={scale}
        limit={limit}
        openedPartition={worstPartition(view)}
        showsReplicas={(partition) => replicas === "all" || replicasDiffer(partition)}
      />
    );
  return (
    <Panel id="log" title="Log" note={note} actions={controls} className="mt-3">
      {content}
      <div className="border-t border-line px-[14px] pt-2 pb-[10px]">
        <LogLegend />
      </div>
    </Panel>
  );
}

/** The one that the verdict is about, else the one with the highest ratio, else the first that was measured. */
function worstPartition(view: TopicView): number | null {
  const measured = view.partitions.filter((partition) => newestMeasurement(partition)?.shape);
  const wanted = judgeView(view).partition ?? view.probe?.worstPartition ?? view.scan?.worstPartition ?? null;
  if (measured.some((partition) => partition.partition === wanted)) return wanted;
  return measured[0]?.partition ?? null;
}

function Unmeasured({ view }: { view: TopicView }) {
  const waits = view.goneAt === null && view.cluster.state !== "never";
  return (
    <div className="px-[14px] py-4">
      <div
        className="h-[14px] rounded-[2px] border border-dashed border-line-2"
        role="img"
        aria-label="No partition has been measured"
      />
      <p className="mt-2 text-fg-2">
        No partition has been measured{waits ? " yet: a probe is queued and its result appears here by itself." : "."}
      </p>
    </div>
  );
}
