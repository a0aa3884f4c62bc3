import { expect, test } from "vitest";
import { readOptions } from "../../../scripts/launcher/options.mjs";

const ROOT = "/srv/keyfold";

test("without arguments the demo runs where no clusters are configured, and only there", () => {
  expect(readOptions([], {}, ROOT)).toEqual({
    ok: true,
    options: { root: ROOT, port: 3000, dataFolder: "/srv/keyfold/.keyfold", demo: "kafka" },
  });
  expect(readOptions([], { KEYFOLD_CONFIG: "clusters.yaml" }, ROOT)).toMatchObject({ options: { demo: "none" } });
  expect(readOptions(["--demo", "none"], {}, ROOT)).toMatchObject({ options: { demo: "none" } });
});

test.each([
  [["--nosuch"], {}, "Unknown option '--nosuch'"],
  [["start"], {}, "Unexpected argument 'start'"],
  [["--demo", "pulsar"], {}, '--demo takes kafka or none, not "pulsar"'],
  [["--demo=kafka"], { KEYFOLD_CONFIG: "clusters.yaml" }, "exclude each other"],
  [[], { PORT: "http" }, 'PORT must be a number from 0 to 65535, not "http"'],
  [[], { PORT: "70000" }, "PORT must be a number"],
])("wrong use %j with %j is refused and names what is wrong", (argv, env, message) => {
  expect(readOptions(argv, env, ROOT)).toEqual({ ok: false, message: expect.stringContaining(message) });
});
