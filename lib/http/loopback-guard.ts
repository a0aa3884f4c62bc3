/**
 * Keyfold has no sign-in yet, so it answers on the loopback interface alone. That does not keep other web sites out of the
 * visitor's browser: a name of theirs may resolve to 127.0.0.1 (DNS rebinding), and their pages may send requests here.
 */
export interface RequestHead {
  method: string;
  /** The Host header. */
  host: string | null;
  /** The Origin header. */
  origin: string | null;
  /** The Sec-Fetch-Site header, which every current browser sends. */
  fetchSite: string | null;
}

export type Refusal = "host-not-loopback" | "origin-foreign";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Null where the request may pass. */
export function refuseForeign({ method, host, origin, fetchSite }: RequestHead): Refusal | null {
  if (host === null || !isLoopbackHost(host)) return "host-not-loopback";
  if (SAFE_METHODS.has(method)) return null;
  if (origin !== null && origin !== `http://${host}` && origin !== `https://${host}`) return "origin-foreign";
  return fetchSite === null || fetchSite === "same-origin" || fetchSite === "none" ? null : "origin-foreign";
}

/** `localhost`, a name below it, 127.0.0.0/8 or ::1, with or without a port. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d{1,5}$/, "").toLowerCase();
  if (name === "localhost" || name.endsWith(".localhost") || name === "[::1]") return true;
  return /^127(\.\d{1,3}){3}$/.test(name) && name.split(".").every((part) => Number(part) <= 255);
}
