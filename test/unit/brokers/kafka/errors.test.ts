import { AuthenticationError, MultipleErrors, NetworkError, ProtocolError, TimeoutError } from "@platformatic/kafka";
import { expect, test } from "vitest";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import { brokerErrorFromCode } from "#lib/brokers/kafka/error-codes.ts";
import { toBrokerError } from "#lib/brokers/kafka/errors.ts";

const CONTEXT = { doing: "listing groups", address: "kafka-1:9092", usesTls: false, usesSasl: false };

/** As the client library nests them. */
const nested = (cause: Error) =>
  new MultipleErrors("Cannot connect to any broker.", [
    new NetworkError("Connection to kafka-1:9092 failed.", { cause }),
  ]);

const withCode = (code: string) => Object.assign(new Error(`${code} with hunter2 in its text`), { code });

test.each([
  ["ECONNREFUSED", "unreachable", "Nothing listens there"],
  ["ENOTFOUND", "unreachable", "host name is not known"],
  ["EHOSTUNREACH", "unreachable", "Check network and firewall"],
  ["ECONNRESET", "unreachable", "cut the connection"],
  ["CERT_HAS_EXPIRED", "tls-failed", "has expired. Renew it"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "tls-failed", "`tls.ca`"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "tls-failed", "`tls.serverName`"],
  ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "tls-failed", "`tls.cert` and `tls.key`"],
  ["ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE", "tls-failed", "`tls.cert` and `tls.key`"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "tls-failed", "does not speak TLS"],
  ["ERR_SSL_SOMETHING_NEW", "tls-failed", "ERR_SSL_SOMETHING_NEW"],
])("%s, however deep it is nested, becomes %s with its remedy", (code, expected, remedy) => {
  const error = toBrokerError(nested(withCode(code)), CONTEXT);
  expect(error.code).toBe(expected);
  expect(error.message).toContain("kafka-1:9092");
  expect(error.message).toContain(remedy);
  expect(error.message).not.toContain("hunter2");
});

test("refused credentials, an unknown mechanism and a listener without SASL are told apart", () => {
  const failed = (id: string) =>
    toBrokerError(nested(new AuthenticationError("SASL authentication failed.", { cause: new ProtocolError(id) })), {
      ...CONTEXT,
      usesSasl: true,
    });
  expect(failed("SASL_AUTHENTICATION_FAILED").message).toContain("refused the credentials");
  expect(failed("UNSUPPORTED_SASL_MECHANISM").message).toContain("does not offer this SASL mechanism");
  expect(failed("ILLEGAL_SASL_STATE").message).toContain("expects no SASL");
  expect(failed("SASL_AUTHENTICATION_FAILED")).toMatchObject({ code: "authentication-failed", retry: false });
});

test("a request without an answer is a timeout, a connection without one is unreachable; both may be tried again", () => {
  const request = toBrokerError(new TimeoutError("Request timed out"), CONTEXT);
  expect(request).toMatchObject({ code: "timeout", retry: true, message: expect.stringContaining("listing groups") });
  const connecting = toBrokerError(new TimeoutError("Connection to kafka-1:9092 timed out."), CONTEXT);
  expect(connecting).toMatchObject({ code: "unreachable", retry: true });
});

test("a connection that was cut names SASL as a possible cause only where none is configured", () => {
  const closed = new NetworkError("Connection closed");
  expect(toBrokerError(closed, CONTEXT).message).toContain("add a `sasl` section");
  expect(toBrokerError(closed, { ...CONTEXT, usesSasl: true }).message).not.toContain("sasl");
});

test("an answer that can't be read is no promise of anything", () => {
  expect(toBrokerError(new RangeError("out of bounds"), CONTEXT)).toMatchObject({ code: "protocol", retry: false });
});

test("an error of the port goes through unchanged, however deep", () => {
  const own = new BrokerError("cluster-id-changed", "another cluster");
  expect(toBrokerError(new AggregateError([new Error("outer", { cause: own })]), CONTEXT)).toBe(own);
});

test.each([
  [1, "offset-out-of-range", "OFFSET_OUT_OF_RANGE"],
  [3, "topic-not-found", "UNKNOWN_TOPIC_OR_PARTITION"],
  [6, "leader-moved", "NOT_LEADER_OR_FOLLOWER"],
  [16, "leader-moved", "NOT_COORDINATOR"],
  [29, "authorization-failed", "TOPIC_AUTHORIZATION_FAILED"],
  [56, "protocol", "KAFKA_STORAGE_ERROR"],
  [103, "topic-recreated", "INCONSISTENT_TOPIC_ID"],
  [9_999, "protocol", "error code 9999"],
])("protocol code %i is %s, and Kafka's name for it is told", (code, expected, name) => {
  const error = brokerErrorFromCode(code, "describing topic");
  expect(error.code).toBe(expected);
  expect(error.message).toContain(`${name} while describing topic.`);
});
