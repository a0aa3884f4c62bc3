/** Secure listeners and tokens for tests. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Authority, IssuedCertificate } from "./certificates.ts";
import type { SecureListener } from "./kafka-cluster.ts";

export const tlsListener = (
  name: string,
  certificate: IssuedCertificate,
  clientAuthority?: Authority,
): SecureListener => ({
  name,
  protocol: "SSL",
  properties: { ...keystore(certificate), ...(clientAuthority ? clientTruststore(clientAuthority) : {}) },
});

const keystore = ({ keystorePath }: IssuedCertificate): Record<string, string> => ({
  "ssl.keystore.type": "PEM",
  "ssl.keystore.location": keystorePath,
});

const clientTruststore = ({ caPath }: Authority): Record<string, string> => ({
  "ssl.truststore.type": "PEM",
  "ssl.truststore.location": caPath,
  "ssl.client.auth": "required",
});

const PLAIN_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule";
const SCRAM_MODULE = "org.apache.kafka.common.security.scram.ScramLoginModule";
const OAUTH_MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule";

/**
 * A listener with every mechanism that Keyfold speaks; OAUTHBEARER by the broker's handler for unsecured tokens.
 * @param plainUsers password by user name; SCRAM users are made with the cluster
 * @param certificate null: SASL without TLS
 */
export const saslListener = (
  name: string,
  plainUsers: Record<string, string>,
  certificate: IssuedCertificate | null,
): SecureListener => ({
  name,
  protocol: certificate ? "SASL_SSL" : "SASL_PLAINTEXT",
  properties: {
    ...(certificate ? keystore(certificate) : {}),
    "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER",
    "plain.sasl.jaas.config": `${PLAIN_MODULE} required ${Object.entries(plainUsers)
      .map(([user, password]) => `user_${user}="${password}"`)
      .join(" ")};`,
    "scram-sha-256.sasl.jaas.config": `${SCRAM_MODULE} required;`,
    "scram-sha-512.sasl.jaas.config": `${SCRAM_MODULE} required;`,
    "oauthbearer.sasl.jaas.config": `${OAUTH_MODULE} required unsecuredLoginStringClaim_sub="broker";`,
  },
});

const toBase64Url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** As the broker's handler for unsecured tokens accepts it. */
export function unsecuredToken(subject: string, lifeSeconds: number): string {
  const now = Math.floor(Date.now() / 1000);
  return `${toBase64Url({ alg: "none" })}.${toBase64Url({ sub: subject, iat: now - 1, exp: now + lifeSeconds })}.`;
}

export interface TokenEndpoint {
  url: string;
  /** Tokens given so far. */
  given(): number;
  close(): Promise<void>;
}

/** Gives unsecured tokens for client credentials (RFC 6749 section 4.4) to the one client that it knows. */
export async function startTokenEndpoint(clientId: string, clientSecret: string): Promise<TokenEndpoint> {
  let given = 0;
  const expected = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text) => {
      body += text;
    });
    request.on("end", () => {
      const isKnown = request.headers.authorization === expected;
      const isRight = isKnown && new URLSearchParams(body).get("grant_type") === "client_credentials";
      response.writeHead(isRight ? 200 : 401, { "content-type": "application/json" });
      if (isRight) given++;
      const answer = { access_token: unsecuredToken(clientId, 3600), token_type: "Bearer", expires_in: 3600 };
      response.end(JSON.stringify(isRight ? answer : { error: "invalid_client" }));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/token`,
    given: () => given,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
