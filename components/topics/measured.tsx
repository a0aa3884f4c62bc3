import type { ReactNode } from "react";
import { describeReading } from "#components/topics/reading-text.ts";
import { Ago } from "#components/ui/ago.tsx";
import type { FigureKind } from "#lib/platform/format-figure.ts";
import type { Reading } from "#lib/topics/fleet-view.ts";

interface MeasuredProps {
  reading: Reading | null;
  kind: FigureKind;
  /** Why it is not known; shown in place of age and method. */
  unknownReason: string;
  /** A name above the number. */
  label?: ReactNode;
  size?: "big" | "body";
  /** Older than this is amber. */
  staleAfterMs?: number;
}

/** The only way to print a measurement: the number never stands without its age, its method and its error. */
export function Measured({ reading, kind, unknownReason, label, size = "body", staleAfterMs }: MeasuredProps) {
  const { figure, method, error } = describeReading(reading, kind);
  return (
    <div className="min-w-0">
      {label === undefined ? null : <div className="text-second text-fg-2">{label}</div>}
      <div className={`figure font-semibold ${size === "big" ? "text-verdict" : ""}`}>
        {figure}
        {error === null || !error.startsWith("±") ? null : (
          <small className="ml-1 text-second font-normal text-fg-2">{error}</small>
        )}
      </div>
      <div className="text-note text-fg-3">
        {reading === null ? (
          unknownReason
        ) : (
          <>
            <Ago at={reading.measuredAt} staleAfterMs={staleAfterMs} /> {method}, {error}
          </>
        )}
      </div>
    </div>
  );
}
