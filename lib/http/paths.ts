/**
 * The one builder of every address in Keyfold: pages and the REST API. A name is one encoded segment. Proxies break
 * `%2F`, and browsers drop the segments `.` and `..` even when they are encoded, so the page of such a name is the parent path
 * with `?name=`, which works for every name. The API is called directly and takes encoded segments only.
 */

/** True where a name can't be one path segment. */
function needsQuery(name: string): boolean {
  return name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\\");
}

/** Encodes any string; a lone surrogate, which has no UTF-8 form, becomes U+FFFD instead of a throw. */
function encode(name: string): string {
  return encodeURIComponent(name.toWellFormed());
}

const topics = (clusterId: string): string => `/clusters/${encode(clusterId)}/topics`;
const topicApi = (clusterId: string, topic: string): string => `/api/v1${topics(clusterId)}/${encode(topic)}`;

export const paths = {
  fleet: (): string => "/",
  topic: (clusterId: string, topic: string): string =>
    needsQuery(topic) ? `${topics(clusterId)}?name=${encode(topic)}` : `${topics(clusterId)}/${encode(topic)}`,
  api: {
    fleet: (): string => "/api/v1/fleet",
    topic: topicApi,
    scans: (clusterId: string, topic: string): string => `${topicApi(clusterId, topic)}/scans`,
    scan: (clusterId: string, topic: string, scanId: string): string =>
      `${topicApi(clusterId, topic)}/scans/${encode(scanId)}`,
    scanCancellation: (clusterId: string, topic: string, scanId: string): string =>
      `${topicApi(clusterId, topic)}/scans/${encode(scanId)}/cancellation`,
    events: (): string => "/api/v1/events",
  },
} as const;

/**
 * The name in a page's parameter. Pages get their segments still encoded (route handlers get them decoded); a segment
 * that is no valid encoding is taken as it stands.
 */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
