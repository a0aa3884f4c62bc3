/** What each kind of system can be asked. What it can't is said with the reason, never faked. */
import type { ClusterKind } from "#lib/brokers/broker-port.ts";

export const CAPABILITIES = [
  "offset-span",
  "scan",
  "groups",
  "replica-sizes",
  "clean-point",
  "follower-reads",
  "topic-configs",
] as const;

export type Capability = (typeof CAPABILITIES)[number];

export interface Availability {
  available: boolean;
  /** Why, or why not, in words for a page: `clean point: not on this system, because …`. */
  because: string;
}

const by = (request: string): Availability => ({ available: true, because: `Kafka's protocol has ${request}` });
const notElsewhere = (because: string): Availability => ({ available: false, because });

const TABLE: Record<ClusterKind["name"], Record<Capability, Availability>> = {
  "apache-kafka": {
    "offset-span": by("ListOffsets"),
    scan: by("Fetch"),
    groups: by("ListGroups and OffsetFetch"),
    "replica-sizes": by("DescribeLogDirs"),
    "clean-point": {
      available: true,
      because: "its cleaner and its segments are known, and leave traces in what a Fetch returns",
    },
    "follower-reads": { available: true, because: "its followers answer consumers (KIP-392)" },
    "topic-configs": by("DescribeConfigs"),
  },
  other: {
    "offset-span": by("ListOffsets"),
    scan: by("Fetch"),
    groups: by("ListGroups and OffsetFetch"),
    "replica-sizes": notElsewhere(
      "sizes that this system reports need not be those of whole logs on a broker's disk (tiered or shared storage)",
    ),
    "clean-point": notElsewhere(
      "this system was not recognised as Apache Kafka, and where another cleaner stands can't be told from what it returns",
    ),
    "follower-reads": notElsewhere("whether its followers keep logs of their own is not known"),
    "topic-configs": by("DescribeConfigs"),
  },
};

export const describeCapability = (kind: Pick<ClusterKind, "name">, capability: Capability): Availability =>
  TABLE[kind.name][capability];
