import { type Config } from "../../gateway/config/config.ts";
import { type Diagnostic, diagnosticText } from "../../gateway/config/diagnostic.ts";
import { loadFile, loadText, type Loaded } from "../../gateway/config/load.ts";
import { type Locate } from "../../gateway/config/source.ts";
import { defaultStorePath } from "../../gateway/process/gateway/store-path.ts";
import { leftOverIn } from "../../store/open/open-ledger-view.ts";
import { checkMaterial } from "../../gateway/process/check/check-material.ts";
import { checkFacilitators } from "../../gateway/process/facilitators/process-facilitators.ts";
import { atBoundary } from "../common/boundary.ts";
import { counted } from "../common/counted.ts";
import { flagsText, flagTable, parseFlags } from "../common/flags.ts";
import { readText } from "../common/read-text.ts";
import { printLine } from "../common/standard-output.ts";
import { sayError, sayWarning } from "../common/terminal.ts";
import { UsageError } from "../common/usage-error.ts";

const FLAGS = flagTable({
  strict: "fail on warnings too, such as unknown keys",
});

const USAGE = `usage: turnpike check [--strict] FILE

Prints every problem of a configuration file, with its line and column, and whether the gateway would start with it. FILE "-" is standard
input, as JSON.

${flagsText(FLAGS)}`;

/**
 * `turnpike check FILE`: prints every problem of a configuration file with its place. It also checks certificates, secrets,
 * facilitators and filters. Returns the exit code: 0 if the gateway would start with the file, 1 if not, 2 for wrong usage.
 */
export function check(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, async () => {
    const { values, positionals } = parseFlags(args, FLAGS);
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError("Name one configuration file");
    const isStrict = values.strict === true;
    const config =
      file === "-"
        ? await checkLoaded("standard input", loadText(await readText("-")), isStrict)
        : await checkFile(file, isStrict);
    return config === undefined ? 1 : 0;
  });
}

/** Prints every problem of a configuration file. Resolves to its configuration; undefined if a gateway would not start with it. */
export async function checkFile(file: string, isStrict: boolean): Promise<Config | undefined> {
  return await checkLoaded(file, await loadFile(file), isStrict, file);
}

async function checkLoaded(
  name: string,
  loaded: Loaded,
  isStrict: boolean,
  path?: string,
): Promise<Config | undefined> {
  const { config, problems, warnings, locate } = loaded;
  const print = printerOf(name, locate);
  for (const warning of warnings) print.warning(warning);
  for (const problem of problems) print.problem(problem);
  if (config === undefined) return undefined;
  const material = await checkMaterial(config);
  for (const problem of material.problems) print.problem(problem);
  for (const warning of material.warnings) print.warning(warning);
  if (config.postgres.url !== undefined && config.postgres.url !== "")
    checkLeftOver(defaultStorePath(config, path), print);
  if (print.count.problems === 0) await checkPaidRoutes(config, print);
  if (print.count.problems > 0) return undefined;
  if (isStrict && print.count.warnings > 0) {
    sayError(`${name}: ${counted(print.count.warnings, "warning")}, which --strict does not accept`);
    return undefined;
  }
  await printLine(
    `${name}: ok (${counted(config.routes.length, "route")}, ${counted(config.upstreams.length, "upstream")})`,
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

/** Reports what a ledger in SQLite still has, from the time before PostgreSQL. */
function checkLeftOver(path: string, print: Printer): void {
  const left = leftOverIn(path);
  if (left === undefined || Object.values(left).every((count) => count === 0)) return;
  const parts = [
    counted(left.open, "payment") + " without an outcome",
    counted(left.owed, "paid response") + " that is not delivered",
    counted(left.balances, "prepaid balance"),
  ];
  const message = `the ledger "${path}" is not used any more, and has ${parts.join(", ")} and ${counted(left.channels, "channel")}`;
  print.warning({ path: "postgres.url", message, isNotice: true });
}

/** Checks that facilitators settle what is sold. */
async function checkPaidRoutes(config: Config, print: Printer): Promise<void> {
  for (const diagnostic of await checkFacilitators(config)) {
    const isRequired = config.x402.require_facilitator && diagnostic.what !== "costly";
    if (isRequired || diagnostic.what === "unusable") print.problem(diagnostic);
    else print.warning(diagnostic);
  }
}
