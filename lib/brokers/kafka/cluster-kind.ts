/** Recognises Apache Kafka by what it offers. Pure. */
import type { ClusterKind } from "#lib/brokers/broker-port.ts";
import type { OfferedVersions } from "#lib/brokers/kafka/wire-api.ts";

/**
 * Last `metadata.version` level of each release, as named in MetadataVersion of kafka-server-common 4.4.0
 * (IBP_4_4_IV2 is level 33). A broker that offers this level is that release or a newer one.
 */
const RELEASES: readonly (readonly [level: number, version: string])[] = [
  [33, "4.4"],
  [30, "4.3"],
  [29, "4.2"],
  [27, "4.1"],
  [25, "4.0"],
  [21, "3.9"],
  [20, "3.8"],
  [19, "3.7"],
  [14, "3.6"],
  [11, "3.5"],
  [8, "3.4"],
  [7, "3.3"],
];

/** Apache Kafka counts its requests up from 0; forks put their own far above (500 and up, 10000 and up). */
const HIGHEST_APACHE_API_KEY = 199;

export function recogniseCluster(offered: OfferedVersions): ClusterKind {
  const foreign = [...offered.ranges.keys()].filter((key) => key > HIGHEST_APACHE_API_KEY);
  const level = offered.supportedFeatures.find(({ name }) => name === "metadata.version")?.maxVersion;
  const finalized = offered.finalizedFeatures.find(({ name }) => name === "metadata.version")?.maxVersion;
  const version = level === undefined ? null : (RELEASES.find(([least]) => level >= least)?.[1] ?? null);
  if (foreign.length > 0) {
    const keys = foreign.sort((a, b) => a - b).join(", ");
    return { name: "other", version, evidence: `offers requests that Apache Kafka has not (API keys ${keys})` };
  }
  if (level === undefined || finalized === undefined) {
    const evidence = "has no feature level metadata.version, which Apache Kafka in KRaft mode has";
    return { name: "other", version: null, evidence };
  }
  const evidence = `feature metadata.version, offered up to ${level}, in force ${finalized}; no requests of another vendor`;
  return { name: "apache-kafka", version, evidence };
}
