import { type Config } from "../gateway/config/config.ts";
import { type Diagnostic, diagnosticText } from "../gateway/config/diagnostic.ts";
import { checkFilters } from "../gateway/filters/check-filters.ts";
import { loadFile } from "../gateway/config/load.ts";
import { type Locate } from "../gateway/config/source.ts";
import { expiryWarnings } from "../gateway/process/certificate-expiry.ts";
import { readTlsMaterial } from "../gateway/process/certificates.ts";
import { challengeDiagnostics } from "../gateway/process/check-challenges.ts";
import { secretDiagnostics, secretWarnings } from "../gateway/process/check-secrets.ts";
import { checkFacilitators } from "../gateway/process/process-facilitators.ts";
import { dialSettingsOf } from "../gateway/process/upstreams.ts";
import { checkQuicMaterial } from "../gateway/process/quic-listeners.ts";
import { messageOf } from "../lib/caught.ts";
import { atBoundary } from "./boundary.ts";
import { counted } from "./counted.ts";
import { flagsText, type FlagTable, HELP, parseFlags } from "./flags.ts";
import { sayError, sayWarning } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

const FLAGS = {
  strict: { type: "boolean", text: "fail on warnings too, such as unknown keys" },
  help: HELP,
} as const satisfies FlagTable;

const USAGE = `usage: turnpike check [--strict] FILE

Prints every problem of a configuration file, with its line and column, and whether the gateway would start with it. A filter of
wasm_filters that does not load is a problem too. A gateway starts without it, and its route responds with 503.

${flagsText(FLAGS)}`;

/**
 * `turnpike check FILE`: prints every problem of a configuration file with its place. It also checks certificates, secrets,
 * facilitators and filters. Returns the exit code: 0 if the gateway would start with the file, 1 if not, 2 for wrong usage.
 */
export function check(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, async () => {
    const { values, positionals } = parseFlags(args, FLAGS);
    if (values.help === true) return "help";
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError("Name one configuration file");
    return (await checkFile(file, values.strict === true)) === undefined ? 1 : 0;
  });
}

/** Prints every problem of a configuration file. Resolves to its configuration; undefined if a gateway would not start with it. */
export async function checkFile(file: string, isStrict: boolean): Promise<Config | undefined> {
  const { config, problems, warnings, locate } = await loadFile(file);
  const print = printerOf(file, locate);
  for (const warning of warnings) print.warning(warning);
  for (const problem of problems) print.problem(problem);
  if (config === undefined) return undefined;
  checkMaterial(config, print);
  for (const warning of expiryWarnings(config, Date.now())) print.warning(warning);
  for (const diagnostic of await checkFilters(config)) {
    if (diagnostic.kind === "unloaded") print.problem(diagnostic);
    else print.warning(diagnostic);
  }
  if (print.count.problems === 0) await checkPaidRoute(config, print);
  if (print.count.problems > 0) return undefined;
  if (isStrict && print.count.warnings > 0) {
    sayError(`${file}: ${counted(print.count.warnings, "warning")}, which --strict does not accept`);
    return undefined;
  }
  console.log(
    `${file}: ok (${counted(config.routes.length, "route")}, ${counted(config.upstreams.length, "upstream")})`,
  );
  return config;
}

interface Printer {
  readonly count: { problems: number; warnings: number };
  problem(diagnostic: Diagnostic): void;
  warning(diagnostic: Diagnostic): void;
}

function printerOf(file: string, locate: Locate): Printer {
  const count = { problems: 0, warnings: 0 };
  return {
    count,
    problem(diagnostic) {
      count.problems++;
      sayError(`${file}: ${diagnosticText(locate(diagnostic))}`);
    },
    warning(diagnostic) {
      if (diagnostic.isNotice !== true) count.warnings++;
      sayWarning(`${file}: warning: ${diagnosticText(locate(diagnostic))}`);
    },
  };
}

/** Checks that certificates and keys can be read. */
function checkMaterial(config: Config, print: Printer): void {
  try {
    readTlsMaterial(config);
    checkQuicMaterial(config);
    for (const upstream of config.upstreams) dialSettingsOf(upstream);
  } catch (error) {
    print.problem({ path: "", message: messageOf(error) });
  }
}

/** Checks challenges, secrets and facilitators. If they are invalid, a gateway does not start, or serves paid content for free. */
async function checkPaidRoute(config: Config, print: Printer): Promise<void> {
  for (const problem of [...challengeDiagnostics(config), ...secretDiagnostics(config, process.env)])
    print.problem(problem);
  for (const warning of secretWarnings(config, process.env)) print.warning(warning);
  if (print.count.problems > 0) return;
  for (const diagnostic of await checkFacilitators(config)) {
    if (config.x402.require_facilitator || diagnostic.what === "unusable") print.problem(diagnostic);
    else print.warning(diagnostic);
  }
}
