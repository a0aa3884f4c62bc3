import { metadataV12, Reader, ResponseError } from "@platformatic/kafka";
import type { ReplicaSession } from "#lib/brokers/kafka/replica-session.ts";
import type { ReplicaLogTarget } from "#lib/brokers/replica-log-port.ts";

const METADATA_API_KEY = 3;
const METADATA_API_VERSION = 12;

/** What became of a topic whose id a broker does not know: whether its name has another id now. */
export async function findTopicFate(
  session: ReplicaSession,
  { topic, topicId }: ReplicaLogTarget,
): Promise<"same" | "recreated" | "deleted"> {
  const body = await session.ask(METADATA_API_KEY, METADATA_API_VERSION, () =>
    metadataV12.createRequest([topic], false, false),
  );
  try {
    const { topics } = metadataV12.parseResponse(0, METADATA_API_KEY, METADATA_API_VERSION, Reader.from(body));
    const found = topics.find(({ name }) => name === topic);
    if (found === undefined) return "deleted";
    return found.topicId === topicId.toLowerCase() ? "same" : "recreated";
  } catch (error) {
    // The client throws where the answer holds an error, which for a name that is not there is one.
    if (error instanceof ResponseError) return "deleted";
    throw error;
  }
}
