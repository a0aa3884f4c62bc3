/** Reads and changes over the REST API, from the browser. */
import { decodeDecimals } from "#lib/measurements/decimal-fields.ts";

const TIMEOUT_MS = 20_000;

/** What the API said in its problem document, in words for a page. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number | null;

  constructor(status: number | null, message: string) {
    super(message);
    this.status = status;
  }
}

/** Offsets, bytes and counts come as decimal strings and are numbers again here. Throws an `ApiError`. */
export async function callApi<T>(path: string, method: "GET" | "POST" = "GET"): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(path, { method, signal: AbortSignal.timeout(TIMEOUT_MS), cache: "no-store" });
  } catch {
    throw new ApiError(null, "Keyfold does not answer. Check that it runs; this is tried again by itself.");
  }
  const body: unknown = await answer.json().catch(() => null);
  if (answer.ok) return decodeDecimals(body) as T;
  const { title, detail } = (body ?? {}) as { title?: string; detail?: string };
  throw new ApiError(answer.status, [title ?? `The answer was ${answer.status}.`, detail].filter(Boolean).join(" "));
}
