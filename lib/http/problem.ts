/** Errors of the REST API as RFC 9457 problem details: what is wrong, with which field, and what to do. */
export interface Problem {
  status: number;
  title: string;
  /** What to do. */
  detail: string;
  /** The part of the request that it is about. */
  field?: string;
  [extension: string]: unknown;
}

export const problem = ({ status, ...body }: Problem): Response =>
  new Response(JSON.stringify({ type: "about:blank", status, ...body }), {
    status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store" },
  });
