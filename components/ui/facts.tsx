import type { ReactNode } from "react";

/** Named facts in a row: a definition list, name above fact. */
export function Facts({ facts }: { facts: readonly { name: string; fact: ReactNode }[] }) {
  return (
    <dl className="flex flex-wrap gap-x-[26px] gap-y-2">
      {facts.map(({ name, fact }) => (
        <div key={name} className="min-w-0">
          <dt className="text-note text-fg-3">{name}</dt>
          <dd className="font-semibold">{fact}</dd>
        </div>
      ))}
    </dl>
  );
}
