/** TLS and SASL of a cluster as the client library wants them; secrets are read anew for each connection. */
import type { ConnectionOptions as TlsOptions } from "node:tls";
import type { ConnectionOptions, SASLOptions } from "@platformatic/kafka";
import { AuthenticationError, SASLMechanisms } from "@platformatic/kafka";
import { BrokerError, type BrokerErrorCode } from "#lib/brokers/broker-error.ts";
import { createTokenSource, type TokenSource } from "#lib/brokers/kafka/oauth-token.ts";
import type { ConnectionCredentials, SaslConfig, TlsConfig } from "#lib/platform/cluster-config.ts";
import { readSecret, type SecretReference } from "#lib/platform/secret.ts";

export interface KafkaSecurity {
  readonly usesTls: boolean;
  readonly usesSasl: boolean;
  /** @throws BrokerError where a secret can't be read or no token is given */
  connectionOptions(): Promise<Pick<ConnectionOptions, "tls" | "tlsServerName" | "sasl">>;
}

/** One object for all connections of a cluster, so that they share an OAuth token. */
export function createSecurity({ tls, sasl }: ConnectionCredentials): KafkaSecurity {
  const tokens = sasl?.mechanism === "oauthbearer" ? createTokenSource(sasl.oauthbearer) : null;
  return {
    usesTls: tls !== null,
    usesSasl: sasl !== null,
    connectionOptions: async () => ({
      ...(tls ? { tls: readTlsOptions(tls) } : {}),
      ...(sasl ? { sasl: await readSaslOptions(sasl, tokens) } : {}),
    }),
  };
}

function readTlsOptions({ ca, cert, key, passphrase, serverName }: TlsConfig): TlsOptions {
  const read = (secret: SecretReference) => readOrThrow(secret, "tls-failed");
  return {
    ...(ca ? { ca: read(ca) } : {}),
    ...(cert ? { cert: read(cert) } : {}),
    ...(key ? { key: read(key) } : {}),
    ...(passphrase ? { passphrase: read(passphrase) } : {}),
    ...(serverName ? { servername: serverName } : {}),
    minVersion: "TLSv1.2",
  };
}

const MECHANISMS = {
  plain: SASLMechanisms.PLAIN,
  "scram-sha-256": SASLMechanisms.SCRAM_SHA_256,
  "scram-sha-512": SASLMechanisms.SCRAM_SHA_512,
} as const;

async function readSaslOptions(sasl: SaslConfig, tokens: TokenSource | null): Promise<SASLOptions> {
  if (sasl.mechanism !== "oauthbearer") {
    return {
      mechanism: MECHANISMS[sasl.mechanism],
      username: sasl.username,
      password: readOrThrow(sasl.password, "authentication-failed"),
    };
  }
  // Asked before connecting, so that a token endpoint that is down is told as such and not as a refused login; the
  // provider is asked once more when a long connection authenticates again (KIP-368).
  let first: string | null = await tokens!.token();
  const nextToken = () => {
    const token = first ?? tokens!.token();
    first = null;
    return token;
  };
  return {
    mechanism: SASLMechanisms.OAUTHBEARER,
    token: nextToken,
    ...(sasl.extensions ? { oauthBearerExtensions: sasl.extensions } : {}),
    // RFC 7628 section 3.2.3: a refused token is answered with a JSON document and no error code.
    authBytesValidator: (bytes, callback) =>
      bytes.length > 0 ? callback(new AuthenticationError("The token was refused.")) : callback(null, bytes),
  };
}

function readOrThrow(secret: SecretReference, code: BrokerErrorCode): string {
  const result = readSecret(secret);
  if (!result.ok) throw new BrokerError(code, result.error);
  return result.value;
}
