import { Fragment } from "react";
import { LogStrip } from "#components/topics/log-strip.tsx";
import { modelLogStrip, type StripScale } from "#components/topics/log-strip-model.ts";
import { describeReading } from "#components/topics/reading-text.ts";
import { ReplicaStrips } from "#components/topics/replica-strips.tsx";
import { StripReader } from "#components/topics/strip-reader.tsx";
import { newestMeasurement, pickReading } from "#components/topics/topic-readings.ts";
import { Ago } from "#components/ui/ago.tsx";
import { StateGlyph } from "#components/ui/state-glyph.tsx";
import type { PartitionMeasurement } from "#lib/compaction/measurement.ts";
import { formatBytes, formatShare, NOT_KNOWN } from "#lib/platform/format-figure.ts";
import { judgePartition } from "#lib/topics/standing.ts";
import type { PartitionView, TopicView } from "#lib/topics/topic-view.ts";

interface PartitionRowsProps {
  view: TopicView;
  scale: StripScale;
  limit: number | null;
  /** Shown at full size, by offset. */
  openedPartition: number | null;
  showsReplicas: (partition: PartitionView) => boolean;
}

const ROW_COLUMNS = 96;
const FULL_COLUMNS = 150;

export function PartitionRows({ view, scale, limit, openedPartition, showsReplicas }: PartitionRowsProps) {
  // Bars and replicas share one scale: the largest of all takes the whole width.
  const largest = Math.max(1, ...view.partitions.flatMap((partition) => sizesOf(partition)));
  const stale = view.cluster.state !== "live" || view.goneAt !== null;
  return (
    <table className="grid-table fold-table mt-[6px]">
      <colgroup>
        <col className="w-[48px]" />
        <col />
        <col className="w-[92px]" />
        <col className="w-[104px]" />
        <col className="w-[116px]" />
        <col className="w-[196px]" />
      </colgroup>
      <thead>
        <tr>
          <th scope="col">No.</th>
          <th scope="col">Start of log → end of log</th>
          <th scope="col" className="num">
            On disk
          </th>
          <th scope="col" className="num">
            Ratio
          </th>
          <th scope="col" className="num">
            Removable
          </th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {view.partitions.map((partition) => {
          const measurement = newestMeasurement(partition);
          const opened = partition.partition === openedPartition && measurement !== null;
          return (
            <Fragment key={partition.partition}>
              <PartitionRow
                partition={partition}
                measurement={measurement}
                scale={scale}
                limit={limit}
                largest={largest}
                stale={stale}
                selected={opened}
              />
              {opened ? <OpenedRow measurement={measurement} limit={limit} stale={stale} /> : null}
              {showsReplicas(partition) ? (
                <ReplicaStrips partition={partition} measurement={measurement} largest={largest} stale={stale} />
              ) : null}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

const sizesOf = (partition: PartitionView): number[] =>
  [newestMeasurement(partition)?.bytes, ...partition.replicas.map((replica) => replica.bytes)].filter(
    (bytes) => bytes !== null && bytes !== undefined,
  );

interface PartitionRowProps {
  partition: PartitionView;
  measurement: PartitionMeasurement | null;
  scale: StripScale;
  limit: number | null;
  largest: number;
  stale: boolean;
  selected: boolean;
}

function PartitionRow({ partition, measurement, scale, limit, largest, stale, selected }: PartitionRowProps) {
  const ratio = describeReading(pickReading("dirtyRatio", partition.probe, partition.scan), "ratio");
  const removable = describeReading(pickReading("removableShare", partition.probe, partition.scan), "share");
  const bytes = partition.replicas.find((replica) => replica.leader)?.bytes ?? measurement?.bytes ?? null;
  const standing = measurement === null ? null : judgePartition(measurement, limit);
  return (
    <tr data-selected={selected || undefined} className="wide:h-9 max-wide:grid-cols-[24px_minmax(0,1fr)_auto]">
      <td className="font-mono max-wide:order-1">{partition.partition}</td>
      <td className="max-wide:order-2">
        {measurement === null ? (
          <span className="block rounded-[2px] border border-dashed border-line-2 px-2 text-note leading-[14px] text-fg-3">
            not measured yet
          </span>
        ) : (
          <RowStrip measurement={measurement} scale={scale} limit={limit} largest={largest} stale={stale} />
        )}
      </td>
      <td className="num max-wide:order-3">{bytes === null ? NOT_KNOWN : formatBytes(bytes)}</td>
      <td className="num max-wide:hidden">{withError(ratio)}</td>
      <td className="num max-wide:hidden">{withError(removable)}</td>
      <td className="text-fg-2 max-wide:order-4 max-wide:col-span-3">
        <span className="flex items-center gap-[6px]">
          <StateGlyph state={standing?.state ?? "unknown"} />
          <span className="min-w-0 truncate" title={standing?.sentence}>
            {standing?.word ?? "Not measured"}
          </span>
          <span className="ml-auto hidden text-second max-wide:inline">
            {ratio.figure} · {removable.figure}
          </span>
        </span>
      </td>
    </tr>
  );
}

const withError = ({ figure, error }: { figure: string; error: string | null }): React.ReactNode =>
  error?.startsWith("±") ? (
    <>
      {figure} <span className="text-note text-fg-3">{error}</span>
    </>
  ) : (
    figure
  );

type RowStripProps = Omit<PartitionRowProps, "partition" | "selected"> & { measurement: PartitionMeasurement };

function RowStrip({ measurement, scale, limit, largest, stale }: RowStripProps) {
  const width = scale === "bytes" && measurement.bytes !== null ? Math.max(0.02, measurement.bytes / largest) : 1;
  const model = modelLogStrip(measurement, { scale, columns: ROW_COLUMNS * width, dirtyRatioLimit: limit });
  const title = `Log of partition ${measurement.partition}, by ${model.scale}`;
  return <LogStrip id={`p${measurement.partition}`} model={model} title={title} width={width} stale={stale} />;
}

function OpenedRow({
  measurement,
  limit,
  stale,
}: {
  measurement: PartitionMeasurement;
  limit: number | null;
  stale: boolean;
}) {
  const model = modelLogStrip(measurement, { scale: "offsets", columns: FULL_COLUMNS, dirtyRatioLimit: limit });
  const title = `Partition ${measurement.partition} by offset`;
  return (
    <tr data-selected="true">
      <td className="max-wide:hidden" />
      <td colSpan={5} className="max-wide:col-span-full">
        <div className="mt-1 mb-[2px] flex flex-wrap gap-x-[6px] text-second text-fg-2">
          <b className="text-fg">{title}</b>
          {model.fold === null ? null : (
            <span>clean section folded to {formatShare(model.cleanPoint ?? 0)} of the width</span>
          )}
          <span className="ml-auto text-fg-3">
            {measurement.mode}, {measurement.fetches} fetches, <Ago at={measurement.measuredAt} />
          </span>
        </div>
        <StripReader title={title} positions={model.positions}>
          <LogStrip id={`full${measurement.partition}`} model={model} title={title} size="full" stale={stale} />
        </StripReader>
        <Warnings measurement={measurement} />
      </td>
    </tr>
  );
}

function Warnings({ measurement }: { measurement: PartitionMeasurement }) {
  if (measurement.warnings.length === 0) return null;
  return (
    <ul className="pb-1 text-second text-fg-2">
      {measurement.warnings.map((warning) => (
        <li key={warning.code}>{warning.message}</li>
      ))}
    </ul>
  );
}
