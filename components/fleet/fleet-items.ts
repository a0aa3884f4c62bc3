/** From the fleet's rows to what the table lists, filters and sorts. Pure. */
import type { FleetRow, FleetView } from "#lib/topics/fleet-view.ts";
import { judgeTopic, type Standing, type StandingId, type StateKind } from "#lib/topics/standing.ts";

export interface FleetItem {
  /** Unique over clusters: a cluster's id is a slug, without a slash. */
  id: string;
  row: FleetRow;
  standing: Standing;
  /** Its cluster does not answer: what is shown is as of its last poll. */
  stale: boolean;
}

export type FleetGroup = "all" | "attention" | "unknown";

export interface FleetFilter {
  group: FleetGroup;
  cause: StandingId | null;
  clusterId: string | null;
  query: string;
}

const ATTENTION: ReadonlySet<StateKind> = new Set<StateKind>(["broken", "watch"]);
const RANK: Record<StateKind, number> = { broken: 0, watch: 1, run: 2, unknown: 3, ok: 4 };

export function listItems({ clusters, rows }: Pick<FleetView, "clusters" | "rows">): FleetItem[] {
  const live = new Set(clusters.filter((cluster) => cluster.state === "live").map((cluster) => cluster.id));
  return rows.map((row) => ({
    id: `${row.clusterId}/${row.topic}`,
    row,
    standing: judgeRow(row),
    stale: !live.has(row.clusterId),
  }));
}

function judgeRow(row: FleetRow): Standing {
  return judgeTopic({
    cleanupPolicy: row.cleanupPolicy,
    partitions: row.worst === null ? [] : [row.worst],
    nullKeyRecords: row.worst?.nullKeyRecords?.exact ? row.worst.nullKeyRecords.value : null,
    dirtyRatioLimit: row.dirtyRatioLimit,
    retentionDeletes: null,
    unmeasuredReason: row.note,
  });
}

const needsAttention = (item: FleetItem): boolean => ATTENTION.has(item.standing.state);
const isUnknown = (item: FleetItem): boolean => item.standing.state === "unknown";

export function filterItems(items: readonly FleetItem[], filter: FleetFilter): FleetItem[] {
  const words = filter.query.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter((item) => {
    if (filter.group === "attention" && !needsAttention(item)) return false;
    if (filter.group === "unknown" && !isUnknown(item)) return false;
    if (filter.cause !== null && item.standing.id !== filter.cause) return false;
    if (filter.clusterId !== null && item.row.clusterId !== filter.clusterId) return false;
    if (words.length === 0) return true;
    const text = `${item.id} ${item.standing.word} ${item.row.cleanupPolicy}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export type FleetSort = "attention" | "topic" | "kept" | "removable" | "ratio" | "measured";

/** Ascending order of a column; what is not known comes last in both directions (null). */
export const SORT_VALUES: Record<FleetSort, (item: FleetItem) => number | string | null> = {
  attention: ({ standing }) => RANK[standing.state],
  topic: ({ row }) => row.topic,
  kept: ({ row }) => row.kept?.estimate.value ?? null,
  removable: ({ row }) => row.removableShare?.estimate.value ?? row.removableShare?.estimate.low ?? null,
  ratio: ({ row }) => row.dirtyRatio?.estimate.value ?? row.dirtyRatio?.estimate.low ?? null,
  measured: ({ row }) => row.measuredAt,
};

function countStates(items: readonly FleetItem[]): Record<StateKind, number> {
  const counts: Record<StateKind, number> = { ok: 0, watch: 0, broken: 0, unknown: 0, run: 0 };
  for (const { standing } of items) counts[standing.state] += 1;
  return counts;
}

export interface CauseCount {
  id: StandingId;
  word: string;
  state: StateKind;
  count: number;
}

/** What stands out and why, the most frequent first; what is well is no cause. */
function countCauses(items: readonly FleetItem[]): CauseCount[] {
  const causes = new Map<StandingId, CauseCount>();
  for (const { standing } of items) {
    if (standing.state === "ok") continue;
    const cause = causes.get(standing.id);
    if (cause === undefined)
      causes.set(standing.id, { id: standing.id, word: standing.word, state: standing.state, count: 1 });
    else {
      cause.count += 1;
      if (RANK[standing.state] < RANK[cause.state]) cause.state = standing.state;
    }
  }
  return [...causes.values()].sort((a, b) => RANK[a.state] - RANK[b.state] || b.count - a.count);
}

/** What the fleet adds up to; it is made of all rows even where only the first ones came with the page. */
export interface FleetOverview {
  total: number;
  states: Record<StateKind, number>;
  causes: CauseCount[];
  neverMeasured: number;
  /** When the topic was measured that waits longest, milliseconds since the epoch; null where none was. */
  oldestAt: number | null;
}

export function summarizeItems(items: readonly FleetItem[]): FleetOverview {
  const times = items.map((item) => item.row.measuredAt).filter((at) => at !== null);
  return {
    total: items.length,
    states: countStates(items),
    causes: countCauses(items),
    neverMeasured: items.length - times.length,
    oldestAt: times.length === 0 ? null : times.reduce((oldest, at) => Math.min(oldest, at)),
  };
}
