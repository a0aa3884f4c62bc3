/** What every route handler does alike: who may ask, how answers and failures look. */
import { type Refusal, refuseForeign } from "#lib/http/loopback-guard.ts";
import { problem } from "#lib/http/problem.ts";
import { encodeDecimals } from "#lib/measurements/decimal-fields.ts";
import { createLog, describeError } from "#lib/platform/log.ts";

const log = createLog("web");

type Handler<Context> = (request: Request, context: Context) => Promise<Response>;

/** A failure that nobody expected is logged and answered without its details. */
export const route =
  <Context>(handle: Handler<Context>): Handler<Context> =>
  async (request, context) => {
    const refusal = refuseRequest(request);
    if (refusal) return refusal;
    try {
      return await handle(request, context);
    } catch (error) {
      log.error("a request failed", { method: request.method, error: describeError(error) });
      return problem({
        status: 500,
        title: "The request failed inside Keyfold.",
        detail:
          "Look for this moment in the log of the web process; most likely Postgres could not be reached. Then try again.",
      });
    }
  };

/** Offsets, bytes and counts are decimal strings. */
export const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(encodeDecimals(body)), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });

const REFUSALS: Record<Refusal, { title: string; detail: string; field: string }> = {
  "host-not-loopback": {
    title: "Keyfold answers on this machine only.",
    detail: "Open it as http://localhost or http://127.0.0.1 with its port; use a tunnel from another machine.",
    field: "Host",
  },
  "origin-foreign": {
    title: "A page of another origin can't change anything here.",
    detail: "Send the request from Keyfold's own pages, or without an Origin header from a program.",
    field: "Origin",
  },
};

function refuseRequest(request: Request): Response | null {
  const { method, headers } = request;
  const refusal = refuseForeign({
    method,
    host: headers.get("host"),
    origin: headers.get("origin"),
    fetchSite: headers.get("sec-fetch-site"),
  });
  return refusal === null ? null : problem({ status: 403, ...REFUSALS[refusal] });
}
