import type { ReactNode } from "react";

const ENTRIES: readonly { text: string; picture: ReactNode }[] = [
  {
    text: "Clean; height = share still kept",
    picture: (
      <>
        <rect y="1" width="22" height="12" fill="var(--clean-track)" />
        <path d="M1 13V9h3v4zM6 13V7h3v6zM11 13V4h3v9zM16 13V2h3v11z" fill="var(--clean)" />
      </>
    ),
  },
  {
    text: "Clean point",
    picture: (
      <>
        <path d="M11 1v9" stroke="var(--fg)" strokeWidth="1.5" />
        <path d="M7.5 14l3.5-4 3.5 4z" fill="var(--fg)" />
      </>
    ),
  },
  { text: "Cleanable", picture: <rect y="1" width="22" height="12" fill="url(#kf-dirty)" /> },
  {
    text: "Active segment, or too young",
    picture: (
      <rect x=".5" y="1.5" width="21" height="11" fill="url(#kf-active)" stroke="var(--active)" strokeOpacity=".55" />
    ),
  },
  { text: "Held by an open transaction", picture: <rect y="1" width="22" height="12" fill="url(#kf-held)" /> },
  {
    text: "Cleaner starts when cleanable reaches it",
    picture: <path d="M11 4v6" stroke="var(--fg-2)" strokeWidth="2" />,
  },
];

export function LogLegend() {
  return (
    <ul aria-label="Legend of the log" className="flex flex-wrap gap-x-[15px] gap-y-1 text-[0.71875rem] text-fg-2">
      {ENTRIES.map(({ text, picture }) => (
        <li key={text} className="inline-flex items-center gap-[6px]">
          <svg className="keep-colors shrink-0" width="22" height="14" aria-hidden="true">
            {picture}
          </svg>
          {text}
        </li>
      ))}
    </ul>
  );
}
