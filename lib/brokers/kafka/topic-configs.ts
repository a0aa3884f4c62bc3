/** Effective configuration of topics and brokers, from DescribeConfigs requests. */
import { describeConfigsV4 } from "@platformatic/kafka";
import type { BrokerError } from "#lib/brokers/broker-error.ts";
import type { ConfigEntries, ConfigSource } from "#lib/brokers/broker-port.ts";
import type { BrokerConnections } from "#lib/brokers/kafka/broker-connections.ts";
import { brokerErrorFromCode } from "#lib/brokers/kafka/error-codes.ts";
import type { WireApi } from "#lib/brokers/kafka/wire-api.ts";
import { fail, ok, type Result } from "#lib/platform/result.ts";

interface ConfigResource {
  resourceType: number;
  resourceName: string;
  configurationKeys: string[];
}

type ConfigsAnswer = Awaited<ReturnType<typeof describeConfigsV4.api.async>>;

const DESCRIBE_CONFIGS: WireApi<[ConfigResource[], boolean, boolean], ConfigsAnswer> = [describeConfigsV4.api as never];

/** ConfigResource.Type of Kafka's clients. */
const TOPIC = 2;
const BROKER = 4;

/** Keeps an answer to a few hundred KiB, so that no request holds up the others on the connection. */
const TOPICS_PER_REQUEST = 500;

/** DescribeConfigsResponse.ConfigSource of Kafka's clients; 0 is UNKNOWN. */
const SOURCES: Record<number, ConfigSource> = {
  1: "topic",
  2: "broker-dynamic",
  3: "broker-default-dynamic",
  4: "broker-static",
  5: "default",
};

/** @throws BrokerError where no broker answers; refusals of a topic are in the map */
export async function readTopicConfigs(
  connections: BrokerConnections,
  topics: readonly string[],
  keys: readonly string[],
): Promise<Map<string, Result<ConfigEntries, BrokerError>>> {
  const configs = new Map<string, Result<ConfigEntries, BrokerError>>();
  for (let start = 0; start < topics.length; start += TOPICS_PER_REQUEST) {
    const resources = topics.slice(start, start + TOPICS_PER_REQUEST).map((name) => toResource(TOPIC, name, keys));
    const answer = await connections.requestAny("describing topic configurations", DESCRIBE_CONFIGS, [
      resources,
      false,
      false,
    ]);
    for (const result of answer.results) {
      const doing = `describing the configuration of topic ${JSON.stringify(result.resourceName)}`;
      configs.set(result.resourceName, toEntries(result, doing));
    }
  }
  return configs;
}

/** Each broker is asked itself: another one does not know its static settings. */
export async function readBrokerConfigs(
  connections: BrokerConnections,
  brokerIds: readonly number[],
  keys: readonly string[],
): Promise<Map<number, Result<ConfigEntries, BrokerError>>> {
  const results = await Promise.all(brokerIds.map((brokerId) => readBrokerConfig(connections, brokerId, keys)));
  return new Map(brokerIds.map((brokerId, index) => [brokerId, results[index]!]));
}

async function readBrokerConfig(
  connections: BrokerConnections,
  brokerId: number,
  keys: readonly string[],
): Promise<Result<ConfigEntries, BrokerError>> {
  const doing = `describing the configuration of broker ${brokerId}`;
  try {
    const resources = [toResource(BROKER, String(brokerId), keys)];
    const answer = await connections.request(brokerId, doing, DESCRIBE_CONFIGS, [resources, false, false]);
    return toEntries(answer.results[0]!, doing);
  } catch (error) {
    return fail(error as BrokerError);
  }
}

const toResource = (resourceType: number, resourceName: string, keys: readonly string[]): ConfigResource => ({
  resourceType,
  resourceName,
  configurationKeys: [...keys],
});

function toEntries(result: ConfigsAnswer["results"][number], doing: string): Result<ConfigEntries, BrokerError> {
  if (result.errorCode !== 0) return fail(brokerErrorFromCode(result.errorCode, doing));
  const entries = result.configs.map(({ name, value, configSource }) => [
    name,
    { value: value ?? null, source: SOURCES[configSource] ?? "other" },
  ]);
  return ok(Object.fromEntries(entries) as ConfigEntries);
}
