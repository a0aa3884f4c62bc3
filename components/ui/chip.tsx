import type { ReactNode } from "react";
import { STATE_GROUND, STATE_INK, StateGlyph, type StateKind } from "#components/ui/state-glyph.tsx";

const SHAPE =
  "inline-flex h-5 max-w-full items-center gap-[5px] rounded-chip px-[7px] text-[0.71875rem] whitespace-nowrap";

export function Chip({ children }: { children: ReactNode }) {
  return <span className={`${SHAPE} border border-line bg-surface text-fg-2`}>{children}</span>;
}

export function StateChip({ state, children }: { state: StateKind; children: ReactNode }) {
  return (
    <span className={`${SHAPE} state-chip font-[550] ${STATE_GROUND[state]} ${STATE_INK[state]}`}>
      <StateGlyph state={state} />
      {children}
    </span>
  );
}
