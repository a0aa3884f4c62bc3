import type { ReactNode } from "react";

interface PanelProps {
  /** Heading, which also names the region. */
  title: string;
  id: string;
  note?: ReactNode;
  /** Controls at the right of the heading. */
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
}

export function Panel({ title, id, note, actions, children, className = "" }: PanelProps) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className={`min-w-0 rounded-panel border border-line bg-surface ${className}`}
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 px-[14px] pt-[10px]">
        <h2 id={`${id}-title`} className="font-semibold">
          {title}
        </h2>
        {note === undefined ? null : <span className="text-second text-fg-3">{note}</span>}
        {actions === undefined ? null : <div className="ml-auto flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
