// `npm start`. Plain JavaScript that needs no package: it starts on the system's Node with nothing installed, shows progress on the
// port from the first second, installs, and goes on (launcher/launch.mjs) on the Node that package-lock.json pins.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { installPackages, isInstalled, isPinnedNode } from "./launcher/install.mjs";
import { HANDOVER_VARIABLE, openInstance, StartRefusedError } from "./launcher/instance.mjs";
import { HELP, readOptions } from "./launcher/options.mjs";
import { acceptHandover, continueOnPinnedNode } from "./launcher/pinned-node.mjs";

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

async function start(options) {
  const handover = process.env[HANDOVER_VARIABLE] ? JSON.parse(process.env[HANDOVER_VARIABLE]) : undefined;
  delete process.env[HANDOVER_VARIABLE];
  const instance = await openInstance({ options, env: process.env, handover });
  if (handover) acceptHandover();
  else instance.terminal.line(`Keyfold is starting: http://127.0.0.1:${instance.port} shows how far it is.`);
  try {
    if (!handover) await install(instance);
    if (!isPinnedNode(ROOT)) return await continueOnPinnedNode(instance, process.argv.slice(1));
    const { launch } = await import("./launcher/launch.mjs");
    return await launch(instance);
  } catch (error) {
    if (instance.stopping.aborted) return 0;
    process.stderr.write(`\n${error.message}\n`);
    return 1;
  } finally {
    instance.release();
  }
}

async function install({ progress, stopping, logFile }) {
  if (isInstalled(ROOT)) return;
  await progress.run("install", "Install packages", () =>
    installPackages({ root: ROOT, logFile: logFile("npm-ci"), signal: stopping }),
  );
}

const parsed = readOptions(process.argv.slice(2), process.env, ROOT);
if (!parsed.ok) {
  process.stderr.write(`${parsed.message}\n`);
  process.exit(2);
}
if (parsed.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
try {
  process.exit(await start(parsed.options));
} catch (error) {
  process.stderr.write(`${error instanceof StartRefusedError ? error.message : error.stack}\n`);
  process.exit(1);
}
