// Stands in for the web process: answers on the inherited socket, and keeps event streams open that nobody closes.
import { createServer } from "node:http";

createServer((request, response) => {
  if (request.url === "/stream") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: open\n\n");
    return;
  }
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ ready: true, pid: process.pid, hasOwner: "DATABASE_MIGRATION_URL" in process.env }));
}).listen({ fd: 3 }, () => process.send("listening"));

// As stubborn as a process can be: the launcher has to kill it.
process.on("SIGTERM", () => {
  if (!process.env.STAND_IN_IGNORES_SIGTERM) process.exit(0);
});
