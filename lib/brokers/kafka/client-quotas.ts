/** What a client id may read per second on one broker, from a DescribeClientQuotas request. */
import { describeClientQuotasV1 } from "@platformatic/kafka";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { ConsumerByteRate } from "#lib/brokers/broker-port.ts";
import type { BrokerConnections } from "#lib/brokers/kafka/broker-connections.ts";
import { brokerErrorFromCode } from "#lib/brokers/kafka/error-codes.ts";
import type { WireApi } from "#lib/brokers/kafka/wire-api.ts";

type QuotasAnswer = Awaited<ReturnType<typeof describeClientQuotasV1.api.async>>;

/** No component and not strict: all quotas that there are (KIP-546). */
const DESCRIBE_QUOTAS: WireApi<[components: [], strict: boolean], QuotasAnswer> = [describeClientQuotasV1.api as never];

/** A quota of `consumer_byte_rate`; a name of null is the default entity, undefined means that it says nothing of it. */
export interface QuotaEntry {
  user?: string | null;
  clientId?: string | null;
  bytesPerSecond: number;
}

/**
 * @param user principal name that these credentials get on the broker; null where only the broker knows it
 * @returns `unknown` where the right (DescribeConfigs on the cluster) or the request is missing
 */
export async function readConsumerByteRate(
  connections: BrokerConnections,
  clientId: string,
  user: string | null,
): Promise<ConsumerByteRate> {
  const doing = "describing client quotas";
  try {
    const answer = await connections.requestAny(doing, DESCRIBE_QUOTAS, [[], false]);
    if (answer.errorCode !== 0) throw brokerErrorFromCode(answer.errorCode, doing);
    return resolveQuota(toEntries(answer), clientId, user);
  } catch (error) {
    const isMissing =
      error instanceof BrokerError && ["authorization-failed", "unsupported-version"].includes(error.code);
    if (isMissing) return "unknown";
    throw error;
  }
}

function toEntries(answer: QuotasAnswer): QuotaEntry[] {
  return (answer.entries ?? []).flatMap(({ entity, values }) => {
    const rate = values.find(({ key }) => key === "consumer_byte_rate");
    const names = new Map(entity.map(({ entityType, entityName }) => [String(entityType), entityName ?? null]));
    const isKnown = [...names.keys()].every((type) => type === "user" || type === "client-id");
    if (!rate || !isKnown) return [];
    return [{ user: names.get("user"), clientId: names.get("client-id"), bytesPerSecond: rate.value }];
  });
}

/**
 * The first that exists counts, in the order of Kafka's documentation ("Enforcement of client quotas"): (user, client),
 * (user, default client), user, (default user, client), (default user, default client), default user, client, default
 * client. Where the user is not known, the lowest that may apply is the honest answer.
 */
export function resolveQuota(entries: readonly QuotaEntry[], clientId: string, user: string | null): ConsumerByteRate {
  const users = user !== null ? [user] : [...new Set(entries.map((entry) => entry.user ?? null))];
  const rates = (users.length > 0 ? users : [null]).map((each) => resolveFor(entries, clientId, each));
  const limits = rates.filter((rate) => rate !== null);
  return limits.length === 0 ? "unlimited" : Math.min(...limits);
}

function resolveFor(entries: readonly QuotaEntry[], clientId: string, user: string | null): number | null {
  const find = (wantedUser: string | null | undefined, wantedClient: string | null | undefined) =>
    entries.find((entry) => entry.user === wantedUser && entry.clientId === wantedClient)?.bytesPerSecond;
  const userLevels: (string | null | undefined)[] = user === null ? [null] : [user, null];
  for (const level of userLevels) {
    for (const client of [clientId, null, undefined]) {
      const rate = find(level, client);
      if (rate !== undefined) return rate;
    }
  }
  return find(undefined, clientId) ?? find(undefined, null) ?? null;
}
