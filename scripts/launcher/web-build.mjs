// Makes what the web pages and the worker are run from, where the sources changed: the Prisma client and the Next build.
import path from "node:path";
import { hashContents, readStamp, writeStamp } from "./content-hash.mjs";
import { runCommand } from "./run-command.mjs";

const CLIENT_SOURCES = ["prisma/schema.prisma", "prisma.config.ts", "node_modules/prisma/package.json"];
const BUILD_SOURCES = [
  ...["app", "components", "lib", "public", "prisma/schema.prisma", "package.json", "package-lock.json"],
  ...["next.config.ts", "next.config.mjs", "postcss.config.mjs", "tsconfig.json", "tsconfig.web.json"],
  ...["instrumentation.ts", "proxy.ts"],
];

/** Generates the Prisma client. Returns false where it is as new as the schema. */
export async function generateClient({ root, env, logFile, signal }) {
  const stamp = path.join(root, "generated", "prisma", ".made-from");
  const sources = hashContents(root, CLIENT_SOURCES);
  if (readStamp(stamp) === sources) return false;
  await runCommand({
    name: "prisma generate",
    command: path.join(root, "node_modules", ".bin", "prisma"),
    args: ["generate"],
    cwd: root,
    // The client is generated without the native engine, which npm does not hold and prisma would try to download.
    env: { ...env, PRISMA_SCHEMA_ENGINE_BINARY: "/bin/true", PRISMA_HIDE_UPDATE_MESSAGE: "1" },
    logFile,
    signal,
  });
  writeStamp(stamp, sources);
  return true;
}

/** Builds the pages. Returns false where the last build is of the same sources. */
export async function buildWeb({ root, env, logFile, signal }) {
  const stamp = path.join(root, ".next", "made-from");
  const sources = hashContents(root, BUILD_SOURCES);
  if (readStamp(stamp) === sources && readStamp(path.join(root, ".next", "BUILD_ID")) !== null) return false;
  const command = path.join(root, "node_modules", ".bin", "next");
  await runCommand({ name: "next build", command, args: ["build"], cwd: root, env, logFile, signal });
  writeStamp(stamp, sources);
  return true;
}
