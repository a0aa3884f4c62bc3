// The launcher's own second half with small programs in the place of the application, so that its tests take seconds.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { openInstance, StartRefusedError } from "../../scripts/launcher/instance.mjs";
import { launch } from "../../scripts/launcher/launch.mjs";
import { readOptions } from "../../scripts/launcher/options.mjs";

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const standIn = (name) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`./launcher-stand-in-${name}.mjs`, import.meta.url))],
});

try {
  const { options } = readOptions(process.argv.slice(2), process.env, root);
  const instance = await openInstance({ options, env: process.env });
  const code = await launch(instance, { web: standIn("web"), worker: standIn("worker"), prepare: async () => {} });
  instance.release();
  process.exit(code);
} catch (error) {
  process.stderr.write(`${error instanceof StartRefusedError ? error.message : error.stack}\n`);
  process.exit(1);
}
