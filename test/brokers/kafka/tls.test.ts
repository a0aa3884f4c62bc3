/** TLS against a real broker: what works, and that every refusal names its cause and the remedy. */
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Authority, createAuthority, type IssuedCertificate } from "../../support/certificates.ts";
import { clusterConfig } from "../../support/cluster-config.ts";
import {
  clusterIdAt,
  PASSWORDS,
  refusalAt,
  type SecuredKafka,
  startSecuredKafka,
} from "../../support/secured-kafka.ts";

let stranger: Authority;
let client: IssuedCertificate;
let strangersClient: IssuedCertificate;
let secured: SecuredKafka;

beforeAll(async () => {
  secured = await startSecuredKafka();
  stranger = await createAuthority(path.join(secured.folder, "theirs"));
  client = await secured.authority.issue("client", {});
  strangersClient = await stranger.issue("client", {});
});

afterAll(async () => {
  await secured?.stop();
});

test("a broker of an own authority is reached when `tls.ca` names it", async () => {
  expect(await clusterIdAt(secured.at("OUR_TLS", { tls: secured.trusted() }))).toMatch(/^[\w-]{22}$/);
});

test("an authority that is not named is told, with `tls.ca` as the remedy", async () => {
  const refusal = await refusalAt(secured.at("OUR_TLS", { tls: {} }));
  expect(refusal.code).toBe("tls-failed");
  expect(refusal.message).toMatch(/TLS with 127\.0\.0\.1:\d+ failed: .*authority that is not trusted here.*`tls\.ca`/);
});

test("the wrong authority is told", async () => {
  const refusal = await refusalAt(secured.at("OUR_TLS", { tls: { ca: { file: stranger.caPath } } }));
  expect(refusal).toMatchObject({ code: "tls-failed", message: expect.stringMatching(/authority.*`tls\.ca`/) });
});

test("an expired certificate is told", async () => {
  const refusal = await refusalAt(secured.at("EXPIRED_TLS", { tls: secured.trusted() }));
  expect(refusal).toMatchObject({ code: "tls-failed", message: expect.stringMatching(/has expired\. Renew it/) });
});

test("a certificate for another name is told, and `tls.serverName` helps", async () => {
  const refusal = await refusalAt(secured.at("NAMED_TLS", { tls: secured.trusted() }));
  expect(refusal).toMatchObject({
    code: "tls-failed",
    message: expect.stringMatching(/does not hold the name.*`tls\.serverName`/),
  });
  await clusterIdAt(secured.at("NAMED_TLS", { tls: secured.trusted({ serverName: "kafka.test" }) }));
});

test("a plain client at the TLS port is told to add `tls`", async () => {
  const refusal = await refusalAt(secured.at("OUR_TLS"));
  expect(refusal).toMatchObject({
    code: "tls-failed",
    message: expect.stringMatching(/speaks TLS.*Add a `tls` section/),
  });
});

test("a plain client with SASL at the TLS port is told to add `tls`", async () => {
  const refusal = await refusalAt(
    secured.at("OUR_SASL", { sasl: await secured.password("plain", "reader", PASSWORDS.reader) }),
  );
  expect(refusal.message).toMatch(/speaks? TLS.*`tls` section/);
});

test("a TLS client at the plain port is told so", async () => {
  const refusal = await refusalAt(clusterConfig(secured.kafka.servers, { tls: secured.trusted() }));
  expect(refusal).toMatchObject({
    code: "tls-failed",
    message: expect.stringMatching(/does not speak TLS.*take the `tls` section away/),
  });
});

test("a client certificate that the broker trusts is accepted", async () => {
  const pair = { cert: { file: client.certPath }, key: { file: client.keyPath } };
  expect(await clusterIdAt(secured.at("OUR_MTLS", { tls: secured.trusted(pair) }))).toMatch(/^[\w-]{22}$/);
});

test("a client certificate that is missing is told", async () => {
  const refusal = await refusalAt(secured.at("OUR_MTLS", { tls: secured.trusted() }));
  expect(refusal).toMatchObject({
    code: "tls-failed",
    message: expect.stringMatching(/client certificate.*`tls\.cert` and `tls\.key`/),
  });
});

test("a client certificate of an authority that the broker does not trust is told", async () => {
  const pair = { cert: { file: strangersClient.certPath }, key: { file: strangersClient.keyPath } };
  const refusal = await refusalAt(secured.at("OUR_MTLS", { tls: secured.trusted(pair) }));
  expect(refusal).toMatchObject({
    code: "tls-failed",
    message: expect.stringMatching(/client certificate.*`tls\.cert` and `tls\.key`/),
  });
});

test("a key that does not belong to the certificate is told", async () => {
  const pair = { cert: { file: client.certPath }, key: { file: strangersClient.keyPath } };
  const refusal = await refusalAt(secured.at("OUR_MTLS", { tls: secured.trusted(pair) }));
  expect(refusal).toMatchObject({
    code: "tls-failed",
    message: expect.stringMatching(/`tls\.key` does not belong to `tls\.cert`/),
  });
});

test("a file that is no PEM is told", async () => {
  const refusal = await refusalAt(secured.at("OUR_TLS", { tls: { ca: await secured.secret("no certificate") } }));
  expect(refusal).toMatchObject({ code: "tls-failed", message: expect.stringMatching(/`tls\.ca`/) });
});
