// Holds the port while the application does not: from the first second, and again whenever the web process is down.
import { createServer } from "node:http";
import { renderProgressPage } from "./progress-page.mjs";

/**
 * Opens the progress page. `where` is {port} or {fd} (a listening socket inherited from the process before this one).
 * The socket can be handed to a child by `fd()`: both accept from the same queue until this one is closed, so that no
 * request meets a closed port.
 */
export async function openProgressServer(where, progress) {
  const server = createServer((request, response) => answer(request, response, progress));
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(where.fd === undefined ? { port: where.port, host: "127.0.0.1" } : { fd: where.fd }, resolve);
  });
  return {
    port: server.address().port,
    fd: () => server._handle.fd,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        // Answers under way end by themselves; a browser's spare connection would not.
        setTimeout(() => server.closeAllConnections(), 300).unref();
      }),
  };
}

function answer(request, response, progress) {
  const { pathname } = new URL(request.url, "http://localhost");
  const snapshot = progress.snapshot();
  // The connection must not outlive this answer: the next request belongs to whoever holds the port by then.
  response.setHeader("connection", "close");
  response.setHeader("cache-control", "no-store");
  if (pathname === "/api/health") return sendJson(response, 200, { status: "alive" });
  if (pathname.startsWith("/api/")) {
    response.setHeader("retry-after", "2");
    return sendJson(response, 503, describeProgress(snapshot));
  }
  response.writeHead(pathname === "/" ? 200 : 503, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "x-content-type-options": "nosniff",
  });
  response.end(request.method === "HEAD" ? undefined : renderProgressPage(snapshot));
}

function describeProgress(snapshot) {
  const running = snapshot.steps.filter((step) => step.state === "running").map((step) => step.title);
  const failed = snapshot.steps
    .filter((step) => step.state === "failed")
    .map((step) => `${step.title}: ${step.detail}`);
  return {
    ready: false,
    reasons: failed.length > 0 ? failed : [`Starting: ${running.join(", ") || "almost done"}.`],
    steps: snapshot.steps.map(({ title, state, startedAt, endedAt, detail }) => {
      return { title, state, durationMs: (endedAt ?? snapshot.now) - startedAt, detail };
    }),
  };
}

function sendJson(response, status, body) {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(`${JSON.stringify(body)}\n`);
}
