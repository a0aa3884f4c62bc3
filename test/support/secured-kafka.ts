/** A broker with listeners for every way to be secured, and configurations that reach them or fail to. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { BrokerError } from "#lib/brokers/broker-error.ts";
import { openBroker } from "#lib/brokers/open-broker.ts";
import type { ClusterConfig, SaslConfig, TlsConfig } from "#lib/platform/cluster-config.ts";
import type { SecretReference } from "#lib/platform/secret.ts";
import { type Authority, createAuthority } from "./certificates.ts";
import { clusterConfig } from "./cluster-config.ts";
import { type KafkaCluster, type SecureListener, startKafka } from "./kafka-cluster.ts";
import { saslListener, tlsListener } from "./kafka-security.ts";

/** By user name; `scram-user` has the reader's. */
export const PASSWORDS = { reader: "reader's password", limited: "limited-password", nobody: "nobody-password" };
export const WRONG_PASSWORD = "not-the-password";
/** Of the client `keyfold` at a token endpoint. */
export const CLIENT_SECRET = "client-secret";

export interface SecuredKafka {
  kafka: KafkaCluster;
  /** For files of the tests. */
  folder: string;
  authority: Authority;
  /** The configuration that reaches a listener with `security`. */
  at(listener: SecuredListener, security?: Partial<ClusterConfig>): ClusterConfig;
  /** TLS with the authority that the listeners' certificates are of. */
  trusted(more?: Partial<TlsConfig>): TlsConfig;
  secret(text: string): Promise<SecretReference>;
  password(mechanism: PasswordMechanism, username: string, text: string): Promise<SaslConfig>;
  stop(): Promise<void>;
}

export type PasswordMechanism = "plain" | "scram-sha-256" | "scram-sha-512";

export type SecuredListener =
  | "OUR_TLS"
  | "OUR_MTLS"
  /** Its certificate names another host. */
  | "NAMED_TLS"
  | "EXPIRED_TLS"
  | "OUR_SASL"
  /** SASL without TLS. */
  | "CLEAR_SASL"
  /** As CLEAR_SASL, and authentication counts for two seconds (KIP-368). */
  | "SHORT_SASL";

export async function startSecuredKafka(): Promise<SecuredKafka> {
  const folder = await mkdtemp(path.join(tmpdir(), "keyfold-security-"));
  const authority = await createAuthority(path.join(folder, "ours"));
  const kafka = await startKafka({
    version: "4.4",
    heapMegabytes: 320,
    security: {
      listeners: await describeListeners(authority),
      scramUsers: [
        { mechanism: "SCRAM-SHA-256", name: "scram-user", password: PASSWORDS.reader },
        { mechanism: "SCRAM-SHA-512", name: "scram-user", password: PASSWORDS.reader },
      ],
      acls: true,
    },
  });
  const secret = async (text: string): Promise<SecretReference> => {
    const file = path.join(folder, `secret-${Buffer.from(text).toString("hex")}`);
    await writeFile(file, text);
    return { file };
  };
  return {
    kafka,
    folder,
    authority,
    at: (listener, security = {}) => clusterConfig(kafka.serversOf(listener), security),
    trusted: (more = {}) => ({ ca: { file: authority.caPath }, ...more }),
    secret,
    password: async (mechanism, username, text) => ({ mechanism, username, password: await secret(text) }),
    stop: async () => {
      await kafka.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function describeListeners(authority: Authority): Promise<SecureListener[]> {
  const server = await authority.issue("server", {});
  const [named, expired] = [
    await authority.issue("named", { subjectAltName: "DNS:kafka.test" }),
    await authority.issue("expired", { isExpired: true }),
  ];
  const short = saslListener("SHORT_SASL", PASSWORDS, null);
  return [
    tlsListener("OUR_TLS", server),
    tlsListener("OUR_MTLS", server, authority),
    tlsListener("NAMED_TLS", named),
    tlsListener("EXPIRED_TLS", expired),
    saslListener("OUR_SASL", PASSWORDS, server),
    saslListener("CLEAR_SASL", PASSWORDS, null),
    { ...short, properties: { ...short.properties, "connections.max.reauth.ms": "2000" } },
  ];
}

/** Connects, authenticates and asks something that needs no right. */
export async function clusterIdAt(config: ClusterConfig): Promise<string> {
  const broker = await openBroker(config, { clientId: "keyfold-poll" });
  try {
    return (await broker.describeCluster()).clusterId;
  } finally {
    await broker.close();
  }
}

/** What the connection is refused with; throws where it is accepted, or where the message holds a secret. */
export async function refusalAt(config: ClusterConfig): Promise<Pick<BrokerError, "code" | "message">> {
  try {
    await clusterIdAt(config);
  } catch (error) {
    const { code, message } = error as BrokerError;
    for (const secret of [...Object.values(PASSWORDS), WRONG_PASSWORD, CLIENT_SECRET])
      if (message.includes(secret)) throw new Error(`the message holds a secret: ${message}`);
    return { code, message };
  }
  throw new Error("the connection was accepted");
}
