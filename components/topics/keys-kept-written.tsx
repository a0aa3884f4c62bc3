import { describeReading } from "#components/topics/reading-text.ts";
import type { Reading } from "#lib/topics/fleet-view.ts";

interface KeysKeptWrittenProps {
  keys: Reading | null;
  kept: Reading | null;
  written: Reading | null;
}

/** The axis is 10^3 to 10^10 in every row, so that rows can be compared. */
const AXIS_LOW = 3;
const AXIS_HIGH = 10;

function place(value: number): string {
  const at = (Math.log10(Math.max(1, value)) - AXIS_LOW) / (AXIS_HIGH - AXIS_LOW);
  return `${(Math.min(1, Math.max(0, at)) * 100).toFixed(1)}%`;
}

/** Only what has a value is drawn: bounds alone have no place on the axis, and an offset span has its upper one. */
function placeOf(reading: Reading | null): string | null {
  if (reading === null) return null;
  if (reading.method === "offsets") return place(reading.estimate.high);
  return reading.estimate.value === null ? null : place(reading.estimate.value);
}

/** Dot, ring and tick on one logarithmic axis; the sand bar is what compaction would remove. */
export function KeysKeptWritten({ keys, kept, written }: KeysKeptWrittenProps) {
  const dot = placeOf(keys);
  const ring = placeOf(kept);
  const tick = placeOf(written);
  const words = [keys, kept, written].map((reading) => describeReading(reading, "count", true));
  const [keysText, keptText, writtenText] = words.map(({ figure }) => figure);
  return (
    <div>
      <svg
        width="100%"
        height="14"
        className="block overflow-visible"
        role="img"
        aria-label={`Keys ${keysText}, kept ${keptText}, written ${writtenText}`}
      >
        <line x1="0" x2="100%" y1="7" y2="7" stroke="var(--line)" />
        {dot && ring ? <line x1={dot} x2={ring} y1="7" y2="7" stroke="var(--dirty)" strokeWidth="3" /> : null}
        {(ring ?? dot) && tick ? (
          <line x1={ring ?? dot ?? 0} x2={tick} y1="7" y2="7" stroke="var(--line-2)" strokeWidth="1.5" />
        ) : null}
        {dot ? <circle cx={dot} cy="7" r="4" fill="var(--clean)" /> : null}
        {ring ? <circle cx={ring} cy="7" r="3.5" fill="var(--surface)" stroke="var(--fg)" strokeWidth="1.5" /> : null}
        {tick ? <line x1={tick} x2={tick} y1="2" y2="12" stroke="var(--fg-2)" strokeWidth="1.5" /> : null}
      </svg>
      <div className="text-note text-fg-2 whitespace-nowrap" aria-hidden="true">
        {keysText} <span className="text-fg-3">·</span> {keptText} <span className="text-fg-3">·</span> {writtenText}
      </div>
    </div>
  );
}
