import { LogStrip } from "#components/topics/log-strip.tsx";
import { modelLogStrip } from "#components/topics/log-strip-model.ts";
import { describeOffset } from "#components/topics/log-strip-words.ts";
import type { PartitionMeasurement, ReplicaMeasurement, ReplicaState } from "#lib/compaction/measurement.ts";
import { formatBytes, formatShare, NOT_KNOWN } from "#lib/platform/format-figure.ts";
import type { PartitionView, ReplicaView } from "#lib/topics/topic-view.ts";

const STATE_WORDS: Record<ReplicaState, string | null> = {
  ok: null,
  behind: "behind its leader",
  quarantined: "quarantined",
  "cleaner-off": "cleaner is off",
  unknown: null,
};

interface ReplicaStripsProps {
  partition: PartitionView;
  measurement: PartitionMeasurement | null;
  largest: number;
  stale: boolean;
}

/** One bar a replica on the scale of the leaders; of a follower the size, and how far it was cleaned where that is known. */
export function ReplicaStrips({ partition, measurement, largest, stale }: ReplicaStripsProps) {
  const replicas = [...partition.replicas].sort(
    (a, b) => Number(b.leader) - Number(a.leader) || a.brokerId - b.brokerId,
  );
  return (
    <tr>
      <td className="max-wide:hidden" />
      <td colSpan={5} className="max-wide:col-span-full">
        <div className="mt-1 mb-[2px] text-second text-fg-2">
          <b className="text-fg">Partition {partition.partition} on each replica</b> by bytes
        </div>
        <ul>
          {replicas.map((replica) => (
            <Replica
              key={replica.brokerId}
              replica={replica}
              measured={measurement?.replicas?.find(({ brokerId }) => brokerId === replica.brokerId) ?? null}
              leaderMeasurement={measurement}
              largest={largest}
              stale={stale}
            />
          ))}
        </ul>
      </td>
    </tr>
  );
}

interface ReplicaProps {
  replica: ReplicaView;
  measured: ReplicaMeasurement | null;
  leaderMeasurement: PartitionMeasurement | null;
  largest: number;
  stale: boolean;
}

function Replica({ replica, measured, leaderMeasurement, largest, stale }: ReplicaProps) {
  const width = replica.bytes === null ? 0 : Math.max(0.02, replica.bytes / largest);
  const state = measured === null ? null : STATE_WORDS[measured.state];
  // The one that was measured as leader: another may lead by now, with another log.
  const drawn = measured === null ? replica.leader : measured.leader;
  const facts = [
    replica.bytes === null ? `size ${NOT_KNOWN}` : formatBytes(replica.bytes),
    measured?.cleanPoint
      ? `clean to ${describeOffset(measured.cleanPoint)}${shareOf(measured, leaderMeasurement)}`
      : null,
    state,
  ].filter((fact) => fact !== null);
  return (
    <li className="grid min-h-[26px] items-center gap-x-[10px] wide:grid-cols-[112px_minmax(0,1fr)_360px]">
      <span className="text-second text-fg-2">
        broker {replica.brokerId} {replica.leader ? <span className="text-fg-3">leader</span> : null}
      </span>
      {drawn && leaderMeasurement !== null ? (
        <LogStrip
          id={`r${leaderMeasurement.partition}-${replica.brokerId}`}
          title={`Log on broker ${replica.brokerId}, by bytes`}
          model={modelLogStrip(leaderMeasurement, { scale: "bytes", columns: 80 * width, dirtyRatioLimit: null })}
          width={width}
          stale={stale}
        />
      ) : (
        <SizeBar replica={replica} width={width} />
      )}
      <span className={`text-second ${state === null ? "text-fg-3" : "text-watch"}`}>{facts.join(" · ")}</span>
    </li>
  );
}

/** How far it was cleaned as a share of the leader's offsets. */
function shareOf({ cleanPoint }: ReplicaMeasurement, leader: PartitionMeasurement | null): string {
  if (cleanPoint === null || leader === null || leader.offsetSpan === 0) return "";
  const share = ((cleanPoint.low + cleanPoint.high) / 2 - leader.logStartOffset) / leader.offsetSpan;
  return ` (${formatShare(Math.min(1, Math.max(0, share)))})`;
}

/** Where the bytes of a follower's clean section are is not measured: an outline shows its size. */
function SizeBar({ replica, width }: { replica: ReplicaView; width: number }) {
  return (
    <svg className="strip" height="24" role="img" aria-label={`Size on broker ${replica.brokerId}`}>
      <rect
        x="0"
        y="6.5"
        width={`${width * 100}%`}
        height="14"
        rx="1.5"
        fill="none"
        stroke="var(--ctl)"
        strokeDasharray={replica.bytes === null ? "3 3" : undefined}
      />
    </svg>
  );
}
