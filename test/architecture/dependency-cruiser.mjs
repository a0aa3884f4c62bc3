// Import rules. Each comment is what a developer reads when the check fails: say what to do instead.

// The only files of a module that may do I/O, by role: `queries.ts` or, where one is too long, `history-queries.ts`.
const SHELL = "(^|/|-)(commands|queries|store|jobs?|queue|thread)[.]ts$";
const MODULES =
  "access|alerts|audit|change-requests|clusters|compaction|consumer-groups|findings|measurements|offset-resets|projections|scans|topics";

export default {
  forbidden: [
    {
      name: "no-circular",
      severity: "error",
      comment: "Move the shared part down a level.",
      // The two ports are types alone and name each other's; swc, which reads them, does not tell such imports apart.
      from: { pathNot: "^lib/brokers/(broker|replica-log)-port[.]ts$" },
      to: { circular: true },
    },
    {
      name: "resolvable",
      severity: "error",
      comment: "An import that cannot be resolved escapes every other rule.",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "test-is-a-leaf",
      severity: "error",
      comment: "Shipped code must not import tests.",
      from: { pathNot: "^test/" },
      to: { path: "^test/" },
    },
    {
      name: "app-is-the-top",
      severity: "error",
      comment: "Nothing imports a route.",
      from: { pathNot: "^(app|test)/" },
      to: { path: "^app/" },
    },
    {
      name: "lib-does-not-render",
      severity: "error",
      comment: "lib/ knows neither React nor Next; only lib/http may.",
      from: { path: "^lib/", pathNot: "^lib/http/" },
      to: { path: "^(app|components)/|(^|node_modules/)(react|react-dom|next)(/|$)" },
    },
    {
      name: "scripts-are-outside",
      severity: "error",
      comment: "The product does not import what starts or tests it.",
      from: { path: "^(lib|app|components)/" },
      to: { path: "^scripts/" },
    },
    {
      name: "app-through-commands-and-queries",
      severity: "error",
      comment: "Routes call a module's commands or queries; they don't touch its store, the database or a broker.",
      from: { path: "^app/" },
      to: { path: "[/-]store[.]ts$|^lib/platform/db[.]ts$|^lib/brokers/(kafka|pulsar|nats)/|^prisma/|@prisma/" },
    },
    {
      name: "components-stay-pure",
      severity: "error",
      comment:
        "Components get data as props; load it in the page. (Paths of links and requests come from lib/http/paths.)",
      from: { path: "^components/" },
      to: {
        path: `^lib/.+${SHELL}|^lib/(http|jobs)/|^lib/platform/(db|env|log)[.]ts$`,
        pathNot: "^lib/http/paths[.]ts$",
      },
    },
    {
      name: "ui-knows-no-domain",
      severity: "error",
      comment:
        "components/ui is domain-free; of lib/ it may import how figures are written, which the command line shares.",
      from: { path: "^components/ui/" },
      to: { path: "^lib/|^components/(?!ui/)", pathNot: "^lib/platform/format-[^/]+[.]ts$" },
    },
    {
      name: "core-is-pure",
      severity: "error",
      comment:
        "Every module file but commands, queries, store, job, queue and thread is pure: values in, values out. Pass in the clock, ids and data.",
      from: { path: `^lib/(${MODULES})/`, pathNot: SHELL },
      to: {
        path: `^lib/.+${SHELL}|^lib/platform/(db|env|clock|ids|log|metrics)[.]ts$|^lib/(http|jobs)/|^lib/brokers/(.+/|open-broker[.]ts$)|@prisma/`,
      },
    },
    {
      name: "core-uses-no-node",
      severity: "error",
      comment: "See core-is-pure. (audit may hash.)",
      from: { path: `^lib/(${MODULES})/`, pathNot: SHELL },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?crypto$" },
    },
    {
      name: "store-is-private",
      severity: "error",
      comment: "Call the other module's commands or queries instead.",
      from: { path: "^lib/([^/]+)/", pathNot: "^lib/jobs/" },
      to: { path: "^lib/[^/]+/[^/]*store[.]ts$", pathNot: "^lib/$1/" },
    },
    {
      name: "only-stores-use-db",
      severity: "error",
      comment: "SQL and Prisma live in the store; commands open transactions, queries and jobs hand the connection on.",
      from: { path: "^lib/", pathNot: `${SHELL}|^lib/(platform|jobs|http)/` },
      to: { path: "^lib/platform/db[.]ts$|@prisma/" },
    },
    {
      name: "adapters-are-islands",
      severity: "error",
      comment: "An adapter knows the port and its own client, nothing else of ours.",
      from: { path: "^lib/brokers/([^/]+)/" },
      to: { path: "^(lib|app|components)/", pathNot: "^lib/brokers/$1/|^lib/brokers/[^/]+[.]ts$|^lib/platform/" },
    },
    {
      name: "vendor-clients-in-adapters",
      severity: "error",
      comment: "Use the port in lib/brokers.",
      from: { pathNot: "^(lib/brokers/(kafka|pulsar|nats)|scripts/demo|test)/" },
      to: { path: "(^|node_modules/)(@platformatic/kafka|kafkajs|pulsar-flex|@nats-io)(/|$)" },
    },
    {
      name: "one-composition-point",
      severity: "error",
      comment: "Only open-broker.ts picks an adapter.",
      from: { pathNot: "^lib/brokers/(open-broker[.]ts|[^/]+/)|^test/" },
      to: { path: "^lib/brokers/[^/]+/" },
    },
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(generated|[.]next)/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};
