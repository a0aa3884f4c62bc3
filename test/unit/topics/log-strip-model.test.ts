import { describe, expect, it } from "vitest";
import { modelLogStrip, type StripModel, type StripOptions } from "#components/topics/log-strip-model.ts";
import { aPartition, between } from "#test/support/view-fixtures.ts";

const BY_BYTES: StripOptions = { scale: "bytes", columns: 40, dirtyRatioLimit: 0.5 };
const BY_OFFSETS: StripOptions = { ...BY_BYTES, scale: "offsets" };

const partsOf = (model: StripModel): [string, number, number][] =>
  model.parts.map((part) => [part.kind, Number(part.from.toFixed(3)), Number(part.to.toFixed(3))]);

describe("modelLogStrip by bytes", () => {
  it("gives each part its share of the bytes", () => {
    const model = modelLogStrip(aPartition({ clean: 0.7, cleanable: 0.16, active: 0.14 }), BY_BYTES);
    expect(partsOf(model)).toEqual([
      ["clean", 0, 0.7],
      ["dirty", 0.7, 0.86],
      ["active", 0.86, 1],
    ]);
    expect(model.cleanPoint).toBeCloseTo(0.7);
    expect(model.fades).toEqual([]);
    expect(model.lastStable).toBeNull();
  });

  it("marks where the cleanable section must begin for the ratio to reach the limit", () => {
    const model = modelLogStrip(aPartition({ clean: 0.7, cleanable: 0.1, active: 0.2 }), BY_BYTES);
    expect(model.due).toBeCloseTo(0.4);
    expect(modelLogStrip(aPartition(), { ...BY_BYTES, dirtyRatioLimit: null }).due).toBeNull();
  });

  it("shows what an open transaction holds, up to the active segment", () => {
    const held = aPartition({
      clean: 0.3,
      cleanable: 0.02,
      active: 0.1,
      cleanTo: 0.5,
      heldFrom: 0.51,
      activeFrom: 0.9,
    });
    const model = modelLogStrip(held, BY_BYTES);
    expect(partsOf(model)).toEqual([
      ["clean", 0, 0.3],
      ["dirty", 0.3, 0.32],
      ["held", 0.32, 0.9],
      ["active", 0.9, 1],
    ]);
    expect(model.lastStable).toBeCloseTo(0.32);
  });

  it("calls what is neither cleanable nor held too young", () => {
    const young = aPartition({ clean: 0.4, cleanable: 0, active: 0.1, cleanTo: 0.4, activeFrom: 0.9 });
    const shape = young.shape!;
    const lag = { ...young, shape: { ...shape, firstUncleanableOffset: young.cleanPoint! } };
    expect(partsOf(modelLogStrip(lag, BY_BYTES))).toEqual([
      ["clean", 0, 0.4],
      ["young", 0.4, 0.9],
      ["active", 0.9, 1],
    ]);
  });

  it("fades the interval of a clean point that is not exact", () => {
    const open = aPartition({ clean: 0.4, cleanable: 0.5, active: 0.1, cleanTo: [0.3, 0.7] });
    const model = modelLogStrip(open, BY_BYTES);
    expect(model.fades).toHaveLength(1);
    expect(model.fades[0]?.from).toBeCloseTo(0.4);
    expect(model.fades[0]?.to).toBeCloseTo(0.7);
  });

  it("falls back to offsets, and says so, where a size is not known", () => {
    expect(modelLogStrip({ ...aPartition(), bytes: null }, BY_BYTES).scale).toBe("offsets");
    expect(modelLogStrip(aPartition(), BY_BYTES).scale).toBe("bytes");
  });

  it("keeps every part within the bar and in order when sizes contradict each other", () => {
    const partition = aPartition({ clean: 0.9, cleanable: 0.4, active: 0.3 });
    const { parts } = modelLogStrip(partition, BY_BYTES);
    let end = 0;
    for (const part of parts) {
      expect(part.from).toBeCloseTo(end);
      expect(part.to).toBeGreaterThan(part.from);
      end = part.to;
    }
    expect(end).toBe(1);
  });
});

describe("modelLogStrip by offsets", () => {
  it("folds a clean section that would hide the rest", () => {
    const model = modelLogStrip(aPartition({ cleanTo: 0.95, activeFrom: 0.99 }), BY_OFFSETS);
    expect(model.cleanPoint).toBeCloseTo(0.75);
    expect(model.fold).toBeCloseTo(0.375);
    expect(model.positions.find((position) => position.id === "active-segment")?.at).toBeCloseTo(0.95);
  });

  it("folds nothing where the clean section takes half", () => {
    const model = modelLogStrip(aPartition({ cleanTo: 0.5, activeFrom: 0.9 }), BY_OFFSETS);
    expect(model.fold).toBeNull();
    expect(model.cleanPoint).toBeCloseTo(0.5);
  });
});

describe("columns", () => {
  it("are as many as fit the clean part, and carry the shares of their offsets", () => {
    const { kept } = modelLogStrip(
      aPartition({ clean: 0.5, cleanable: 0.3, active: 0.2, density: [0.1, 0.1] }),
      BY_BYTES,
    );
    expect(kept).toHaveLength(20);
  });

  it("leave a gap where no window looked", () => {
    const partition = aPartition({ cleanTo: 0.5, activeFrom: 0.9 });
    const shape = {
      ...partition.shape!,
      kept: partition.shape!.kept.map((column, i) => (i < 20 ? column : { ...column, share: null })),
    };
    const { kept } = modelLogStrip({ ...partition, shape }, BY_OFFSETS);
    expect(kept[0]).toBeGreaterThan(0);
    expect(kept.at(-1)).toBeNull();
  });
});

describe("what can't be drawn", () => {
  it("draws nothing for an empty log", () => {
    const model = modelLogStrip(aPartition({ logEnd: 0, bytes: 0 }), BY_BYTES);
    expect(model.empty).toBe(true);
    expect(model.parts).toEqual([]);
  });

  it("draws one unknown part, with the positions that are known, without a shape", () => {
    const model = modelLogStrip({ ...aPartition(), shape: null }, BY_BYTES);
    expect(partsOf(model)).toEqual([["unknown", 0, 1]]);
    expect(model.positions.map((position) => position.id)).toEqual([
      "log-start",
      "clean-point",
      "active-segment",
      "log-end",
    ]);
  });

  it("draws an unknown part where the clean point is not known", () => {
    const model = modelLogStrip({ ...aPartition(), cleanPoint: null }, BY_BYTES);
    expect(model.parts[0]?.kind).toBe("unknown");
    expect(model.cleanPoint).toBeNull();
  });

  it("survives bounds that are all that is known", () => {
    const partition = aPartition();
    const shape = {
      ...partition.shape!,
      cleanBytes: between(0, 1e9),
      cleanableBytes: between(0, 1e9),
      activeBytes: null,
    };
    const model = modelLogStrip({ ...partition, shape }, BY_BYTES);
    expect(model.parts.every((part) => part.from >= 0 && part.to <= 1 && Number.isFinite(part.to))).toBe(true);
  });
});
