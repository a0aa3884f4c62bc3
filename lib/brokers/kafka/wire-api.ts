/** Which version of a request is sent. */
import { type API, apiVersionsV0, apiVersionsV3, type Connection, ResponseError } from "@platformatic/kafka";
import { BrokerError } from "#lib/brokers/broker-error.ts";

/** The versions of one request that Keyfold can send, best first; all take the same arguments. */
export type WireApi<Args extends unknown[], Answer> = readonly [API<Args, Answer>, ...API<Args, Answer>[]];

export interface FeatureLevel {
  name: string;
  maxVersion: number;
}

export interface OfferedVersions {
  /** By API key. */
  ranges: ReadonlyMap<number, { min: number; max: number }>;
  supportedFeatures: readonly FeatureLevel[];
  finalizedFeatures: readonly FeatureLevel[];
}

const SOFTWARE = ["keyfold", "0"] as const;

/** Asks a broker what it offers. Version 0 is what a broker without version 3 answers to (KIP-511). */
export async function negotiateVersions(connection: Connection): Promise<OfferedVersions> {
  try {
    return readOffer(await apiVersionsV3.api.async(connection, ...SOFTWARE));
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    return readOffer(await apiVersionsV0.api.async(connection, ...SOFTWARE));
  }
}

type ApiVersionsAnswer = Awaited<ReturnType<typeof apiVersionsV3.api.async>>;

const readOffer = (answer: ApiVersionsAnswer): OfferedVersions => ({
  ranges: new Map(answer.apiKeys.map((api) => [api.apiKey, { min: api.minVersion, max: api.maxVersion }])),
  supportedFeatures: answer.supportedFeatures ?? [],
  finalizedFeatures: (answer.finalizedFeatures ?? []).map((f) => ({ name: f.name, maxVersion: f.maxVersionLevel })),
});

/** @throws BrokerError `unsupported-version` where the broker offers none of them */
export function chooseVersion<Args extends unknown[], Answer>(
  api: WireApi<Args, Answer>,
  offered: OfferedVersions,
  doing: string,
): API<Args, Answer> {
  const range = offered.ranges.get(api[0].key);
  const chosen = range && api.find(({ version }) => version >= range.min && version <= range.max);
  if (chosen) return chosen;
  const has = range ? `the broker offers ${range.min} to ${range.max}` : "the broker does not offer it";
  const needs = api.map(({ version }) => version).join(" or ");
  throw new BrokerError(
    "unsupported-version",
    `Request ${api[0].key} in version ${needs} is needed for ${doing}, and ${has}. Apache Kafka 3.5 to 4.4 is supported.`,
  );
}

/** The answer also where it holds error codes: each caller looks at its own, so that one failed part costs no other. */
export async function sendTolerantly<Args extends unknown[], Answer>(
  api: API<Args, Answer>,
  connection: Connection,
  args: Args,
): Promise<Answer> {
  try {
    return await api.async(connection, ...args);
  } catch (error) {
    const answer = error instanceof ResponseError ? (error as { response?: unknown }).response : undefined;
    if (answer === undefined) throw error;
    return answer as Answer;
  }
}
