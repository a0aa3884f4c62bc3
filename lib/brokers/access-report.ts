/** The rights that Keyfold uses on a cluster, and what is missing without each. */

export const RIGHTS = [
  {
    id: "describe-topics",
    operation: "Describe",
    resource: "topics",
    purpose: "reading",
    without: "a topic that may not be described is not seen at all: no offset span, no partitions, no leaders",
  },
  {
    id: "read-topics",
    operation: "Read",
    resource: "topics",
    purpose: "reading",
    without: "no probe and no scan: clean point, cleaner ratio, removable, records kept and distinct keys are missing",
  },
  {
    id: "describe-configs-topics",
    operation: "DescribeConfigs",
    resource: "topics",
    purpose: "reading",
    without: "the cleanup policy is not known, so that the topic is not recognised as a compacted one and not watched",
  },
  {
    id: "describe-cluster",
    operation: "Describe",
    resource: "cluster",
    purpose: "reading",
    without:
      "no sizes of replicas and no free space of log directories: a replica whose cleaner stopped is found only by its probe; groups are listed only where each may be described",
  },
  {
    id: "describe-configs-cluster",
    operation: "DescribeConfigs",
    resource: "cluster",
    purpose: "reading",
    without:
      "settings of brokers and client quotas are not known: whether the cleaner is switched off is not told, and a probe confirms segment boundaries by more fetches",
  },
  {
    id: "describe-groups",
    operation: "Describe",
    resource: "consumer groups",
    purpose: "reading",
    without: "readers of a topic, their committed offsets and how far they are behind are missing",
  },
  {
    id: "describe-transactional-ids",
    operation: "Describe",
    resource: "transactional ids",
    purpose: "reading",
    without: "an open transaction can't be told from a hanging one, and its producer is not named",
  },
  {
    id: "commit-groups",
    operation: "Read",
    resource: "consumer groups",
    purpose: "changes",
    without: "offsets of a group can't be reset (commit)",
  },
  {
    id: "commit-topics",
    operation: "Read",
    resource: "topics",
    purpose: "changes",
    without: "offsets of a group can't be reset on the topic (commit)",
  },
  {
    id: "delete-groups",
    operation: "Delete",
    resource: "consumer groups",
    purpose: "changes",
    without: "a group that nobody needs any more can't be deleted",
  },
  {
    id: "alter-configs-topics",
    operation: "AlterConfigs",
    resource: "topics",
    purpose: "changes",
    without: "the configuration of a topic can't be changed",
  },
] as const satisfies readonly Right[];

interface Right {
  id: string;
  /** Kafka's word for the ACL operation. */
  operation: string;
  resource: string;
  purpose: "reading" | "changes";
  without: string;
}

export type RightId = (typeof RIGHTS)[number]["id"];

export interface RightFinding {
  outcome: "granted" | "partly" | "missing" | "not-tried";
  /** What was seen, or why it was not tried, in words. */
  detail: string;
}

export interface RightReport extends Right, RightFinding {
  id: RightId;
}

export const reportRights = (findings: Readonly<Record<RightId, RightFinding>>): RightReport[] =>
  RIGHTS.map((right) => ({ ...right, ...findings[right.id] }));

/** A finding about many topics or groups. */
export function countGranted(granted: readonly string[], refused: readonly string[], noun: string): RightFinding {
  const all = granted.length + refused.length;
  if (all === 0) return { outcome: "not-tried", detail: `not tried, because no ${noun} can be seen` };
  if (refused.length === 0) return { outcome: "granted", detail: `on all ${all} ${noun}s that can be seen` };
  const some = refused.slice(0, 3).map((name) => JSON.stringify(name));
  const examples = refused.length > some.length ? `${some.join(", ")}, …` : some.join(", ");
  if (granted.length === 0) return { outcome: "missing", detail: `on none of ${all} ${noun}s (${examples})` };
  return { outcome: "partly", detail: `on ${granted.length} of ${all} ${noun}s, not on ${examples}` };
}
