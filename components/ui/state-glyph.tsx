import type { ReactNode } from "react";

/** Holds or done; will break or costs; broken or refused; cannot be told; running or waiting. */
export type StateKind = "ok" | "watch" | "broken" | "unknown" | "run";

const SHAPES: Record<StateKind, ReactNode> = {
  ok: (
    <>
      <circle cx="7" cy="7" r="6" />
      <path d="M4.4 7.2l1.8 1.8 3.4-3.8" />
    </>
  ),
  watch: <path d="M7 1.4l6 10.9H1zM7 5.6v2.8M7 10.4v.01" />,
  broken: (
    <>
      <rect x="1" y="1" width="12" height="12" rx="2.5" fill="currentColor" />
      <path d="M4.8 4.8l4.4 4.4M9.2 4.8L4.8 9.2" stroke="var(--surface)" />
    </>
  ),
  unknown: (
    <>
      <circle cx="7" cy="7" r="6" strokeDasharray="2.2 2.2" />
      <path d="M5.5 5.6a1.5 1.5 0 112.2 1.3c-.5.3-.7.6-.7 1.1M7 10v.01" />
    </>
  ),
  run: (
    <>
      <circle cx="7" cy="7" r="6" />
      <path d="M7 3.6V7l2.3 1.6" />
    </>
  ),
};

export const STATE_GROUND: Record<StateKind, string> = {
  ok: "bg-ok-bg",
  watch: "bg-watch-bg",
  broken: "bg-broken-bg",
  unknown: "bg-unknown-bg",
  run: "bg-run-bg",
};

export const STATE_INK: Record<StateKind, string> = {
  ok: "text-ok",
  watch: "text-watch",
  broken: "text-broken",
  unknown: "text-unknown",
  run: "text-run",
};

/** One shape and one colour a state. It says nothing by itself: a word stands beside it, or `label` is read out. */
export function StateGlyph({ state, label }: { state: StateKind; label?: string }) {
  return (
    <>
      <svg
        className={`inline-block size-[14px] shrink-0 align-[-2px] ${STATE_INK[state]}`}
        viewBox="0 0 14 14"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {SHAPES[state]}
      </svg>
      {label === undefined ? null : <span className="sr-only">{label}</span>}
    </>
  );
}
