"use client";
import { useMemo } from "react";
import { CauseList } from "#components/fleet/cause-list.tsx";
import { ClusterList } from "#components/fleet/cluster-list.tsx";
import type { FirstRows } from "#components/fleet/first-rows.ts";
import {
  type FleetItem,
  type FleetOverview,
  filterItems,
  listItems,
  summarizeItems,
} from "#components/fleet/fleet-items.ts";
import { sayFleet } from "#components/fleet/fleet-sentence.ts";
import { FleetToolbar } from "#components/fleet/fleet-toolbar.tsx";
import { StateSummary } from "#components/fleet/state-summary.tsx";
import { TopicTable } from "#components/fleet/topic-table.tsx";
import { useFleetFilter } from "#components/fleet/use-fleet-filter.ts";
import { ConnectionNotice } from "#components/layout/connection-notice.tsx";
import { useLiveView } from "#components/layout/live-provider.tsx";
import { Shell } from "#components/layout/shell.tsx";
import { LogLegend } from "#components/topics/log-legend.tsx";
import { ClockProvider } from "#components/ui/clock.tsx";
import { paths } from "#lib/http/paths.ts";
import { formatCount } from "#lib/platform/format-count.ts";
import type { FleetView } from "#lib/topics/fleet-view.ts";

export function FleetPage({ initial, overview }: FirstRows) {
  const partial = overview !== null;
  const { view, error } = useLiveView({ key: ["fleet"], path: paths.api.fleet(), initial, partial });
  const items = useMemo(() => listItems(view), [view]);
  const summary = useMemo(
    () => (overview !== null && view === initial ? overview : summarizeItems(items)),
    [overview, view, initial, items],
  );
  const { title, detail } = sayFleet(view.clusters, summary);
  return (
    <ClockProvider readAt={view.readAt}>
      <Shell current="fleet" clusters={view.clusters} error={error}>
        <ConnectionNotice error={error} readAt={view.readAt} />
        <div className="pt-[18px] pb-3">
          <h1 className="text-heading font-[650] tracking-[-.015em]">{title}</h1>
          <p className="text-fg-2">{detail}</p>
        </div>
        {view.clusters.length === 0 ? null : <FleetBody view={view} items={items} overview={summary} />}
      </Shell>
    </ClockProvider>
  );
}

interface FleetBodyProps {
  view: FleetView;
  items: FleetItem[];
  overview: FleetOverview;
}

function FleetBody({ view, items, overview }: FleetBodyProps) {
  const { filter, sort, descending, change, sortBy } = useFleetFilter();
  const shown = useMemo(() => filterItems(items, filter), [items, filter]);
  const clusterList = (
    <ClusterList clusters={view.clusters} chosen={filter.clusterId} onChoose={(clusterId) => change({ clusterId })} />
  );
  if (items.length === 0) return <div className="max-w-[720px]">{clusterList}</div>;
  const { states } = overview;
  const counts = { all: overview.total, attention: states.broken + states.watch, unknown: states.unknown };
  return (
    <>
      <div className="grid gap-3 wide:grid-cols-2 desk:grid-cols-[1.12fr_1fr_1.1fr]">
        <StateSummary overview={overview} clusterCount={view.clusters.length} />
        <CauseList causes={overview.causes} chosen={filter.cause} onChoose={(cause) => change({ cause })} />
        <div className="min-w-0 wide:col-span-2 desk:col-span-1 *:h-full">{clusterList}</div>
      </div>
      <section aria-label="Topics" className="mt-3 rounded-panel border border-line bg-surface">
        <FleetToolbar
          filter={filter}
          counts={counts}
          sort={sort}
          descending={descending}
          onChange={change}
          onSort={sortBy}
        />
        {shown.length === 0 ? (
          <p className="border-t border-line px-[14px] py-6 text-fg-2">
            No topic matches.{" "}
            <button
              type="button"
              className="link"
              onClick={() => change({ group: "all", cause: null, clusterId: null, query: "" })}
            >
              Show all {formatCount(overview.total)}
            </button>
          </p>
        ) : (
          <TopicTable
            items={shown}
            sort={sort}
            descending={descending}
            onSort={sortBy}
            choiceKey={JSON.stringify([filter, sort, descending])}
          />
        )}
        <div className="border-t border-line px-[14px] pt-2 pb-[10px]">
          <LogLegend />
        </div>
      </section>
      <div className="flex flex-wrap gap-x-3 gap-y-1 pt-2 text-second text-fg-3">
        <span role="status">
          {items.length < overview.total
            ? "The others are being read…"
            : `${formatCount(shown.length)} of ${formatCount(overview.total)} shown`}
        </span>
        <span className="ml-auto flex gap-x-3 max-wide:hidden">
          <Key name="j k">move</Key>
          <Key name="↵">open</Key>
          <Key name="/">filter</Key>
        </span>
      </div>
    </>
  );
}

function Key({ name, children }: { name: string; children: string }) {
  return (
    <span>
      {name.split(" ").map((key) => (
        <kbd key={key} className="mr-1 rounded-chip border border-line-2 px-1 text-note leading-4 text-fg-3">
          {key}
        </kbd>
      ))}
      {children}
    </span>
  );
}
