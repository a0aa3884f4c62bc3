import type { ReactNode } from "react";
import { STATE_GROUND, StateGlyph, type StateKind } from "#components/ui/state-glyph.tsx";

interface BannerProps {
  state: StateKind;
  /** What is the case, in one sentence. */
  title: ReactNode;
  /** Since when, what still works, and what to do. */
  children?: ReactNode;
  action?: ReactNode;
}

export function Banner({ state, title, children, action }: BannerProps) {
  return (
    <div className={`flex gap-[10px] rounded-control px-3 py-[10px] ${STATE_GROUND[state]}`}>
      <span className="pt-[2px]">
        <StateGlyph state={state} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="font-semibold">{title}</p>
        {children === undefined ? null : <div className="text-second text-fg-2">{children}</div>}
      </div>
      {action}
    </div>
  );
}
