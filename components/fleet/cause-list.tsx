import type { CauseCount } from "#components/fleet/fleet-items.ts";
import { Panel } from "#components/ui/panel.tsx";
import { StateGlyph } from "#components/ui/state-glyph.tsx";
import { formatCount } from "#lib/platform/format-count.ts";
import type { StandingId } from "#lib/topics/standing.ts";

interface CauseListProps {
  causes: readonly CauseCount[];
  chosen: StandingId | null;
  onChoose: (id: StandingId | null) => void;
}

/** What stands out, each a filter of the table below. */
export function CauseList({ causes, chosen, onChoose }: CauseListProps) {
  const most = Math.max(1, ...causes.map((cause) => cause.count));
  return (
    <Panel id="causes" title="Why" note="each topic under its gravest">
      <div className="px-[14px] pt-2 pb-[11px]">
        {causes.length === 0 ? <p className="text-second text-fg-3">Nothing stands out.</p> : null}
        <ul>
          {causes.map((cause) => (
            <li key={cause.id}>
              <Cause cause={cause} most={most} chosen={chosen === cause.id} onChoose={onChoose} />
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  );
}

interface CauseProps {
  cause: CauseCount;
  most: number;
  chosen: boolean;
  onChoose: (id: StandingId | null) => void;
}

function Cause({ cause, most, chosen, onChoose }: CauseProps) {
  const grave = cause.state === "broken";
  return (
    <button
      type="button"
      aria-pressed={chosen}
      onClick={() => onChoose(chosen ? null : cause.id)}
      className="grid w-full grid-cols-[1fr_116px_34px] items-center gap-x-3 rounded-chip text-left text-second leading-6 max-wide:grid-cols-[1fr_64px_34px] max-wide:leading-[40px] aria-pressed:bg-sunken"
    >
      <span className="flex min-w-0 items-center gap-[7px]">
        <StateGlyph state={cause.state} />
        <span className={chosen ? "link truncate font-semibold" : "link truncate"}>{cause.word}</span>
      </span>
      <span
        className={`keep-colors h-[6px] rounded-[1px] ${grave ? "bg-broken" : "bg-fg-3"}`}
        style={{ width: `${(cause.count / most) * 100}%` }}
        aria-hidden="true"
      />
      <span className="text-right">{formatCount(cause.count)}</span>
    </button>
  );
}
