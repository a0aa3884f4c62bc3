/**
 * Turns what the client library throws (errors nested in `cause` and `errors`) into one `BrokerError` whose message
 * names what is wrong and what to do. Messages are made from codes; no text that could hold a secret is copied.
 */
import { ProtocolError, TimeoutError } from "@platformatic/kafka";
import { BrokerError, type BrokerErrorCode } from "#lib/brokers/broker-error.ts";
import { brokerErrorFromCode } from "#lib/brokers/kafka/error-codes.ts";
import { explainTlsCode } from "#lib/brokers/kafka/tls-errors.ts";

export interface FailureContext {
  /** What was asked, so that it can stand after "while": `describing topic "orders"`. */
  doing: string;
  /** `host:port` of the broker. */
  address: string;
  usesTls: boolean;
  usesSasl: boolean;
}

const NETWORK_CODES: Record<string, string> = {
  ECONNREFUSED: "Nothing listens there. Check the address, and whether the broker runs.",
  ENOTFOUND:
    "The host name is not known. Check the address, also those that the brokers advertise (advertised.listeners).",
  EAI_AGAIN: "The name server did not answer. Try again, or check this machine's DNS.",
  EHOSTUNREACH: "There is no way to this host. Check network and firewall.",
  ENETUNREACH: "There is no way to this network. Check network and firewall.",
  ETIMEDOUT: "The host did not answer. Check network and firewall.",
  ECONNRESET: "The other side cut the connection.",
  EPIPE: "The other side cut the connection.",
};

export function toBrokerError(error: unknown, context: FailureContext): BrokerError {
  const chain = listCauses(error);
  const own = chain.find((cause) => cause instanceof BrokerError);
  if (own) return own as BrokerError;
  const make = (code: BrokerErrorCode, message: string) => new BrokerError(code, message, { cause: error });
  return (
    fromTls(chain, context, make) ??
    fromAuthentication(chain, context, make) ??
    fromProtocol(chain, context) ??
    fromNetwork(chain, context, make) ??
    make(
      "protocol",
      `${context.address} gave an answer that can't be read while ${context.doing}. Is it a Kafka broker?`,
    )
  );
}

type Make = (code: BrokerErrorCode, message: string) => BrokerError;

function fromTls(chain: Error[], context: FailureContext, make: Make): BrokerError | null {
  if (chain.some(({ message }) => message === "Broker requires TLS.")) {
    return make(
      "tls-failed",
      `${context.address} speaks TLS, and this cluster is configured without. Add a \`tls\` section (\`tls: true\` where its authority is a public one).`,
    );
  }
  for (const cause of chain) {
    const explanation = explainTlsCode(codeOf(cause));
    if (explanation !== null) return make("tls-failed", `TLS with ${context.address} failed: ${explanation}`);
  }
  if (chain.some(({ message }) => message.startsWith("TLS handshake failed."))) {
    return make(
      "tls-failed",
      `${context.address} cut the connection during the TLS handshake: the port does not speak TLS, or the broker refused the client's certificate. Use the broker's TLS port, or take the \`tls\` section away.`,
    );
  }
  return null;
}

function fromAuthentication(chain: Error[], context: FailureContext, make: Make): BrokerError | null {
  const refusal = chain.find((cause) => protocolIdOf(cause) === "SASL_AUTHENTICATION_FAILED");
  const isAuthentication = chain.some((cause) => codeOf(cause) === "PLT_KFK_AUTHENTICATION");
  if (!refusal && !isAuthentication) return null;
  const ids = chain.map(protocolIdOf);
  if (ids.includes("UNSUPPORTED_SASL_MECHANISM")) {
    return make(
      "authentication-failed",
      `${context.address} does not offer this SASL mechanism. Set \`sasl.mechanism\` to one that the listener offers (sasl.enabled.mechanisms).`,
    );
  }
  if (ids.includes("ILLEGAL_SASL_STATE")) {
    return make(
      "authentication-failed",
      `${context.address} expects no SASL on this listener. Use its SASL port, or take the \`sasl\` section away.`,
    );
  }
  if (!refusal && chain.some(isClosed)) {
    return make(
      context.usesTls ? "unreachable" : "authentication-failed",
      `${context.address} cut the connection during SASL.${context.usesTls ? "" : " Does this listener speak TLS? Then add a `tls` section."}`,
    );
  }
  return make(
    "authentication-failed",
    `${context.address} refused the credentials. Check user name, password or token in \`sasl\`, and that they belong to this mechanism.`,
  );
}

function fromProtocol(chain: Error[], context: FailureContext): BrokerError | null {
  const cause = chain.find((each): each is ProtocolError => each instanceof ProtocolError);
  if (!cause) return null;
  const { apiCode } = cause as unknown as { apiCode: number };
  return brokerErrorFromCode(apiCode, `${context.doing} at ${context.address}`);
}

function fromNetwork(chain: Error[], context: FailureContext, make: Make): BrokerError | null {
  for (const cause of chain) {
    const remedy = NETWORK_CODES[codeOf(cause)];
    if (remedy) return make("unreachable", `${context.address} can't be reached (${codeOf(cause)}). ${remedy}`);
  }
  if (chain.some((cause) => cause instanceof TimeoutError && !cause.message.startsWith("Request"))) {
    return make("unreachable", `${context.address} did not accept the connection in time. Check network and firewall.`);
  }
  if (chain.some((cause) => cause instanceof TimeoutError)) {
    return make(
      "timeout",
      `${context.address} did not answer in time while ${context.doing}. Is the broker overloaded?`,
    );
  }
  if (!chain.some(isClosed)) return null;
  const hint = context.usesSasl ? "" : " If this listener asks for SASL, add a `sasl` section.";
  return make("unreachable", `${context.address} closed the connection while ${context.doing}.${hint}`);
}

const isClosed = (error: Error): boolean =>
  codeOf(error) === "PLT_KFK_NETWORK" && /^Connection (closed|error)/.test(error.message);

const codeOf = (error: Error): string => String((error as { code?: unknown }).code ?? "");

const protocolIdOf = (error: Error): string =>
  error instanceof ProtocolError ? String((error as unknown as { apiId?: unknown }).apiId ?? "") : "";

/** The error, its causes and the members of aggregates, outermost first. */
function listCauses(error: unknown): Error[] {
  const found: Error[] = [];
  const visit = (each: unknown): void => {
    if (!(each instanceof Error) || found.includes(each)) return;
    found.push(each);
    if (each instanceof AggregateError) each.errors.forEach(visit);
    visit(each.cause);
  };
  visit(error);
  return found;
}
