/** Holds measurements against the disk, criterion by criterion. Pure. */
import type { Estimate } from "#lib/compaction/measurement.ts";
import { COUNT_NAMES, cleanPointRange, equals, holds, type Mode, type TruthCase } from "./truth-case.ts";

export interface Criterion {
  name: string;
  required: string;
  observed: string;
  isMet: boolean;
  /** The partitions that miss it, each with measured and true figures. */
  misses: string[];
}

const KEPT_LARGE_ENOUGH_TO_SAMPLE = 10_000;

const describe = (estimate: Estimate | null): string =>
  estimate === null
    ? "null"
    : `${estimate.value ?? "?"} [${estimate.low}, ${estimate.high}]${estimate.exact ? " exact" : ""}`;

/** @param judge null where the partition passes, else what is wrong */
function shareOf(
  name: string,
  required: number,
  cases: readonly TruthCase[],
  judge: (one: TruthCase) => string | null,
): Criterion {
  const misses = cases.flatMap((one) => {
    const wrong = judge(one);
    return wrong === null ? [] : [`${one.name}: ${wrong}`];
  });
  const passed = cases.length - misses.length;
  return {
    name,
    required: required === 1 ? "all" : `${required * 100} %`,
    observed: `${passed} of ${cases.length}`,
    // Nothing looked at is nothing proved.
    isMet: cases.length > 0 && passed >= required * cases.length,
    misses,
  };
}

function atMost(name: string, limit: number, observed: number, misses: string[] = []): Criterion {
  return { name, required: `<= ${limit}`, observed: String(Math.round(observed)), isMet: observed <= limit, misses };
}

export function median(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export const judgeScanCounts = (cases: readonly TruthCase[]): Criterion =>
  shareOf("scan: every count exact", 1, cases, (one) => {
    for (const name of COUNT_NAMES) {
      const estimate = one.scan[name];
      const truths = [one.counts.old[name], one.counts.now[name]];
      if (estimate === null || !estimate.exact || !equals(estimate, truths))
        return `${name} ${describe(estimate)}, true ${truths[0]}`;
    }
    if (one.heldRecords !== null && one.scan.heldRecords !== one.heldRecords)
      return `heldRecords ${one.scan.heldRecords}, true ${one.heldRecords}`;
    return null;
  });

export const judgeCleanPointHeld = (cases: readonly TruthCase[], mode: Mode): Criterion =>
  shareOf(`${mode}: bracket holds the clean point`, 1, cases, (one) => {
    const bracket = one[mode].cleanPoint;
    const truth = cleanPointRange(one);
    if (bracket === null) return `no bracket, true ${truth.low}`;
    if (bracket.low > bracket.high) return `bracket [${bracket.low}, ${bracket.high}] is inverted`;
    return bracket.low <= truth.high && bracket.high >= truth.low
      ? null
      : `[${bracket.low}, ${bracket.high}], true ${truth.low}..${truth.high}`;
  });

export const judgeCleanPointExact = (cases: readonly TruthCase[], mode: Mode): Criterion =>
  shareOf(
    `${mode}: clean point exact, where something was rewritten`,
    0.9,
    cases.filter(({ expect }) => expect.rewrites),
    (one) => {
      const bracket = one[mode].cleanPoint;
      const truth = cleanPointRange(one);
      return bracket !== null && bracket.low === bracket.high && bracket.low >= truth.low && bracket.low <= truth.high
        ? null
        : `[${bracket?.low}, ${bracket?.high}], true ${truth.low}`;
    },
  );

export const judgeActiveSegment = (cases: readonly TruthCase[], mode: Mode): Criterion =>
  shareOf(`${mode}: interval holds the active segment's base`, 1, cases, (one) => {
    const base = one[mode].activeSegmentBase;
    if (base === null) {
      const said = one[mode].warnings.some(({ code }) => code === "active-segment-not-reached");
      return said ? null : "null without a warning";
    }
    const truths = [one.old.active_segment_base, one.now.active_segment_base];
    return truths.some((truth) => base.low <= truth && truth <= base.high)
      ? null
      : `[${base.low}, ${base.high}], true ${truths[0]}`;
  });

/** Where the clean point is not exact nobody outside can know the ratio: an interval has to hold it then. */
function judgeRatio(one: TruthCase, mode: Mode): string | null {
  const ratio = one[mode].dirtyRatio;
  const truths = [one.old.dirty_ratio, one.now.dirty_ratio];
  if (ratio !== null && ratio.value !== null && truths.some((truth) => Math.abs(ratio.value! - truth) <= 0.02))
    return null;
  const bracket = one[mode].cleanPoint;
  const unknowable = one.expect.ratio === "interval" || bracket === null || bracket.low < bracket.high;
  if (unknowable && ratio !== null && !ratio.exact && holds(ratio, truths)) return null;
  return `${describe(ratio)}, true ${truths[0]}`;
}

export const judgeRatios = (cases: readonly TruthCase[], mode: Mode): Criterion =>
  shareOf(
    `${mode}: cleaner ratio within 0.02, or held by an interval where it can't be known`,
    0.95,
    cases.filter(({ expect }) => expect.ratio !== "lag"),
    (one) => judgeRatio(one, mode),
  );

/** Whatever is called exact, in either mode, has to be. */
export const judgeExactness = (cases: readonly TruthCase[]): Criterion =>
  shareOf("nothing is called exact that is not", 1, cases, (one) => {
    for (const mode of ["probe", "scan"] as const) {
      for (const name of COUNT_NAMES) {
        const estimate = one[mode][name];
        if (estimate?.exact && !equals(estimate, [one.counts.old[name], one.counts.now[name]]))
          return `${mode} ${name} ${describe(estimate)}, true ${one.counts.old[name]}`;
      }
      const ratio = one[mode].dirtyRatio;
      if (one.expect.ratio !== "lag" && ratio?.exact && !equals(ratio, [one.old.dirty_ratio, one.now.dirty_ratio]))
        return `${mode} dirtyRatio ${describe(ratio)}, true ${one.old.dirty_ratio}`;
    }
    return null;
  });

export const judgeKeptHeld = (cases: readonly TruthCase[]): Criterion =>
  shareOf("probe: interval holds the records kept", 0.9, cases, (one) => {
    const kept = one.probe.retainedRecords;
    const truths = [one.counts.old.retainedRecords, one.counts.now.retainedRecords];
    return kept !== null && holds(kept, truths) ? null : `${describe(kept)}, true ${truths[0]}`;
  });

export const judgeKeptWidth = (cases: readonly TruthCase[]): Criterion =>
  shareOf(
    `probe: records kept above ${KEPT_LARGE_ENOUGH_TO_SAMPLE} within 20 % of the value, or the budget ended`,
    1,
    cases.filter(({ counts }) => counts.now.retainedRecords > KEPT_LARGE_ENOUGH_TO_SAMPLE),
    (one) => {
      const kept = one.probe.retainedRecords;
      if (kept !== null && kept.value !== null && kept.high - kept.low <= 0.2 * kept.value) return null;
      return one.probe.warnings.some(({ code }) => code === "budget-ended") ? null : describe(kept);
    },
  );

export const judgeBracketWidth = (cases: readonly TruthCase[]): Criterion =>
  shareOf("probe: bracket at most 2 batches and 10 % of the span wider than the scan's", 0.9, cases, (one) => {
    const [probe, scan] = [one.probe.cleanPoint, one.scan.cleanPoint];
    if (probe === null || scan === null) return "no bracket";
    const allowed = scan.high - scan.low + 2 * one.widestBatchOffsets + 0.1 * one.probe.offsetSpan;
    return probe.high - probe.low <= allowed
      ? null
      : `${probe.high - probe.low} offsets, allowed ${Math.round(allowed)}`;
  });

const MIB = 1024 * 1024;

/** Bytes that a probe of one replica may take. */
const allowedBytes = (one: TruthCase): number =>
  8 * MIB + (one.largestBatchBytes > 128 * 1024 ? 6 * one.largestBatchBytes : 0);

const replicasProbed = (one: TruthCase): number =>
  Math.max(1, one.probe.replicas?.filter(({ cleanPoint }) => cleanPoint !== null).length ?? 1);

export function judgeCost(cases: readonly TruthCase[]): Criterion[] {
  const positions = cases.flatMap(({ probe }) => (probe.positionCost ? [probe.positionCost] : []));
  return [
    shareOf("probe: says what the position cost", 1, cases, ({ probe }) => (probe.positionCost ? null : "it does not")),
    atMost("probe: fetches for the position, median", 10, median(positions.map(({ fetches }) => fetches))),
    atMost(
      "probe: bytes for the position, median",
      1_000_000,
      median(positions.map(({ fetchedBytes }) => fetchedBytes)),
    ),
    shareOf("probe: at most 40 fetches for the position", 1, cases, ({ probe }) =>
      probe.positionCost && probe.positionCost.fetches > 40 ? `${probe.positionCost.fetches}` : null,
    ),
    shareOf("probe: at most 40 windows for records kept", 1, cases, (one) => {
      // What the followers took can't be told from the windows.
      const windows = replicasProbed(one) > 1 ? 0 : one.probe.fetches - (one.probe.positionCost?.fetches ?? 0);
      return windows > 40 ? `${windows}` : null;
    }),
    shareOf("probe: at most 80 fetches a replica in all", 1, cases, (one) =>
      one.probe.fetches > 80 * replicasProbed(one) ? `${one.probe.fetches}` : null,
    ),
    shareOf("probe: at most 8 MiB a replica in all (and 6 large batches)", 1, cases, (one) =>
      one.probe.fetchedBytes > allowedBytes(one) * replicasProbed(one) ? `${one.probe.fetchedBytes} bytes` : null,
    ),
  ];
}

/** Every criterion, over all partitions at once. */
export const judge = (cases: readonly TruthCase[]): Criterion[] => [
  judgeScanCounts(cases),
  ...(["probe", "scan"] as const).flatMap((mode) => [
    judgeCleanPointHeld(cases, mode),
    judgeCleanPointExact(cases, mode),
    judgeActiveSegment(cases, mode),
    judgeRatios(cases, mode),
  ]),
  judgeExactness(cases),
  judgeKeptHeld(cases),
  judgeKeptWidth(cases),
  judgeBracketWidth(cases),
  ...judgeCost(cases),
];

const MISSES_SHOWN = 8;

export function formatReport(title: string, criteria: readonly Criterion[]): string {
  const width = Math.max(...criteria.map(({ name }) => name.length));
  const lines = criteria.flatMap(({ name, required, observed, isMet, misses }) => [
    `${isMet ? "met   " : "MISSED"} ${name.padEnd(width)}  ${observed.padStart(12)}  (${required})`,
    ...misses.slice(0, MISSES_SHOWN).map((miss) => `         ${miss}`),
    ...(misses.length > MISSES_SHOWN ? [`         and ${misses.length - MISSES_SHOWN} more`] : []),
  ]);
  return [title, ...lines].join("\n");
}
