import { describe, expect, it } from "vitest";
import type { ReplicaMeasurement } from "#lib/compaction/measurement.ts";
import { countCleaning, diagnoseReplica, type ProbedReplicas } from "#lib/compaction/replica-diagnosis.ts";

const replica = (brokerId: number, cleanedTo: number | null, bytes: number | null): ReplicaMeasurement => ({
  brokerId,
  leader: brokerId === 1,
  bytes,
  cleanPoint: cleanedTo === null ? null : { low: cleanedTo, high: cleanedTo },
  state: "unknown",
});
const partition = (number: number, third: ReplicaMeasurement): ProbedReplicas => ({
  topic: "t",
  partition: number,
  logStartOffset: 0,
  replicas: [replica(1, 900, 100), replica(2, 900, 100), third],
});
const statesOfThird = (partitions: ProbedReplicas[]) => {
  const brokers = countCleaning(partitions);
  return partitions.map((one) => diagnoseReplica(one.replicas[2]!, one, brokers));
};

describe("a replica that was cleaned less far than another", () => {
  it("is quarantined where its broker keeps up on other partitions", () => {
    expect(statesOfThird([partition(0, replica(3, 0, 900)), partition(1, replica(3, 900, 100))])).toEqual([
      "quarantined",
      "ok",
    ]);
  });

  it("has its cleaner off where its broker is behind on all of several", () => {
    expect(statesOfThird([partition(0, replica(3, 0, 900)), partition(1, replica(3, 10, 700))])).toEqual([
      "cleaner-off",
      "cleaner-off",
    ]);
  });

  it("is only behind where there is a single partition to judge by", () => {
    expect(statesOfThird([partition(0, replica(3, 0, 900))])).toEqual(["behind"]);
  });

  it("is not accused while the sizes are alike: one of them is cleaned first", () => {
    expect(statesOfThird([partition(0, replica(3, 800, 120)), partition(1, replica(3, 900, 100))])).toEqual([
      "ok",
      "ok",
    ]);
  });

  it("is unknown where it could not be read", () => {
    expect(statesOfThird([partition(0, replica(3, null, 900))])).toEqual(["unknown"]);
  });

  it("is found on a leader too", () => {
    const behind: ProbedReplicas = {
      topic: "t",
      partition: 0,
      logStartOffset: 0,
      replicas: [replica(1, 0, 900), replica(2, 900, 100)],
    };
    const other: ProbedReplicas = { ...behind, partition: 1, replicas: [replica(1, 900, 100), replica(2, 900, 100)] };
    const brokers = countCleaning([behind, other]);
    expect(diagnoseReplica(behind.replicas[0]!, behind, brokers)).toBe("quarantined");
    expect(diagnoseReplica(behind.replicas[1]!, behind, brokers)).toBe("ok");
  });
});
