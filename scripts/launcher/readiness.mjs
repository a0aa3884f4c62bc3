// Tells on the terminal when the application answers, and when it is ready.
import { setTimeout as sleep } from "node:timers/promises";
import { formatSeconds } from "./progress.mjs";

const ASK_EVERY_MS = 1000;

/** Prints the address now, and one line once /api/ready says so; what keeps it from that is told when it changes. */
export async function announceReadiness({ terminal, port, progress, stopping }) {
  const address = `http://127.0.0.1:${port}`;
  const { startedAt } = progress.snapshot();
  terminal.mark("done", `Keyfold answers at ${address} (Ctrl-C stops it).`);
  let told = "";
  while (!stopping.aborted) {
    const { ready, reason } = await askReady(address);
    if (ready) return terminal.mark("done", `Ready after ${formatSeconds(Date.now() - startedAt)}.`);
    if (reason !== told) terminal.mark("running", `Not ready yet: ${reason}`);
    told = reason;
    await sleep(ASK_EVERY_MS, undefined, { signal: stopping }).catch(() => {});
  }
}

async function askReady(address) {
  try {
    const response = await fetch(`${address}/api/ready`, { signal: AbortSignal.timeout(5000) });
    if (response.ok) return { ready: true, reason: "" };
    const body = await response.json().catch(() => ({}));
    return {
      ready: false,
      reason: [body.reasons ?? body.reason ?? body.detail ?? []].flat().join(" ") || "no reason given",
    };
  } catch {
    return { ready: false, reason: "the pages do not answer" };
  }
}
