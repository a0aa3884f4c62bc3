import type { FleetOverview } from "#components/fleet/fleet-items.ts";
import { Ago } from "#components/ui/ago.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { StateGlyph } from "#components/ui/state-glyph.tsx";
import { formatCount } from "#lib/platform/format-count.ts";
import type { StateKind } from "#lib/topics/standing.ts";

const ENTRIES: readonly { states: StateKind[]; glyph: StateKind; word: string; fill: string }[] = [
  { states: ["ok"], glyph: "ok", word: "Compacting", fill: "color-mix(in srgb, var(--ok) 55%, transparent)" },
  {
    states: ["run"],
    glyph: "run",
    word: "Due",
    fill: "repeating-linear-gradient(45deg, var(--run) 0 2px, transparent 2px 4px)",
  },
  {
    states: ["watch"],
    glyph: "watch",
    word: "Stands out",
    fill: "repeating-linear-gradient(135deg, var(--watch) 0 3px, transparent 3px 5px)",
  },
  { states: ["broken"], glyph: "broken", word: "Loses keys", fill: "var(--broken)" },
  {
    states: ["unknown"],
    glyph: "unknown",
    word: "Not known",
    fill: "repeating-linear-gradient(90deg, var(--unknown) 0 1px, transparent 1px 3px)",
  },
];

export function StateSummary({ overview, clusterCount }: { overview: FleetOverview; clusterCount: number }) {
  const shown = ENTRIES.map((entry) => ({
    ...entry,
    count: entry.states.reduce((sum, state) => sum + overview.states[state], 0),
  }));
  const topics = `${formatCount(overview.total)} ${overview.total === 1 ? "topic" : "topics"}`;
  const note = `${topics}, ${clusterCount} ${clusterCount === 1 ? "cluster" : "clusters"}`;
  return (
    <Panel id="states" title="What was measured" note={note}>
      <div className="px-[14px] pt-[10px] pb-[13px]">
        <div className="keep-colors flex h-[10px] gap-px overflow-hidden rounded-[2px] bg-sunken" aria-hidden="true">
          {shown
            .filter((entry) => entry.count > 0)
            .map((entry) => (
              <i
                key={entry.word}
                className="block min-w-[5px]"
                style={{ flexGrow: entry.count, flexBasis: 0, background: entry.fill }}
              />
            ))}
        </div>
        <dl className="mt-3 flex flex-wrap justify-between gap-x-3 gap-y-2">
          {shown.map((entry) => (
            <div key={entry.word} className="flex flex-col-reverse">
              <dt className="flex items-center gap-[5px] text-second whitespace-nowrap text-fg-2">
                <StateGlyph state={entry.glyph} />
                {entry.word}
              </dt>
              <dd className="text-heading font-semibold tracking-[-.015em]">{formatCount(entry.count)}</dd>
            </div>
          ))}
        </dl>
        <p className="mt-3 border-t border-line pt-2 text-second text-fg-2">
          {overview.oldestAt === null ? (
            "No topic has been measured."
          ) : (
            <>
              The oldest measurement was made <Ago at={overview.oldestAt} />.
              {overview.neverMeasured === 0 ? "" : ` ${formatCount(overview.neverMeasured)} never measured.`}
            </>
          )}
        </p>
      </div>
    </Panel>
  );
}
