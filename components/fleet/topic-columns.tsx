"use client";
import { createColumnHelper, createSortedRowModel, rowSortingFeature, tableFeatures } from "@tanstack/react-table";
import Link from "next/link";
import { type FleetItem, type FleetSort, SORT_VALUES } from "#components/fleet/fleet-items.ts";
import { KeysKeptWritten } from "#components/topics/keys-kept-written.tsx";
import { LogStrip } from "#components/topics/log-strip.tsx";
import { modelLogStrip } from "#components/topics/log-strip-model.ts";
import { describeReading } from "#components/topics/reading-text.ts";
import { Ago } from "#components/ui/ago.tsx";
import { Name } from "#components/ui/name.tsx";
import { StateGlyph } from "#components/ui/state-glyph.tsx";
import { paths } from "#lib/http/paths.ts";
import { formatRatio } from "#lib/platform/format-figure.ts";

/** About one column per 6 px at the width that the strip has in a row. */
const STRIP_COLUMNS = 36;
/** Older than this, a measurement is amber and its strip is drawn at half strength. */
export const MEASURED_STALE_MS = 60 * 60_000;

export const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });
const column = createColumnHelper<typeof features, FleetItem>();

interface ColumnMeta {
  /** Place in the two lines of a row on a phone. */
  phone: string;
  width: string;
  numeric?: boolean;
}

export const COLUMN_META: Record<string, ColumnMeta> = {
  topic: { phone: "max-wide:order-1", width: "22%" },
  attention: { phone: "max-wide:order-3 max-wide:!pl-[23px]", width: "24%" },
  log: { phone: "max-wide:order-4", width: "19%" },
  kept: { phone: "max-desk:hidden", width: "13%" },
  removable: { phone: "max-wide:hidden", width: "7.5%", numeric: true },
  ratio: { phone: "max-wide:hidden", width: "6%", numeric: true },
  measured: { phone: "max-wide:order-2 max-wide:text-right", width: "8.5%", numeric: true },
};

const sortable = (id: FleetSort) => (item: FleetItem) => SORT_VALUES[id](item) ?? undefined;
const LAST = { sortUndefined: "last" } as const;

export const columns = column.columns([
  column.accessor(sortable("topic"), {
    id: "topic",
    header: "Topic",
    cell: ({ row }) => <TopicCell item={row.original} />,
    ...LAST,
  }),
  column.accessor(sortable("attention"), {
    id: "attention",
    header: "What stands out",
    cell: ({ row }) => <StandingCell item={row.original} />,
    ...LAST,
  }),
  column.display({ id: "log", header: "Log, worst partition", cell: ({ row }) => <StripCell item={row.original} /> }),
  column.accessor(sortable("kept"), {
    id: "kept",
    header: "Keys · kept · written (log)",
    cell: ({ row }) => <KeysKeptWritten {...row.original.row} />,
    ...LAST,
  }),
  column.accessor(sortable("removable"), {
    id: "removable",
    header: "Removable",
    cell: ({ row }) => <RemovableCell item={row.original} />,
    ...LAST,
  }),
  column.accessor(sortable("ratio"), {
    id: "ratio",
    header: "Ratio",
    cell: ({ row }) => <RatioCell item={row.original} />,
    ...LAST,
  }),
  column.accessor(sortable("measured"), {
    id: "measured",
    header: "Measured",
    cell: ({ row }) => <MeasuredCell item={row.original} />,
    ...LAST,
  }),
]);

function TopicCell({ item: { row, standing } }: { item: FleetItem }) {
  return (
    <div className="flex items-start gap-[9px]">
      <span className="leading-[18px]">
        <StateGlyph state={standing.state} label={standing.word} />
      </span>
      <span className="min-w-0 flex-1">
        <Link
          href={paths.topic(row.clusterId, row.topic)}
          prefetch={false}
          className="block min-w-0 text-second leading-[18px] hover:underline max-wide:leading-6"
        >
          <Name truncate>{row.topic}</Name>
        </Link>
        <span className="block truncate text-note text-fg-3">{row.clusterId}</span>
      </span>
    </div>
  );
}

/** The sentence says which partition and what; why, and what the worker noted, are in the title and on the topic's page. */
function StandingCell({ item: { row, standing } }: { item: FleetItem }) {
  const second = standing.id === "not-measured" ? standing.why : standing.sentence;
  const title = [standing.sentence, standing.why, row.note].filter(Boolean).join(" ");
  return (
    <div title={title}>
      <span className="block truncate leading-[18px] max-wide:text-second max-wide:text-fg-2">{standing.word}</span>
      <span className="block truncate text-note text-fg-3 max-wide:hidden">{second}</span>
    </div>
  );
}

function StripCell({ item: { id, row, stale } }: { item: FleetItem }) {
  if (row.worst === null) {
    return (
      <span className="block rounded-[2px] border border-dashed border-line-2 px-2 text-note leading-[14px] text-fg-3">
        no reading
      </span>
    );
  }
  const model = modelLogStrip(row.worst, {
    scale: "bytes",
    columns: STRIP_COLUMNS,
    dirtyRatioLimit: row.dirtyRatioLimit,
  });
  const unit = model.scale === "bytes" ? "bytes" : "offsets";
  return (
    <LogStrip
      id={domId(id)}
      model={model}
      title={`Log of partition ${row.worst.partition}, by ${unit}`}
      stale={stale}
    />
  );
}

/** An id of the document for any name: only letters, digits and dashes, and no two names share one. */
const domId = (id: string): string =>
  `s-${Array.from(id, (character) => (/[a-z0-9]/i.test(character) ? character : `-${character.codePointAt(0)?.toString(36)}-`)).join("")}`;

function RemovableCell({ item: { row } }: { item: FleetItem }) {
  const { figure, method } = describeReading(row.removableShare, "share", true);
  return <TwoLines first={figure} second={method === null ? "not known" : method} />;
}

function RatioCell({ item: { row } }: { item: FleetItem }) {
  const { figure } = describeReading(row.dirtyRatio, "ratio", true);
  const limit = row.dirtyRatioLimit === null ? "no limit known" : `of ${formatRatio(row.dirtyRatioLimit)}`;
  return <TwoLines first={figure} second={row.dirtyRatio === null ? "not known" : limit} />;
}

function MeasuredCell({ item: { row } }: { item: FleetItem }) {
  if (row.measuredAt === null) return <TwoLines first="—" second="never" />;
  return (
    <TwoLines
      first={<Ago at={row.measuredAt} staleAfterMs={MEASURED_STALE_MS} bare />}
      second={row.mode === null ? "" : `by ${row.mode}`}
    />
  );
}

function TwoLines({ first, second }: { first: React.ReactNode; second: React.ReactNode }) {
  return (
    <>
      <span className="block leading-[18px] max-wide:leading-6">{first}</span>
      <span className="block truncate text-note text-fg-3">{second}</span>
    </>
  );
}
