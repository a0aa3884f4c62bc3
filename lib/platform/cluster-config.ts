/** One entry of `clusters` in the configuration file, checked, with secrets named and not held. Plain data. */
import type { SecretReference } from "#lib/platform/secret.ts";

export interface ServerAddress {
  host: string;
  port: number;
}

export interface TlsConfig {
  /** Certificate authorities in PEM; absent: those that Node.js trusts. */
  ca?: SecretReference;
  cert?: SecretReference;
  key?: SecretReference;
  passphrase?: SecretReference;
  /** Name that the broker's certificate must hold, where it is not the host connected to. */
  serverName?: string;
}

export interface OAuthEndpointConfig {
  tokenEndpoint: string;
  clientId: string;
  clientSecret: SecretReference;
  scope?: string;
}

export interface OAuthCommandConfig {
  /** Program and arguments, started without a shell; prints a token, or JSON with `access_token` and `expires_in`. */
  command: string[];
}

export type SaslConfig =
  | { mechanism: "plain" | "scram-sha-256" | "scram-sha-512"; username: string; password: SecretReference }
  | {
      mechanism: "oauthbearer";
      oauthbearer: OAuthEndpointConfig | OAuthCommandConfig;
      /** SASL extensions that some providers ask for (RFC 7628). */
      extensions?: Record<string, string>;
    };

export interface ConnectionCredentials {
  tls: TlsConfig | null;
  sasl: SaslConfig | null;
}

export interface ClusterBudgets {
  scanBytesPerSecond: number;
  /** null: no limit. */
  scanBytesPerDay: number | null;
  requestsPerSecond: number | null;
}

export interface ClusterConfig extends ConnectionCredentials {
  id: string;
  aliases: string[];
  system: "kafka";
  servers: ServerAddress[];
  /** Credentials for changes; null: those above. */
  changes: ConnectionCredentials | null;
  readOnly: boolean;
  budgets: ClusterBudgets;
}

export const DEFAULT_SCAN_BYTES_PER_SECOND = 10 * 1024 * 1024;

export const formatAddress = ({ host, port }: ServerAddress): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
