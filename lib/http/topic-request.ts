/** Which topic a request is about, and the answers that all routes below a topic share. */
import { problem } from "#lib/http/problem.ts";
import type { ScanRefusal } from "#lib/scans/commands.ts";

/** What Next hands to a route handler below `topics/[topic]`; the segments are decoded. */
export interface TopicContext {
  params: Promise<{ cluster: string; topic: string }>;
}

export interface ScanContext {
  params: Promise<{ cluster: string; topic: string; scan: string }>;
}

export const topicUnknown = (clusterId: string): Response =>
  problem({
    status: 404,
    title: `No topic of this name was seen on cluster ${clusterId}.`,
    detail:
      "Check the cluster's id and the name, which is one encoded segment of the path; GET /api/v1/fleet lists both.",
    field: "topic",
  });

export const scanUnknown = (): Response =>
  problem({
    status: 404,
    title: "There is no such scan of this topic.",
    detail: "Take the id from the answer to the request that ordered it, or from the topic's latestScan.",
    field: "scan",
  });

export function answerRefusal(refusal: ScanRefusal, clusterId: string): Response {
  switch (refusal.reason) {
    case "topic-unknown":
      return topicUnknown(clusterId);
    case "scan-unknown":
      return scanUnknown();
    case "topic-gone":
      return problem({
        status: 409,
        title: "The topic is gone from the cluster.",
        detail: "Its last data stay readable; there is nothing to scan.",
        field: "topic",
      });
    case "scan-open":
      return problem({
        status: 409,
        title: `A scan of this topic is ${refusal.scan.state}.`,
        detail: "Wait for its end, or cancel it.",
        field: "topic",
        scanId: refusal.scan.id,
      });
    case "scan-ended":
      return problem({
        status: 409,
        title: `The scan has ended: ${refusal.scan.state}.`,
        detail: "Only a scan that waits or runs can be cancelled.",
        field: "scan",
        scanId: refusal.scan.id,
      });
  }
}
