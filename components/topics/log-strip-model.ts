/**
 * From a measurement to what the log strip draws: parts and marks as shares of the bar, 0 at the log start and 1 at the
 * log end. Pure; `log-strip.tsx` turns it into SVG.
 */
import type {
  Estimate,
  KeptColumn,
  LogShape,
  OffsetInterval,
  PartitionMeasurement,
} from "#lib/compaction/measurement.ts";

export type StripScale = "bytes" | "offsets";

/** `young`: after the clean section and not yet cleanable, but for no transaction (`min.compaction.lag.ms`). */
export type StripPartKind = "clean" | "dirty" | "young" | "held" | "active" | "unknown";

export interface StripPart {
  kind: StripPartKind;
  from: number;
  to: number;
}

/** A position of the log, in offsets and on the bar. */
export interface StripPosition {
  id: "log-start" | "clean-point" | "first-uncleanable" | "last-stable" | "active-segment" | "log-end";
  low: number;
  high: number;
  /** Place on the bar, 0 to 1. */
  at: number;
}

export interface StripModel {
  /** The scale that was drawn: bytes fall back to offsets where sizes are not known. */
  scale: StripScale;
  empty: boolean;
  parts: StripPart[];
  /** Share of offsets that still hold a record, per column of the clean part; null: no window looked there. */
  kept: (number | null)[];
  /** Stretches in which a border lies that is known as an interval only. */
  fades: { from: number; to: number }[];
  cleanPoint: number | null;
  lastStable: number | null;
  /** Where the cleanable section must begin for the cleaner to run. */
  due: number | null;
  /** Middle of a folded clean section; null where nothing is folded. */
  fold: number | null;
  positions: StripPosition[];
}

export interface StripOptions {
  scale: StripScale;
  /** Columns that fit into the whole bar, about one per 6 px. */
  columns: number;
  dirtyRatioLimit: number | null;
}

/** An interval narrower than this share of the bar is drawn as a line. */
const FADE_MIN = 0.004;
const FOLD_MIN = 0.25;
const FOLD_MAX = 0.75;

interface Anchor {
  offset: number;
  at: number;
}

/** The borders of one log on a 0 to 1 axis, with the offsets that they stand for. */
interface Borders {
  scale: StripScale;
  clean: { low: number; high: number; middle: number } | null;
  uncleanable: { low: number; high: number; middle: number };
  active: number | null;
  anchors: Anchor[];
  fold: number | null;
}

/** An interval wider than this has no middle that means anything: it is faded, and no line is drawn in it. */
const MARK_WIDTH_MAX = 0.25;

/** Where nothing is clean there is no border to mark. */
function markOf(clean: Borders["clean"]): number | null {
  if (clean === null || clean.high <= 0 || clean.high - clean.low > MARK_WIDTH_MAX) return null;
  return clean.middle;
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value));
const middleOf = (interval: OffsetInterval): number => (interval.low + interval.high) / 2;
const middleValue = (estimate: Estimate): number => estimate.value ?? (estimate.low + estimate.high) / 2;

export function modelLogStrip(measurement: PartitionMeasurement, options: StripOptions): StripModel {
  const { shape } = measurement;
  const empty = measurement.logEndOffset === measurement.logStartOffset;
  if (empty || shape === null) return modelBare(measurement, options.scale, empty);
  const borders =
    (options.scale === "bytes" ? byteBorders(measurement, shape) : null) ?? offsetBorders(measurement, shape);
  const locate = locator(borders.anchors);
  const held = shape.lastStableOffset < measurement.logEndOffset;
  const lastStable = held ? locate(shape.lastStableOffset) : null;
  const cleanEnd = borders.clean?.high ?? 0;
  return {
    scale: borders.scale,
    empty: false,
    parts: partsOf(borders, cleanEnd, lastStable),
    kept: keptColumns(measurement, shape.kept, borders, cleanEnd, options.columns),
    fades: fadesOf(borders),
    cleanPoint: markOf(borders.clean),
    lastStable,
    due: dueOf(borders, options.dirtyRatioLimit),
    fold: borders.fold,
    positions: positionsOf(measurement, shape, locate),
  };
}

function modelBare(measurement: PartitionMeasurement, scale: StripScale, empty: boolean): StripModel {
  const { logStartOffset, logEndOffset, cleanPoint, activeSegmentBase } = measurement;
  const span = Math.max(1, logEndOffset - logStartOffset);
  const locate = (offset: number): number => clamp((offset - logStartOffset) / span);
  const positions: StripPosition[] = [{ id: "log-start", low: logStartOffset, high: logStartOffset, at: 0 }];
  if (cleanPoint !== null) positions.push({ id: "clean-point", ...cleanPoint, at: locate(middleOf(cleanPoint)) });
  if (activeSegmentBase !== null) {
    positions.push({ id: "active-segment", ...activeSegmentBase, at: locate(middleOf(activeSegmentBase)) });
  }
  positions.push({ id: "log-end", low: logEndOffset, high: logEndOffset, at: 1 });
  return {
    scale,
    empty,
    parts: empty ? [] : [{ kind: "unknown", from: 0, to: 1 }],
    kept: [],
    fades: [],
    cleanPoint: null,
    lastStable: null,
    due: null,
    fold: null,
    positions,
  };
}

/** Null where a size that the scale needs is not known. */
function byteBorders(measurement: PartitionMeasurement, shape: LogShape): Borders | null {
  const { bytes, logStartOffset, logEndOffset, cleanPoint, activeSegmentBase } = measurement;
  const { cleanBytes, cleanableBytes, activeBytes } = shape;
  if (bytes === null || bytes <= 0 || cleanBytes === null || cleanableBytes === null) return null;
  const share = (value: number): number => clamp(value / bytes);
  const clean = { low: share(cleanBytes.low), high: share(cleanBytes.high), middle: share(middleValue(cleanBytes)) };
  const end = share(middleValue(cleanBytes) + middleValue(cleanableBytes));
  const uncleanable = { low: end, high: end, middle: Math.max(end, clean.high) };
  const active = activeBytes === null ? null : Math.max(uncleanable.middle, 1 - share(middleValue(activeBytes)));
  const anchors: Anchor[] = [{ offset: logStartOffset, at: 0 }];
  if (cleanPoint !== null) {
    anchors.push({ offset: cleanPoint.low, at: clean.low }, { offset: cleanPoint.high, at: clean.high });
  }
  anchors.push({ offset: middleOf(shape.firstUncleanableOffset), at: uncleanable.middle });
  if (active !== null && activeSegmentBase !== null) anchors.push({ offset: middleOf(activeSegmentBase), at: active });
  anchors.push({ offset: logEndOffset, at: 1 });
  return { scale: "bytes", clean: cleanPoint === null ? null : clean, uncleanable, active, anchors, fold: null };
}

function offsetBorders(measurement: PartitionMeasurement, shape: LogShape): Borders {
  const { logStartOffset, logEndOffset, cleanPoint, activeSegmentBase } = measurement;
  const linear = (offset: number): number => clamp((offset - logStartOffset) / (logEndOffset - logStartOffset));
  const cleanTo = cleanPoint === null ? 0 : linear(cleanPoint.high);
  const foldTo = Math.min(FOLD_MAX, Math.max(FOLD_MIN, cleanTo));
  const folds = cleanTo > 0 && cleanTo < 1 && foldTo !== cleanTo;
  const place = (offset: number): number => {
    const at = linear(offset);
    if (!folds) return at;
    return at <= cleanTo ? (at / cleanTo) * foldTo : foldTo + ((at - cleanTo) / (1 - cleanTo)) * (1 - foldTo);
  };
  const interval = (value: OffsetInterval) => ({
    low: place(value.low),
    high: place(value.high),
    middle: place(middleOf(value)),
  });
  const anchors = [{ offset: logStartOffset, at: 0 }];
  if (folds && cleanPoint !== null) anchors.push({ offset: cleanPoint.high, at: foldTo });
  anchors.push({ offset: logEndOffset, at: 1 });
  return {
    scale: "offsets",
    clean: cleanPoint === null ? null : interval(cleanPoint),
    uncleanable: interval(shape.firstUncleanableOffset),
    active: activeSegmentBase === null ? null : place(middleOf(activeSegmentBase)),
    anchors,
    fold: folds ? foldTo / 2 : null,
  };
}

/** Places an offset between the two anchors around it; anchors are in the order of the log. */
function locator(anchors: readonly Anchor[]): (offset: number) => number {
  return (offset) => {
    let before = anchors[0] ?? { offset: 0, at: 0 };
    for (const anchor of anchors) {
      if (offset <= anchor.offset) {
        const width = anchor.offset - before.offset;
        return width <= 0 ? anchor.at : before.at + ((offset - before.offset) / width) * (anchor.at - before.at);
      }
      before = anchor;
    }
    return 1;
  };
}

function partsOf(borders: Borders, cleanEnd: number, lastStable: number | null): StripPart[] {
  const cleanableEnd = Math.max(cleanEnd, borders.uncleanable.middle);
  const activeFrom = Math.max(cleanableEnd, borders.active ?? 1);
  const heldFrom = lastStable === null ? activeFrom : Math.min(activeFrom, Math.max(cleanableEnd, lastStable));
  const parts: StripPart[] =
    borders.clean === null
      ? [{ kind: "unknown", from: 0, to: cleanableEnd }]
      : [
          { kind: "clean", from: 0, to: cleanEnd },
          { kind: "dirty", from: cleanEnd, to: cleanableEnd },
        ];
  parts.push(
    { kind: "young", from: cleanableEnd, to: heldFrom },
    { kind: "held", from: heldFrom, to: activeFrom },
    { kind: "active", from: activeFrom, to: 1 },
  );
  return parts.filter((part) => part.to - part.from > 1e-9);
}

function fadesOf(borders: Borders): { from: number; to: number }[] {
  const intervals = borders.clean === null ? [borders.uncleanable] : [borders.clean, borders.uncleanable];
  return intervals.filter(({ low, high }) => high - low > FADE_MIN).map(({ low, high }) => ({ from: low, to: high }));
}

/** The cleaner runs once cleanable / (clean + cleanable) bytes exceeds the limit, so the place exists by bytes only. */
function dueOf(borders: Borders, limit: number | null): number | null {
  if (borders.scale !== "bytes" || borders.clean === null || limit === null || limit <= 0 || limit >= 1) return null;
  return borders.uncleanable.middle <= 0 ? null : borders.uncleanable.middle * (1 - limit);
}

function positionsOf(
  measurement: PartitionMeasurement,
  shape: LogShape,
  locate: (offset: number) => number,
): StripPosition[] {
  const position = (id: StripPosition["id"], { low, high }: OffsetInterval): StripPosition => ({
    id,
    low,
    high,
    at: locate((low + high) / 2),
  });
  const at = (offset: number): OffsetInterval => ({ low: offset, high: offset });
  const positions = [position("log-start", at(measurement.logStartOffset))];
  if (measurement.cleanPoint !== null) positions.push(position("clean-point", measurement.cleanPoint));
  positions.push(position("first-uncleanable", shape.firstUncleanableOffset));
  if (shape.lastStableOffset < measurement.logEndOffset)
    positions.push(position("last-stable", at(shape.lastStableOffset)));
  if (measurement.activeSegmentBase !== null) positions.push(position("active-segment", measurement.activeSegmentBase));
  positions.push(position("log-end", at(measurement.logEndOffset)));
  return positions;
}

/**
 * Columns of equal width over the clean part. By offsets a column is an equal stretch of offsets. By bytes it is an equal
 * stretch of records, which is the nearest to bytes that the columns tell: share x offsets, and the mean share where no
 * window looked.
 */
function keptColumns(
  measurement: PartitionMeasurement,
  kept: readonly KeptColumn[],
  borders: Borders,
  cleanEnd: number,
  columns: number,
): (number | null)[] {
  const { logStartOffset, cleanPoint } = measurement;
  if (cleanPoint === null || cleanEnd <= 0 || kept.length === 0) return [];
  const within = kept
    .map((column) => ({
      ...column,
      from: Math.max(column.from, logStartOffset),
      to: Math.min(column.to, cleanPoint.high),
    }))
    .filter((column) => column.to > column.from);
  const looked = within.filter((column) => column.share !== null);
  if (looked.length === 0) return [];
  const width = (list: typeof within): number => list.reduce((sum, column) => sum + column.to - column.from, 0);
  const mean = looked.reduce((sum, column) => sum + (column.share ?? 0) * (column.to - column.from), 0) / width(looked);
  const weigh = (column: KeptColumn): number =>
    (column.to - column.from) * (borders.scale === "bytes" ? Math.max(column.share ?? mean, 1e-6) : 1);
  const total = within.reduce((sum, column) => sum + weigh(column), 0);
  const count = Math.max(1, Math.round(columns * cleanEnd));
  const shares: (number | null)[] = [];
  let index = 0;
  let passed = 0;
  for (let column = 0; column < count; column += 1) {
    const target = ((column + 0.5) / count) * total;
    while (index < within.length - 1 && passed + weigh(within[index] as KeptColumn) < target) {
      passed += weigh(within[index] as KeptColumn);
      index += 1;
    }
    shares.push(within[index]?.share ?? null);
  }
  return shares;
}
