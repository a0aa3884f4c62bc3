import { describe, expect, it } from "vitest";
import { firstRows } from "#components/fleet/first-rows.ts";
import { filterItems, listItems, SORT_VALUES, summarizeItems } from "#components/fleet/fleet-items.ts";
import { sayFleet } from "#components/fleet/fleet-sentence.ts";
import { keepOrder } from "#components/fleet/steady-order.ts";
import { aCluster, aFleetRow, aLargeFleet, FLEET } from "#test/support/view-fixtures.ts";

const ALL = { group: "all", cause: null, clusterId: null, query: "" } as const;
const items = listItems(FLEET);

describe("listItems", () => {
  it("marks what belongs to a cluster that does not answer", () => {
    const stale = items.filter((item) => item.stale).map((item) => item.row.clusterId);
    expect(new Set(stale)).toEqual(new Set(["stage-eu1"]));
  });

  it("tells topics of the same name on two clusters apart", () => {
    const rows = [aFleetRow(), aFleetRow({ clusterId: "prod-us1" })];
    expect(new Set(listItems({ clusters: [], rows }).map((item) => item.id)).size).toBe(2);
  });
});

describe("filterItems", () => {
  it("finds by any part of topic, cluster and cause, all words together", () => {
    const found = filterItems(items, { ...ALL, query: "PROD-AP1 never" });
    expect(found.map((item) => item.row.topic)).toEqual(["platform.feature-flags"]);
  });

  it("takes a query as text, never as a pattern", () => {
    expect(filterItems(items, { ...ALL, query: ".*" })).toEqual([]);
    expect(filterItems(items, { ...ALL, query: "<img" })).toHaveLength(1);
  });

  it("narrows to one group, one cause, one cluster", () => {
    const attention = filterItems(items, { ...ALL, group: "attention" });
    expect(attention.every((item) => ["watch", "broken"].includes(item.standing.state))).toBe(true);
    expect(filterItems(items, { ...ALL, cause: "held" }).map((item) => item.standing.id)).toEqual(["held"]);
    expect(filterItems(items, { ...ALL, clusterId: "stage-eu1" })).toHaveLength(2);
  });
});

describe("sorting", () => {
  it("has no value, rather than zero, for what is not known", () => {
    const unmeasured = items.find((item) => item.row.topic === "geo.zone");
    for (const sort of ["kept", "removable", "ratio", "measured"] as const) {
      expect(unmeasured && SORT_VALUES[sort](unmeasured)).toBeNull();
    }
  });
});

describe("keepOrder", () => {
  const of = (...ids: string[]) => ids.map((id) => ({ id }));

  it("keeps rows where they are and says how many would move", () => {
    const kept = keepOrder(["a", "b", "c"], of("c", "a", "b"));
    expect(kept.items.map((item) => item.id)).toEqual(["a", "b", "c"]);
    expect(kept.movedCount).toBe(3);
  });

  it("drops rows that are gone and puts new ones last", () => {
    const kept = keepOrder(["a", "b", "c"], of("new", "c", "a"));
    expect(kept.items.map((item) => item.id)).toEqual(["a", "c", "new"]);
  });

  it("says nothing where nothing would move", () => {
    expect(keepOrder(["a", "b"], of("a", "b")).movedCount).toBe(0);
  });
});

describe("firstRows", () => {
  it("sends a small fleet whole", () => {
    expect(firstRows(FLEET)).toEqual({ initial: FLEET, overview: null });
  });

  it("sends of a large fleet what is seen first, and sums of all of it", () => {
    const { initial, overview } = firstRows(aLargeFleet(2000));
    expect(initial.rows.length).toBeLessThan(100);
    expect(overview?.total).toBe(2000);
    const first = listItems(initial).map((item) => SORT_VALUES.attention(item));
    expect(first).toEqual([...first].sort());
  });
});

describe("sayFleet", () => {
  const say = (view: Parameters<typeof listItems>[0]) => sayFleet(view.clusters, summarizeItems(listItems(view)));

  it("counts what needs attention first", () => {
    expect(say(FLEET).title).toBe("5 of 15 compacted topics need attention");
  });

  it("claims no more than that nothing stands out, and leaves out what is not known", () => {
    const rows = [aFleetRow(), aFleetRow({ topic: "b", worst: null })];
    expect(say({ clusters: [aCluster()], rows }).title).toBe("Nothing stands out in 1 of 2 compacted topics");
    expect(say({ clusters: [aCluster()], rows: rows.slice(1) }).title).toContain("has been measured");
  });

  it("tells apart: no cluster, none reached, no compacted topic", () => {
    const never = aCluster({ state: "never" });
    expect(say({ clusters: [], rows: [] }).title).toBe("No cluster is configured");
    expect(say({ clusters: [never], rows: [] }).title).toBe("The cluster has not been reached yet");
    expect(say({ clusters: [never, aCluster()], rows: [] }).title).toBe("No compacted topic");
  });
});
