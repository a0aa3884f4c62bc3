/** SASL against a real broker: what works, and that every refusal names its cause and the remedy. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBroker } from "#lib/brokers/open-broker.ts";
import type { SaslConfig } from "#lib/platform/cluster-config.ts";
import { clusterConfig } from "../../support/cluster-config.ts";
import { startTokenEndpoint, type TokenEndpoint, unsecuredToken } from "../../support/kafka-security.ts";
import {
  CLIENT_SECRET,
  clusterIdAt,
  PASSWORDS,
  refusalAt,
  type SecuredKafka,
  startSecuredKafka,
  WRONG_PASSWORD,
} from "../../support/secured-kafka.ts";

let tokens: TokenEndpoint;
let secured: SecuredKafka;

beforeAll(async () => {
  secured = await startSecuredKafka();
  tokens = await startTokenEndpoint("keyfold", CLIENT_SECRET);
});

afterAll(async () => {
  await tokens?.close();
  await secured?.stop();
});

describe("user name and password", () => {
  test("PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512 over TLS", async () => {
    await clusterIdAt(
      secured.at("OUR_SASL", {
        tls: secured.trusted(),
        sasl: await secured.password("plain", "reader", PASSWORDS.reader),
      }),
    );
    for (const mechanism of ["scram-sha-256", "scram-sha-512"] as const) {
      await clusterIdAt(
        secured.at("OUR_SASL", {
          tls: secured.trusted(),
          sasl: await secured.password(mechanism, "scram-user", PASSWORDS.reader),
        }),
      );
    }
  });

  test.each(["plain", "scram-sha-256", "scram-sha-512"] as const)("a wrong password is told: %s", async (mechanism) => {
    const user = mechanism === "plain" ? "reader" : "scram-user";
    const refusal = await refusalAt(
      secured.at("OUR_SASL", { tls: secured.trusted(), sasl: await secured.password(mechanism, user, WRONG_PASSWORD) }),
    );
    expect(refusal).toMatchObject({
      code: "authentication-failed",
      message: expect.stringMatching(/refused the credentials\. Check user name, password or token in `sasl`/),
    });
  });

  test("a password that was changed in its file counts at the next connection", async () => {
    const file = path.join(secured.folder, "rotated");
    await writeFile(file, WRONG_PASSWORD);
    const config = secured.at("CLEAR_SASL", { sasl: { mechanism: "plain", username: "reader", password: { file } } });
    expect((await refusalAt(config)).code).toBe("authentication-failed");
    await writeFile(file, `${PASSWORDS.reader}\n`);
    await clusterIdAt(config);
  });

  test("a client without SASL at a SASL port is told to add `sasl`", async () => {
    const refusal = await refusalAt(secured.at("OUR_SASL", { tls: secured.trusted() }));
    expect(refusal.message).toMatch(/`sasl` section/);
  });

  test.each(["plain", "scram-sha-512"] as const)("a session that ends is renewed: %s", async (mechanism) => {
    const user = mechanism === "plain" ? "reader" : "scram-user";
    const config = secured.at("SHORT_SASL", { sasl: await secured.password(mechanism, user, PASSWORDS.reader) });
    const broker = await openBroker(config, { clientId: "keyfold-poll" });
    try {
      for (let renewals = 0; renewals < 2; renewals++) {
        const { requests } = broker.traffic();
        // Nothing is asked meanwhile: these are the requests of another authentication.
        await expect.poll(() => broker.traffic().requests, { timeout: 10_000 }).toBeGreaterThan(requests);
        await broker.describeCluster();
      }
    } finally {
      await broker.close();
    }
  });

  test("requests that meet the renewal of a session lose nothing", async () => {
    const sasl = await secured.password("scram-sha-256", "scram-user", PASSWORDS.reader);
    const broker = await openBroker(secured.at("SHORT_SASL", { sasl }), { clientId: "keyfold-poll" });
    try {
      const before = broker.traffic().requests;
      let asked = 0;
      // Handshake and two messages each time; three renewals make nine requests that were not asked for here.
      while (broker.traffic().requests - before - asked < 9) {
        const clusters = await Promise.all([1, 2, 3].map(() => broker.describeCluster()));
        asked += clusters.length;
        expect(clusters.map(({ brokers }) => brokers.length)).toEqual([1, 1, 1]);
      }
    } finally {
      await broker.close();
    }
  });

  test("SASL at a port without it is told", async () => {
    const sasl = await secured.password("plain", "reader", PASSWORDS.reader);
    const refusal = await refusalAt(clusterConfig(secured.kafka.servers, { sasl }));
    expect(refusal).toMatchObject({
      code: "authentication-failed",
      message: expect.stringMatching(/expects no SASL.*take the `sasl` section away/),
    });
  });
});

describe("OAUTHBEARER", () => {
  const oauth = (oauthbearer: Extract<SaslConfig, { mechanism: "oauthbearer" }>["oauthbearer"]) =>
    secured.at("OUR_SASL", { tls: secured.trusted(), sasl: { mechanism: "oauthbearer", oauthbearer } });

  test("a token endpoint is asked once for many connections", async () => {
    const clientSecret = await secured.secret(CLIENT_SECRET);
    const before = tokens.given();
    const broker = await openBroker(oauth({ tokenEndpoint: tokens.url, clientId: "keyfold", clientSecret }), {
      clientId: "keyfold-poll",
    });
    const { brokers } = await broker.describeCluster();
    const logs = brokers.map(({ brokerId }) => broker.describeBrokerConfigs([brokerId], ["log.cleaner.threads"]));
    await Promise.all(logs);
    await broker.close();
    expect(tokens.given() - before).toBe(1);
  });

  test("a command that prints a bare token, or JSON", async () => {
    const token = unsecuredToken("keyfold", 600);
    for (const output of [token, JSON.stringify({ access_token: token, expires_in: 600 })]) {
      await clusterIdAt(oauth({ command: [process.execPath, "-e", `console.log(${JSON.stringify(output)})`] }));
    }
  });

  test("an expired token is refused by the broker, and told", async () => {
    const command = [process.execPath, "-e", `console.log(${JSON.stringify(unsecuredToken("keyfold", -60))})`];
    const refusal = await refusalAt(oauth({ command }));
    expect(refusal).toMatchObject({
      code: "authentication-failed",
      message: expect.stringMatching(/refused the credentials/),
    });
  });

  test("a client that the token endpoint does not know is told", async () => {
    const clientSecret = await secured.secret(WRONG_PASSWORD);
    const refusal = await refusalAt(oauth({ tokenEndpoint: tokens.url, clientId: "keyfold", clientSecret }));
    expect(refusal.code).toBe("authentication-failed");
    expect(refusal.message).toMatch(/token endpoint .* answered 401\. Check `clientId`, `clientSecret` and `scope`/);
  });

  test("a token endpoint that is down is told as such", async () => {
    const closed = await startTokenEndpoint("keyfold", CLIENT_SECRET);
    await closed.close();
    const clientSecret = await secured.secret(CLIENT_SECRET);
    const refusal = await refusalAt(oauth({ tokenEndpoint: closed.url, clientId: "keyfold", clientSecret }));
    expect(refusal).toMatchObject({
      code: "unreachable",
      message: expect.stringMatching(/token endpoint .*can't be reached \(ECONNREFUSED\)/),
    });
  });

  test("a command that fails is told without its output", async () => {
    const command = [process.execPath, "-e", "console.log('tok-3n'); process.exit(3)"];
    const refusal = await refusalAt(oauth({ command }));
    expect(refusal.message).toMatch(/token command .* failed \(3\)/);
    expect(refusal.message).not.toContain("tok-3n");
  });
});
