"use client";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import type { StripPosition } from "#components/topics/log-strip-model.ts";
import { describeOffset, namePosition } from "#components/topics/log-strip-words.ts";

interface StripReaderProps {
  title: string;
  positions: StripPosition[];
  children: ReactNode;
}

/** Makes a strip focusable as a whole; the arrow keys step through its marks, and each is read out. */
export function StripReader({ title, positions, children }: StripReaderProps) {
  const [index, setIndex] = useState<number | null>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0 || positions.length === 0) return;
    event.preventDefault();
    setIndex((now) => Math.min(positions.length - 1, Math.max(0, now === null ? 0 : now + step)));
  };
  const position = index === null ? undefined : positions[index];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would announce a form
    <div
      role="group"
      aria-label={`${title}. Arrow keys step through its marks.`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys step through the marks
      tabIndex={0}
      onKeyDown={onKeyDown}
      onBlur={() => setIndex(null)}
      className="rounded-chip"
    >
      {children}
      <p aria-live="polite" className="min-h-4 text-note text-fg-2">
        {position === undefined ? "" : `${namePosition(position)}: ${describeOffset(position)}`}
      </p>
    </div>
  );
}
