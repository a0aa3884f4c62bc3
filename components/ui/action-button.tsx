import type { ReactNode } from "react";

interface ActionButtonProps {
  children: ReactNode;
  onAct: () => void;
  /** Why it is off; null where it is on. The reason stands beside the button. */
  offReason?: string | null;
  id: string;
}

const SHAPE =
  "inline-flex h-[30px] max-wide:h-11 items-center justify-center gap-[7px] rounded-control px-[11px] text-[0.78125rem] whitespace-nowrap";

/** A button that says what happens. Off, it keeps its place, stays readable and says why. */
export function ActionButton({ children, onAct, offReason = null, id }: ActionButtonProps) {
  if (offReason === null) {
    return (
      <button
        type="button"
        id={id}
        onClick={onAct}
        className={`${SHAPE} border border-line-2 bg-surface hover:border-ctl`}
      >
        {children}
      </button>
    );
  }
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2 gap-y-1">
      <button
        type="button"
        id={id}
        aria-disabled="true"
        aria-describedby={`${id}-why`}
        className={`${SHAPE} cursor-not-allowed border border-dashed border-line-2 text-fg-3`}
      >
        {children}
      </button>
      <span id={`${id}-why`} className="text-second text-fg-3">
        {offReason}
      </span>
    </span>
  );
}
