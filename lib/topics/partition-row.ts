/** From the stored state of partitions to what the topic page shows. */
import { z } from "zod";
import type { MeasurementMode, PartitionMeasurement } from "#lib/compaction/measurement.ts";
import { decodePartitionMeasurement } from "#lib/measurements/stored-measurement.ts";
import type { PartitionView } from "#lib/topics/topic-view.ts";
import type { Measurement, PartitionState } from "../../generated/prisma/client.ts";

const storedReplicas = z.array(
  z.object({
    brokerId: z.number(),
    inSync: z.boolean(),
    bytes: z.string().nullable(),
    sizedAt: z.number().nullable(),
  }),
);

/** The size of a replica keeps the time of the poll that told it, so that its age can be shown. */
export type StoredReplica = z.infer<typeof storedReplicas>[number];

export const decodeReplicas = (json: unknown): StoredReplica[] => storedReplicas.parse(json);

export function toPartitionViews(states: PartitionState[], newest: Measurement[]): PartitionView[] {
  const measured = (partition: number, mode: MeasurementMode): PartitionMeasurement | null => {
    const row = newest.find((measurement) => measurement.partition === partition && measurement.mode === mode);
    return row ? decodePartitionMeasurement(row.payload) : null;
  };
  return states.map((state) => ({
    partition: state.partition,
    leader: state.leader,
    offsets: toOffsets(state),
    offsetsAt: state.offsetsAt?.getTime() ?? null,
    replicas: decodeReplicas(state.replicas).map((replica) => ({
      brokerId: replica.brokerId,
      leader: replica.brokerId === state.leader,
      bytes: replica.bytes === null ? null : Number(replica.bytes),
      sizedAt: replica.sizedAt,
    })),
    probe: measured(state.partition, "probe"),
    scan: measured(state.partition, "scan"),
  }));
}

function toOffsets({ logStart, logEnd, lastStable }: PartitionState): PartitionView["offsets"] {
  if (logStart === null || logEnd === null || lastStable === null) return null;
  return { logStart: Number(logStart), logEnd: Number(logEnd), lastStable: Number(lastStable) };
}
