import { describe, expect, it } from "vitest";
import { exactly } from "#lib/compaction/measurement.ts";
import { judgePartition, judgeTopic, orderByStanding, type StandingInput } from "#lib/topics/standing.ts";
import { aPartition, between } from "#test/support/view-fixtures.ts";

const input = (overrides: Partial<StandingInput> = {}): StandingInput => ({
  cleanupPolicy: "compact",
  partitions: [aPartition()],
  nullKeyRecords: null,
  dirtyRatioLimit: 0.5,
  retentionDeletes: null,
  unmeasuredReason: null,
  ...overrides,
});

const ALL_ACTIVE = { logEnd: 61_300, clean: 0, cleanable: 0, active: 1, cleanTo: 0, activeFrom: 0 } as const;

describe("judgeTopic", () => {
  it("never says more than that it is compacting where all is well", () => {
    const { id, state, word } = judgeTopic(input());
    expect([id, state, word]).toEqual(["compacting", "ok", "Compacting"]);
  });

  it("says not measured, with the reason that is known, before any measurement", () => {
    const found = judgeTopic(input({ partitions: [], unmeasuredReason: "Read on the topic is missing." }));
    expect([found.id, found.state, found.why]).toEqual(["not-measured", "unknown", "Read on the topic is missing."]);
  });

  it("names the worst partition, not the first", () => {
    const held = aPartition({ partition: 3, cleanTo: 0.5, heldFrom: 0.6, activeFrom: 0.95 });
    const found = judgeTopic(input({ partitions: [aPartition(), held] }));
    expect([found.id, found.partition]).toEqual(["held", 3]);
  });

  it("names a held partition, then one that never rolled, before any with a high ratio", () => {
    const due = aPartition({ partition: 0, clean: 0.3, cleanable: 0.6, active: 0.1, cleanTo: 0.6, activeFrom: 0.95 });
    const neverRolled = aPartition({ ...ALL_ACTIVE, partition: 1 }, { removableShare: exactly(0.98) });
    const held = aPartition({ partition: 2, cleanTo: 0.5, heldFrom: 0.6, activeFrom: 0.95 });
    const order = (partitions: (typeof due)[]) => orderByStanding(partitions, 0.5).map(({ partition }) => partition);
    expect(order([due, neverRolled, held])).toEqual([2, 1, 0]);
    expect(judgeTopic(input({ partitions: [due, neverRolled, held] })).partition).toBe(2);
    expect(judgeTopic(input({ partitions: [due, neverRolled] })).partition).toBe(1);
  });

  it("names of two partitions that stand alike the one with the higher ratio", () => {
    const low = aPartition({ partition: 0 }, { dirtyRatio: exactly(0.1) });
    const high = aPartition({ partition: 1 }, { dirtyRatio: exactly(0.3) });
    expect(judgeTopic(input({ partitions: [low, high] })).partition).toBe(1);
  });

  it("calls compact,delete broken only once a log no longer starts at 0", () => {
    const policy = { cleanupPolicy: "compact,delete" };
    expect(judgeTopic(input(policy)).state).toBe("watch");
    const gone = judgeTopic(input({ ...policy, partitions: [aPartition({ logStart: 500 })] }));
    expect([gone.id, gone.state]).toEqual(["also-deletes", "broken"]);
    expect(judgeTopic(input({ ...policy, retentionDeletes: false })).why).toContain("no limit");
  });

  it("counts records without a key only where somebody counted them", () => {
    expect(judgeTopic(input({ nullKeyRecords: 4112 })).sentence).toBe("4\u202f112 records have no key.");
    expect(judgeTopic(input({ nullKeyRecords: 0 })).id).toBe("compacting");
  });
});

describe("judgePartition", () => {
  it("tells an open transaction that holds back much from one that is merely open", () => {
    expect(judgePartition(aPartition({ cleanTo: 0.5, heldFrom: 0.6, activeFrom: 0.95 }), 0.5).id).toBe("held");
    expect(judgePartition(aPartition({ heldFrom: 0.99, activeFrom: 0.985 }), 0.5).id).toBe("compacting");
  });

  it("says never rolled only where much is known to be removable", () => {
    const known = aPartition(ALL_ACTIVE, { removableShare: exactly(0.98) });
    expect([judgePartition(known, 0.5).id, judgePartition(known, 0.5).state]).toEqual(["never-rolled", "watch"]);
    const unknown = aPartition(ALL_ACTIVE, { removableShare: between(0, 1) });
    expect([judgePartition(unknown, 0.5).id, judgePartition(unknown, 0.5).state]).toEqual([
      "nothing-cleaned",
      "unknown",
    ]);
  });

  it("says due only where even the lower bound of the ratio is over the limit", () => {
    const over = { clean: 0.38, cleanable: 0.52, active: 0.1, cleanTo: 0.6, activeFrom: 0.95 } as const;
    expect(judgePartition(aPartition(over), 0.5).id).toBe("due");
    expect(judgePartition(aPartition(over, { dirtyRatio: between(0.3, 0.6) }), 0.5).id).toBe("compacting");
    expect(judgePartition(aPartition(over), null).id).toBe("compacting");
  });

  it.each([
    ["quarantined", "replica-quarantined"],
    ["cleaner-off", "replica-cleaner-off"],
    ["behind", "replica-behind"],
  ] as const)("names the broker of a replica that is %s", (state, id) => {
    const replicas = [{ brokerId: 4, leader: false, bytes: 9e8, cleanPoint: null, state }];
    const found = judgePartition(aPartition({}, { replicas }), 0.5);
    expect([found.id, found.brokerId]).toEqual([id, 4]);
    expect(found.sentence).toContain("roker 4");
  });

  it("does not guess where the clean point is open or not known", () => {
    const open = aPartition({ cleanTo: [0, 0.85], activeFrom: 0.86 }, { dirtyRatio: between(0, 1) });
    expect([judgePartition(open, 0.5).id, judgePartition(open, 0.5).state]).toEqual(["clean-point-open", "unknown"]);
    const warning = { code: "budget-ended", message: "The budget ended." } as const;
    const found = judgePartition(aPartition({}, { cleanPoint: null, warnings: [warning] }), 0.5);
    expect([found.state, found.why]).toEqual(["unknown", "The budget ended."]);
  });

  it("tells an empty log, one being cleaned, one never cleaned and a foreign system apart", () => {
    const empty = aPartition({ logEnd: 0, bytes: 0, clean: 0, cleanable: 0, active: 0, cleanTo: 0, activeFrom: 0 });
    const warn = (code: "cleaning-in-progress" | "not-on-this-system") => [{ code, message: "m" }];
    const never = aPartition(
      { clean: 0, cleanable: 0.5, active: 0.5, cleanTo: 0, activeFrom: 0.5 },
      { dirtyRatio: exactly(0.4) },
    );
    expect(judgePartition(empty, 0.5).id).toBe("empty");
    expect(judgePartition(aPartition({}, { warnings: warn("cleaning-in-progress") }), 0.5).id).toBe("cleaning");
    expect(judgePartition(aPartition({}, { warnings: warn("not-on-this-system") }), 0.5).id).toBe("not-on-this-system");
    expect(judgePartition(never, 0.5).id).toBe("nothing-cleaned");
  });
});
