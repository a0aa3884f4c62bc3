"use client";
import { type Table, useTable } from "@tanstack/react-table";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useRouter } from "next/navigation";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import type { FleetItem, FleetSort } from "#components/fleet/fleet-items.ts";
import { keepOrder } from "#components/fleet/steady-order.ts";
import { COLUMN_META, columns, features } from "#components/fleet/topic-columns.tsx";
import { useListKeys } from "#components/fleet/use-list-keys.ts";
import { paths } from "#lib/http/paths.ts";
import { formatCount } from "#lib/platform/format-count.ts";

interface TopicTableProps {
  items: FleetItem[];
  sort: FleetSort;
  descending: boolean;
  onSort: (sort: FleetSort, descending: boolean) => void;
  /** Changes where the visitor asked for other rows: the new order is then taken at once. */
  choiceKey: string;
}

const ROW_PX = 47;
const PHONE_ROW_PX = 95;
/** Up to here all rows are in the document, so that the browser's own search finds them. */
const WHOLE_ROWS_MAX = 100;
const OVERSCAN_ROWS = 8;

export function TopicTable({ items, sort, descending, onSort, choiceKey }: TopicTableProps) {
  const table = useTable({
    features,
    columns,
    data: items,
    getRowId: (item) => item.id,
    state: { sorting: [{ id: sort, desc: descending }] },
    enableSortingRemoval: false,
  });
  const sorted = table.getRowModel().rows;
  const steady = useSteadyRows(sorted, choiceKey);
  const body = useRef<HTMLTableSectionElement>(null);
  const virtual = useVirtualRows(steady.items.length, body);
  const router = useRouter();
  const selected = useListKeys(steady.items.length, choiceKey, {
    onMove: (index) => virtual.scrollToIndex(index, { align: "auto" }),
    onOpen: (index) => {
      const row = steady.items[index]?.original.row;
      if (row !== undefined) router.push(paths.topic(row.clusterId, row.topic));
    },
  });
  const rows = virtual.getVirtualItems();
  const before = (rows[0]?.start ?? 0) - virtual.options.scrollMargin;
  const after = virtual.getTotalSize() - ((rows.at(-1)?.end ?? 0) - virtual.options.scrollMargin);
  return (
    <>
      {steady.movedCount === 0 ? null : (
        <div className="border-t border-line px-[14px] py-[6px] text-second">
          <button type="button" onClick={steady.take} className="link">
            {formatCount(steady.movedCount)} would stand elsewhere now, show
          </button>
        </div>
      )}
      <table className="grid-table fold-table" aria-rowcount={steady.items.length + 1} aria-label="Topics">
        <colgroup>
          {columns.map(({ id }) => (
            <col
              key={id}
              className={id === "kept" ? "max-desk:hidden" : ""}
              style={{ width: COLUMN_META[id ?? ""]?.width }}
            />
          ))}
        </colgroup>
        <Head table={table} sort={sort} descending={descending} onSort={onSort} />
        <tbody ref={body}>
          <Spacer height={before} />
          {rows.map(({ index, key }) => {
            const row = steady.items[index];
            if (row === undefined) return null;
            return (
              <tr
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                aria-rowindex={index + 2}
                data-selected={selected === index || undefined}
                className="wide:h-11 max-wide:grid-cols-[minmax(0,1fr)_minmax(96px,34%)]"
              >
                {row.getAllCells().map((cell) => {
                  const meta = COLUMN_META[cell.column.id];
                  return (
                    <td key={cell.id} className={`${meta?.numeric ? "num" : ""} ${meta?.phone ?? ""}`}>
                      <table.FlexRender cell={cell} />
                    </td>
                  );
                })}
              </tr>
            );
          })}
          <Spacer height={after} />
        </tbody>
      </table>
    </>
  );
}

function Spacer({ height }: { height: number }) {
  if (height <= 0.5) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row is not focusable, and this one only keeps room
    <tr aria-hidden="true" className="!border-0 !p-0">
      <td colSpan={columns.length} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

interface HeadProps extends Pick<TopicTableProps, "sort" | "descending" | "onSort"> {
  table: ReturnType<typeof useTable<typeof features, FleetItem>>;
}

function Head({ table, sort, descending, onSort }: HeadProps) {
  return (
    <thead className="wide:sticky wide:top-0 wide:z-10">
      {table.getHeaderGroups().map((group) => (
        <tr key={group.id} aria-rowindex={1}>
          {group.headers.map((header) => {
            const id = header.column.id;
            const chosen = id === sort;
            const text = String(header.column.columnDef.header);
            return (
              <th
                key={header.id}
                scope="col"
                aria-sort={chosen ? (descending ? "descending" : "ascending") : undefined}
                className={`border-t border-line ${COLUMN_META[id]?.numeric ? "num" : ""} ${id === "kept" ? "max-desk:hidden" : ""}`}
              >
                {header.column.getCanSort() ? (
                  <button
                    type="button"
                    onClick={() => onSort(id as FleetSort, chosen ? !descending : startsDescending(id))}
                    className={`max-w-full truncate hover:text-fg ${chosen ? "font-[550] text-fg" : ""}`}
                  >
                    {text}
                    {chosen ? <span aria-hidden="true">{descending ? " ↓" : " ↑"}</span> : null}
                  </button>
                ) : (
                  text
                )}
              </th>
            );
          })}
        </tr>
      ))}
    </thead>
  );
}

/** Of figures the highest are wanted first. */
const startsDescending = (id: string): boolean =>
  id === "kept" || id === "removable" || id === "ratio" || id === "measured";

type Row = ReturnType<Table<typeof features, FleetItem>["getRowModel"]>["rows"][number];

function useSteadyRows(sorted: Row[], choiceKey: string) {
  const [shown, setShown] = useState<{ choiceKey: string; ids: string[] } | null>(null);
  const order = shown !== null && shown.choiceKey === choiceKey ? shown.ids : null;
  const steady = useMemo(() => keepOrder(order, sorted), [order, sorted]);
  const take = (): void => setShown({ choiceKey, ids: sorted.map((row) => row.id) });
  if (order === null && sorted.length > 0) take();
  return { ...steady, take };
}

function useVirtualRows(count: number, body: React.RefObject<HTMLTableSectionElement | null>) {
  const [scrollMargin, setScrollMargin] = useState(0);
  const [rowPx, setRowPx] = useState(ROW_PX);
  useLayoutEffect(() => {
    const measure = (): void => {
      const top = body.current?.getBoundingClientRect().top;
      if (top !== undefined) setScrollMargin(Math.round(top + window.scrollY));
      setRowPx(window.matchMedia("(max-width: 699.98px)").matches ? PHONE_ROW_PX : ROW_PX);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [body]);
  return useWindowVirtualizer({
    count,
    estimateSize: () => rowPx,
    overscan: count <= WHOLE_ROWS_MAX ? count : OVERSCAN_ROWS,
    scrollMargin,
    // The server draws the rows of a tall first screen; without this it would draw none.
    initialRect: { width: 1440, height: 1400 },
    initialOffset: 0,
  });
}
