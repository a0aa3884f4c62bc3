// The web process: Next's production server on a listening socket that it inherits from the launcher (file descriptor 3), so that
// the port is never closed between the progress page and the application.
import { createServer } from "node:http";
import next from "next";

const LISTENING_FD = 3;
const STREAMS_GRACE_MS = 2000;

const port = Number(process.env.PORT);
const application = next({ dev: false, dir: process.cwd(), hostname: "127.0.0.1", port });
await application.prepare();
const handle = application.getRequestHandler();

const server = createServer((request, response) => {
  handle(request, response).catch((error) => {
    process.stderr.write(`${error.stack}\n`);
    response.destroy();
  });
});
server.listen({ fd: LISTENING_FD }, () => process.send?.("listening"));

let ending = false;
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, end);

/** Pages close their event streams on the same signal; one that stays open must not keep the process. */
function end() {
  if (ending) return;
  ending = true;
  server.close(() => process.exit(0));
  setTimeout(() => server.closeAllConnections(), STREAMS_GRACE_MS).unref();
  setTimeout(() => process.exit(0), STREAMS_GRACE_MS + 1000).unref();
}
