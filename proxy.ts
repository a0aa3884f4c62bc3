import { type NextRequest, NextResponse } from "next/server";
import { refuseForeign } from "#lib/http/loopback-guard.ts";

/** Nothing from elsewhere, no inline script without this answer's nonce; React's style attributes are the one exception. */
function contentSecurityPolicy(nonce: string): string {
  // React rebuilds server stacks by eval in development only.
  const development = process.env.NODE_ENV === "development" ? " 'unsafe-eval'" : "";
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Next puts the nonce that it finds in the request's policy on its own scripts. */
export function proxy(request: NextRequest): NextResponse {
  // Routes refuse for themselves, with a problem that names the remedy; pages are refused here.
  const { headers: given, method } = request;
  const isApi = request.nextUrl.pathname.startsWith("/api/");
  const head = { method, host: given.get("host"), origin: given.get("origin"), fetchSite: given.get("sec-fetch-site") };
  if (!isApi && refuseForeign(head) !== null) {
    const text = "Keyfold answers on this machine only, under localhost or 127.0.0.1, until it has sign-in.\n";
    return new NextResponse(text, { status: 403, headers: { "Content-Type": "text/plain; charset=utf-8" } });
  }
  const policy = contentSecurityPolicy(Buffer.from(crypto.randomUUID()).toString("base64"));
  const headers = new Headers(request.headers);
  headers.set("Content-Security-Policy", policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("Content-Security-Policy", policy);
  return response;
}

export const config = { matcher: ["/((?!_next/static/|_next/image|favicon.ico|icon.svg).*)"] };
