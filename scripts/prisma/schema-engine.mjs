#!/usr/bin/env node
import { appendFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
// Speaks Prisma's schema-engine protocol (CLI sub-commands + JSON-RPC on stdio), but runs the WASM
// schema engine from npm over @prisma/adapter-pg instead of the native binary.
import { createInterface } from "node:readline";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import pg from "pg";

const log = (...a) =>
  process.env.SE_LOG &&
  appendFileSync(process.env.SE_LOG, `${a.map((x) => (typeof x === "string" ? x : JSON.stringify(x))).join(" ")}\n`);
const argv = process.argv.slice(2);
log("ARGV", argv);
const take = (n) => {
  const i = argv.indexOf(n);
  return i < 0 ? undefined : argv[i + 1];
};
if (argv.includes("--version")) {
  console.log("schema-engine-cli wasm-shim");
  process.exit(0);
}
const ds = JSON.parse(take("--datasource") ?? "{}");
const schema = new URL(ds.url ?? "postgresql://x").searchParams.get("schema") ?? "public";
console.error(
  JSON.stringify({
    timestamp: new Date().toISOString(),
    level: "INFO",
    fields: { message: "Starting schema engine (wasm)" },
    target: "schema_engine",
  }),
);
const fail = (code, message, meta = {}) => {
  console.error(
    JSON.stringify({
      timestamp: new Date().toISOString(),
      level: "ERROR",
      fields: { error_code: code, message, is_panic: false, ...meta },
      target: "schema_engine::logger",
    }),
  );
  process.exit(1);
};
const cli = argv.indexOf("cli");
if (cli >= 0) {
  const cmd = argv[cli + 1];
  const u = new URL(ds.url);
  const name = decodeURIComponent(u.pathname.slice(1));
  const admin = new URL(ds.url);
  admin.pathname = "/postgres";
  const q = (s) => `"${s.replaceAll('"', '""')}"`;
  const run = async (url, sql) => {
    const c = new pg.Client({ connectionString: String(url) });
    await c.connect();
    try {
      if (sql) await c.query(sql);
    } finally {
      await c.end();
    }
  };
  try {
    if (cmd === "can-connect-to-database") await run(u);
    else if (cmd === "create-database") await run(admin, `CREATE DATABASE ${q(name)}`);
    else if (cmd === "drop-database") await run(admin, `DROP DATABASE IF EXISTS ${q(name)} WITH (FORCE)`);
    else fail("P0000", `unknown cli command ${cmd}`);
    process.exit(0);
  } catch (e) {
    if (e.code === "3D000")
      fail("P1003", `Database \`${name}\` does not exist on the database server`, { meta: { database_name: name } });
    if (e.code === "28P01") fail("P1000", "Authentication failed");
    fail("P1001", `Can't reach database server at \`${u.host}\`: ${e.message}`);
  }
}
const require = createRequire(import.meta.url);
const dir = path.dirname(require.resolve("@prisma/schema-engine-wasm/schema_engine_bg"));
const glue = await import(path.join(dir, "schema_engine_bg.js"));
const wasmFile = process.env.SE_WASM ?? path.join(dir, "schema_engine_bg.wasm");
globalThis.PRISMA_WASM_PANIC_REGISTRY = {
  message: "",
  set_message(m) {
    this.message = m;
    log("PANIC", m);
  },
};
const { instance } = await WebAssembly.instantiate(readFileSync(wasmFile), { "./schema_engine_bg.js": glue });
glue.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start?.();
const CHARACTER = 6; // ColumnTypeEnum.Character
let patched = false;
const patch = (conn) => {
  if (patched) return conn;
  patched = true;
  const adapterProto = Object.getPrototypeOf(conn),
    proto = Object.getPrototypeOf(adapterProto); // PrismaPgAdapter, PgQueryable
  // adapter-pg rejects the catalogue type "char" (OID 18), which the engine reads when it describes a schema.
  const io = proto.performIO,
    raw = proto.queryRaw;
  proto.performIO = async function (q) {
    const r = await io.call(this, q);
    for (const f of r.fields ?? [])
      if (f.dataTypeID === 18) {
        f.dataTypeID = 1042;
        f.wasChar = true;
      }
    this.lastFields = r.fields;
    return r;
  };
  proto.queryRaw = async function (q) {
    const r = await raw.call(this, q);
    this.lastFields?.forEach((f, i) => {
      if (f.wasChar) r.columnTypes[i] = CHARACTER;
    });
    return r;
  };
  // adapter-pg splits scripts on ";", which breaks functions and strings: send the script whole (one implicit transaction, as the native engine does).
  adapterProto.executeScript = async function (script) {
    try {
      await this.client.query(script);
    } catch (e) {
      this.onError(e);
    }
  };
  return conn;
};
const shadow = ds.shadowDatabaseUrl;
class Factory extends PrismaPg {
  async connect() {
    return patch(await super.connect());
  }
  async connectToShadowDb() {
    if (shadow) {
      const c = await new Factory({ connectionString: shadow }).connect();
      await c.executeScript("DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public;");
      return c;
    }
    const name = `prisma_migrate_shadow_db_${crypto.randomUUID()}`;
    const u = new URL(ds.url);
    u.pathname = `/${name}`;
    const admin = await this.connect();
    await admin.executeScript(`CREATE DATABASE "${name}"`);
    const c = await new Factory({ connectionString: String(u) }).connect();
    const end = c.dispose.bind(c);
    c.dispose = async () => {
      await end();
      await admin.executeScript(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
      await admin.dispose();
    };
    return c;
  }
}
const factory = bindMigrationAwareSqlAdapterFactory(
  new Factory({ connectionString: ds.url, max: 1, idleTimeoutMillis: 0 }, { schema }),
);
const datamodels = argv
  .map((a, i) => (a === "--datamodels" || a === "-d" ? argv[i + 1] : undefined))
  .filter(Boolean)
  .map((f) => [f, readFileSync(f, "utf8")]);
let engine;
const get = async () =>
  (engine ??= await glue.SchemaEngine.new(
    { datamodels: datamodels.length ? datamodels : undefined },
    (m) => log("ENGINE", m),
    factory,
  ));
const map = { getDatabaseVersion: "version" };
const send = (o) => {
  log("SEND", o);
  process.stdout.write(`${JSON.stringify(o)}\n`);
};
let chain = Promise.resolve();
createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (!line.trim()) return;
    chain = chain.then(async () => {
      const m = JSON.parse(line);
      log("RECV", line);
      if (!m.method) return; // the CLI's answer to our "print"
      try {
        const e = await get();
        const name = map[m.method] ?? m.method;
        if (typeof e[name] !== "function")
          throw Object.assign(new Error(`method ${m.method} unsupported by wasm engine`), {});
        const result = (await e[name](m.params)) ?? {};
        if (m.method === "diff" && result.stdout)
          send({ jsonrpc: "2.0", id: 1e6 + m.id, method: "print", params: { content: result.stdout } });
        send({ jsonrpc: "2.0", id: m.id, result });
      } catch (err) {
        log("ERR", String(err), Object.entries(err ?? {}), err?.stack ?? "");
        send({
          jsonrpc: "2.0",
          id: m.id,
          error: {
            code: 4466,
            message: "An error happened. Check the data field for details.",
            data: {
              is_panic: false,
              message: err?.message ?? String(err),
              meta: err?.meta ?? { full_error: err?.message ?? String(err) },
              error_code: err?.code ?? err?.error_code,
            },
          },
        });
      }
    });
  })
  .on("close", () => chain.then(() => process.exit(0)));
