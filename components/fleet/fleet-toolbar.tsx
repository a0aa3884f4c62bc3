"use client";
import { ListFilter } from "lucide-react";
import { useEffect, useRef } from "react";
import type { FleetFilter, FleetGroup, FleetSort } from "#components/fleet/fleet-items.ts";
import { formatCount } from "#lib/platform/format-count.ts";

interface FleetToolbarProps {
  filter: FleetFilter;
  counts: Record<FleetGroup, number>;
  sort: FleetSort;
  descending: boolean;
  onChange: (filter: Partial<FleetFilter>) => void;
  onSort: (sort: FleetSort, descending: boolean) => void;
}

const GROUPS: readonly { group: FleetGroup; text: string }[] = [
  { group: "all", text: "All" },
  { group: "attention", text: "Needs attention" },
  { group: "unknown", text: "Not known" },
];

const SORTS: readonly { value: `${FleetSort} ${"asc" | "desc"}`; text: string }[] = [
  { value: "attention asc", text: "What stands out" },
  { value: "topic asc", text: "Topic" },
  { value: "kept desc", text: "Records kept" },
  { value: "removable desc", text: "Removable" },
  { value: "ratio desc", text: "Cleaner ratio" },
  { value: "measured desc", text: "Measured last" },
];

export function FleetToolbar({ filter, counts, sort, descending, onChange, onSort }: FleetToolbarProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-[6px] gap-y-2 px-[14px] py-[10px]">
      {GROUPS.map(({ group, text }) => (
        <button
          key={group}
          type="button"
          aria-pressed={filter.group === group}
          onClick={() => onChange({ group })}
          className="inline-flex h-6 items-center gap-[5px] rounded-[5px] border border-line bg-surface px-2 text-second text-fg-2 hover:border-ctl aria-pressed:border-ctl aria-pressed:bg-sunken aria-pressed:font-[550] aria-pressed:text-fg max-wide:h-11 max-wide:px-3"
        >
          {text} <span className="font-normal text-fg-3">{formatCount(counts[group])}</span>
        </button>
      ))}
      {filter.clusterId === null ? null : (
        <Filtered text={filter.clusterId} onClear={() => onChange({ clusterId: null })} />
      )}
      {filter.cause === null ? null : <Filtered text="one cause" onClear={() => onChange({ cause: null })} />}
      <label className="ml-auto flex items-center gap-[6px] text-second text-fg-3 wide:hidden">
        Sorted by
        <select
          value={`${sort} ${descending ? "desc" : "asc"}`}
          onChange={(event) => {
            const [next, order] = event.target.value.split(" ");
            onSort(next as FleetSort, order === "desc");
          }}
          className="h-11 rounded-control border border-ctl bg-sunken px-2 text-fg"
        >
          {SORTS.map(({ value, text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <FilterInput query={filter.query} onQuery={(query) => onChange({ query })} />
    </div>
  );
}

function Filtered({ text, onClear }: { text: string; onClear: () => void }) {
  return (
    <button
      type="button"
      onClick={onClear}
      className="inline-flex h-6 items-center gap-[6px] rounded-[5px] border border-ctl bg-sunken px-2 text-second max-wide:h-11"
    >
      only {text} <span aria-hidden="true">×</span>
      <span className="sr-only">, show all again</span>
    </button>
  );
}

function FilterInput({ query, onQuery }: { query: string; onQuery: (query: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const typing = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
  return (
    <div className="relative ml-auto w-[220px] max-wide:ml-0 max-wide:w-full">
      <ListFilter
        size={14}
        className="pointer-events-none absolute top-1/2 left-[10px] -translate-y-1/2 text-fg-3"
        aria-hidden="true"
      />
      <input
        ref={input}
        type="text"
        autoComplete="off"
        spellCheck={false}
        aria-label="Filter topics"
        aria-keyshortcuts="/"
        placeholder="Topic, cluster, cause"
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
        className="h-[26px] w-full rounded-control border border-ctl bg-sunken pr-7 pl-[30px] text-second placeholder:text-fg-3 max-wide:h-11"
      />
      <kbd className="pointer-events-none absolute top-1/2 right-[6px] -translate-y-1/2 rounded-chip border border-line-2 px-1 text-note leading-4 text-fg-3 max-wide:hidden">
        /
      </kbd>
    </div>
  );
}
