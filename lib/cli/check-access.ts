/** `check-access`: which rights the credentials of a cluster have, and what is missing without each. */
import type { RightReport } from "#lib/brokers/access-report.ts";
import { checkAccess } from "#lib/brokers/open-broker.ts";
import { CLUSTER_FLAGS, CLUSTER_FLAGS_HELP, resolveClusterTarget } from "#lib/cli/cluster-target.ts";
import type { ExitCode } from "#lib/cli/command-error.ts";
import { parseFlags } from "#lib/cli/flags.ts";

const HELP = `Usage: npm run -s keyfold -- check-access --brokers HOST:PORT | --config FILE --cluster ID [--json]

Tries each right that Keyfold uses on a cluster, without changing anything, and says what is missing without it.

${CLUSTER_FLAGS_HELP}
  --json                     one object a line, one per right

Exit codes: 0 nothing that reading needs is refused, 1 something is, or the cluster can't be reached, 2 wrong use.
`;

const CLIENT_ID = "keyfold-poll";

/** @throws CommandError, BrokerError */
export async function runCheckAccess(argv: string[]): Promise<ExitCode> {
  const flags = parseFlags(argv, {
    ...CLUSTER_FLAGS,
    json: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  });
  if (flags.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const reports = await checkAccess(resolveClusterTarget(flags), CLIENT_ID);
  process.stdout.write(flags.json ? toJsonLines(reports) : toText(reports, usesColour()));
  return reports.some(isRefusedForReading) ? 1 : 0;
}

const isRefusedForReading = ({ purpose, outcome }: RightReport): boolean =>
  purpose === "reading" && (outcome === "missing" || outcome === "partly");

const toJsonLines = (reports: readonly RightReport[]): string =>
  reports.map((report) => `${JSON.stringify(report)}\n`).join("");

/** https://no-color.org: set and not empty. */
const usesColour = (): boolean => Boolean(process.stdout.isTTY) && !process.env.NO_COLOR;

const MARKS: Record<RightReport["outcome"], readonly [word: string, colour: number]> = {
  granted: ["granted", 32],
  partly: ["partly", 33],
  missing: ["missing", 31],
  "not-tried": ["not tried", 90],
};

export function toText(reports: readonly RightReport[], withColour: boolean): string {
  const section = (title: string, purpose: RightReport["purpose"]): string => {
    const lines = reports.filter((report) => report.purpose === purpose).map((report) => toLines(report, withColour));
    return `${title}\n${lines.join("")}`;
  };
  return `${section("For reading", "reading")}\n${section("For changes", "changes")}`;
}

function toLines({ operation, resource, outcome, detail, without }: RightReport, withColour: boolean): string {
  const [word, colour] = MARKS[outcome];
  const mark = withColour ? `\u001b[${colour}m${word.padEnd(9)}\u001b[0m` : word.padEnd(9);
  const loss = outcome === "granted" ? "" : `             without it: ${without}\n`;
  return `  ${mark}  ${operation} on ${resource}: ${detail}\n${loss}`;
}
