/** Tokens for SASL OAUTHBEARER: from a token endpoint (client credentials, RFC 6749 section 4.4) or from a command. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { BrokerError } from "#lib/brokers/broker-error.ts";
import type { OAuthCommandConfig, OAuthEndpointConfig } from "#lib/platform/cluster-config.ts";
import { readSecret } from "#lib/platform/secret.ts";

export interface TokenSource {
  /** A token that stays valid for a while. @throws BrokerError `authentication-failed` or `unreachable` */
  token(): Promise<string>;
}

interface Token {
  value: string;
  /** Seconds from now; null where neither the answer nor the token says. */
  expiresInSeconds: number | null;
}

const TIMEOUT_MS = 10_000;
/** Renewed when a fifth of its life is left, and at least this long before its end. */
const MARGIN_MS = 10_000;
const LIFE_SHARE = 0.8;

export function createTokenSource(config: OAuthEndpointConfig | OAuthCommandConfig): TokenSource {
  let current: { token: Promise<Token>; renewAtMs: number } | null = null;
  const request = () => ("command" in config ? runCommand(config) : askEndpoint(config));
  const renew = (): Promise<Token> => {
    const mine = { token: request(), renewAtMs: Number.POSITIVE_INFINITY };
    current = mine;
    mine.token.then(
      ({ expiresInSeconds }) => {
        mine.renewAtMs = Date.now() + lifeMs(expiresInSeconds);
      },
      () => {
        if (current === mine) current = null;
      },
    );
    return mine.token;
  };
  return {
    async token() {
      const cached = current && Date.now() < current.renewAtMs ? current.token : renew();
      return (await cached).value;
    },
  };
}

/** How long a token is kept; one whose end is unknown is used once. */
export const lifeMs = (expiresInSeconds: number | null): number =>
  expiresInSeconds === null
    ? 0
    : Math.max(0, Math.min(expiresInSeconds * 1000 * LIFE_SHARE, expiresInSeconds * 1000 - MARGIN_MS));

async function askEndpoint(config: OAuthEndpointConfig): Promise<Token> {
  const secret = readSecret(config.clientSecret);
  if (!secret.ok) throw new BrokerError("authentication-failed", secret.error);
  const basic = Buffer.from(`${encodeURIComponent(config.clientId)}:${encodeURIComponent(secret.value)}`);
  let answer: Response;
  try {
    answer = await fetch(config.tokenEndpoint, {
      method: "POST",
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { authorization: `Basic ${basic.toString("base64")}`, accept: "application/json" },
      body: new URLSearchParams({
        grant_type: "client_credentials",
        ...(config.scope ? { scope: config.scope } : {}),
      }),
    });
  } catch (error) {
    const code = (error as { cause?: { code?: string } }).cause?.code;
    const reason = code ? ` (${code})` : "";
    const message = `The token endpoint ${config.tokenEndpoint} can't be reached${reason}. Check \`sasl.oauthbearer.tokenEndpoint\`.`;
    throw new BrokerError("unreachable", message);
  }
  if (!answer.ok) {
    await answer.body?.cancel();
    const remedy = "Check `clientId`, `clientSecret` and `scope` in `sasl.oauthbearer`.";
    const message = `The token endpoint ${config.tokenEndpoint} answered ${answer.status}. ${remedy}`;
    throw new BrokerError(answer.status >= 500 ? "unreachable" : "authentication-failed", message);
  }
  return parseToken(await answer.text(), `The token endpoint ${config.tokenEndpoint}`);
}

async function runCommand({ command }: OAuthCommandConfig): Promise<Token> {
  const [program, ...args] = command as [string, ...string[]];
  try {
    const { stdout } = await promisify(execFile)(program, args, { timeout: TIMEOUT_MS, maxBuffer: 1 << 20 });
    return parseToken(stdout, `The token command ${program}`);
  } catch (error) {
    if (error instanceof BrokerError) throw error;
    // Its output may hold a token: only the way it ended is told.
    const { code, killed } = error as { code?: string | number; killed?: boolean };
    const how = killed ? `did not end within ${TIMEOUT_MS / 1000} s` : `failed (${code ?? "unknown"})`;
    const message = `The token command ${program} ${how}. Run it by hand as the user that runs Keyfold.`;
    throw new BrokerError("authentication-failed", message);
  }
}

/** JSON with `access_token` and `expires_in`, or the bare token. */
export function parseToken(text: string, source: string): Token {
  const trimmed = text.trim();
  const { access_token: value = trimmed, expires_in: expiresIn } = trimmed.startsWith("{") ? parseJson(trimmed) : {};
  if (typeof value !== "string" || value === "" || /[\s{}]/.test(value)) {
    const remedy = "It must give JSON with `access_token`, or the bare token.";
    throw new BrokerError("authentication-failed", `${source} gave no token. ${remedy}`);
  }
  const seconds = Number(expiresIn);
  return { value, expiresInSeconds: expiresIn !== undefined && seconds > 0 ? seconds : readJwtLife(value) };
}

function parseJson(text: string): { access_token?: unknown; expires_in?: unknown } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Seconds until a JWT's `exp`; the claim is read, not trusted: the broker checks the token. */
function readJwtLife(token: string): number | null {
  const claims = token.split(".")[1];
  if (claims === undefined) return null;
  const { exp } = parseJson(Buffer.from(claims, "base64url").toString("utf8")) as { exp?: unknown };
  return typeof exp === "number" ? Math.max(0, exp - Date.now() / 1000) : null;
}
