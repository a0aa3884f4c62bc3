/** The same facts as a log strip, in words: its title, its description and its table. Pure. */
import type { StripModel, StripPartKind, StripPosition } from "#components/topics/log-strip-model.ts";
import { formatCount } from "#lib/platform/format-count.ts";
import { formatShare } from "#lib/platform/format-figure.ts";

const PART_WORDS: Record<StripPartKind, string> = {
  clean: "clean",
  dirty: "cleanable",
  young: "too young to clean",
  held: "held by an open transaction",
  active: "active segment",
  unknown: "not known",
};

const POSITION_WORDS: Record<StripPosition["id"], string> = {
  "log-start": "Log start",
  "clean-point": "Clean point",
  "first-uncleanable": "First offset that the cleaner may not clean yet",
  "last-stable": "Open transaction from",
  "active-segment": "Active segment from",
  "log-end": "Log end",
};

export const namePosition = (position: StripPosition): string => POSITION_WORDS[position.id];

/** One offset, or the two that it lies between. */
export function describeOffset({ low, high }: { low: number; high: number }): string {
  return low === high ? formatCount(low) : `${formatCount(low)} to ${formatCount(high)}`;
}

/** `Clean 72 % of bytes; cleanable 16 %; active segment 12 %. Clean point between offsets 10 and 20.` */
export function describeStrip(model: StripModel): string {
  if (model.empty) return "Empty: start and end are the same offset.";
  if (model.parts.every((part) => part.kind === "unknown")) return "How far it is cleaned is not known.";
  const parts = model.parts.map((part, index) => {
    const share = formatShare(part.to - part.from);
    const unit = model.scale === "bytes" ? " of bytes" : model.fold === null ? " of offsets" : " of the bar, folded";
    return `${PART_WORDS[part.kind]} ${share}${index === 0 ? unit : ""}`;
  });
  const sentence = parts.join("; ");
  const marks = model.positions
    .filter((position) => position.id === "clean-point" || position.id === "last-stable")
    .map((position) => `${namePosition(position)} offset ${describeOffset(position)}.`);
  return [`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`, ...marks].join(" ");
}
