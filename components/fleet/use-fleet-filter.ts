"use client";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo } from "react";
import type { FleetFilter, FleetSort } from "#components/fleet/fleet-items.ts";
import type { StandingId } from "#lib/topics/standing.ts";

const PARSERS = {
  view: parseAsStringLiteral(["all", "attention", "unknown"] as const).withDefault("all"),
  cause: parseAsString,
  cluster: parseAsString,
  q: parseAsString.withDefault(""),
  sort: parseAsStringLiteral([
    "attention",
    "topic",
    "kept",
    "removable",
    "ratio",
    "measured",
  ] as const satisfies readonly FleetSort[]).withDefault("attention"),
  order: parseAsStringLiteral(["asc", "desc"] as const).withDefault("asc"),
};

export interface FleetChoice {
  filter: FleetFilter;
  sort: FleetSort;
  descending: boolean;
  change: (filter: Partial<FleetFilter>) => void;
  sortBy: (sort: FleetSort, descending: boolean) => void;
}

/** What is filtered and sorted stands in the address, so that it can be shared and survives the way back. */
export function useFleetFilter(): FleetChoice {
  const [state, setState] = useQueryStates(PARSERS, { history: "replace", shallow: true });
  const filter = useMemo(
    () => ({ group: state.view, cause: state.cause as StandingId | null, clusterId: state.cluster, query: state.q }),
    [state.view, state.cause, state.cluster, state.q],
  );
  return {
    filter,
    sort: state.sort,
    descending: state.order === "desc",
    change: (next) => {
      const { group, cause, clusterId, query } = { ...filter, ...next };
      void setState({ view: group, cause, cluster: clusterId, q: query });
    },
    sortBy: (sort, descending) => void setState({ sort, order: descending ? "desc" : "asc" }),
  };
}
