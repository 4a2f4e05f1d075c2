/** `turnpike upgrade-check`: check whether this version can replace a running gateway an older one. */
import { join } from "node:path";
import { type Config } from "../../gateway/config/config.ts";
import { checkTakeOver } from "../../gateway/process/gateway/take-over.ts";
import { defaultStorePath } from "../../gateway/process/gateway/store-path.ts";
import { messageOf } from "../../lib/caught.ts";
import { readLedgerVersion } from "../../store/open/configured-store.ts";
import { type LedgerVersion } from "../../store/ledger-view.ts";
import { atBoundary } from "../common/boundary.ts";
import { checkFile } from "./check.ts";
import { flagsText, flagTable, parseFlags } from "../common/flags.ts";
import { takeOverFlag } from "./take-over.ts";
import { printLine } from "../common/standard-output.ts";
import { sayError } from "../common/terminal.ts";
import { UsageError } from "../common/usage-error.ts";

const FLAGS = flagTable({
  "state-dir DIR": "the state folder of turnpike start, with the ledger; default: the ledger of the configuration",
  "take-over PID": "ask the gateway of this process too whether it would hand over",
  strict: "fail on warnings too",
});

const USAGE = `usage: turnpike upgrade-check [--state-dir DIR] [--strict] [--take-over PID] FILE

Checks whether this version can use the configuration FILE, the ports, and the ledger of a gateway that runs an older version. It
changes nothing. Exit code 0: it can, 1: it cannot.

${flagsText(FLAGS)}`;

/** Returns the exit code: 0 if this version can take over, 1 if not, 2 for wrong usage. */
export function upgradeCheck(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, async () => {
    const { values, positionals } = parseFlags(args, FLAGS);
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError("Name one configuration file");
    const config = await checkFile(file, values.strict === true);
    return config === undefined ? 1 : await checkRest(config, file, values);
  });
}

async function checkRest(
  config: Config,
  file: string,
  { "state-dir": stateDir, "take-over": pid }: { "state-dir"?: string | undefined; "take-over"?: string | undefined },
): Promise<number> {
  const isInState = stateDir !== undefined && config.state_path === "";
  const path = isInState ? join(stateDir, "turnpike.db") : defaultStorePath(config, file);
  try {
    checkTakeOver(config);
    const predecessor = takeOverFlag(pid);
    await predecessor?.ask(config);
    predecessor?.close();
    await printLine("ports: ok (each listener has a fixed port, which two gateways can share)");
    const version = await readLedgerVersion(config.postgres, path);
    const error = ledgerError(version);
    if (error !== "") throw new Error(`Cannot take over the ledger: ${error}`);
    await printLine(`ledger: ok (${ledgerText(version)})`);
    return 0;
  } catch (error) {
    sayError(messageOf(error));
    return 1;
  }
}

function ledgerError({ found, known }: LedgerVersion): string {
  return found > known ? `its schema is version ${found}, this program knows ${known}` : "";
}

function ledgerText({ found, known }: LedgerVersion): string {
  if (found === 0) return "there is none yet";
  if (found === known) return `its schema is version ${found}, the version that this program writes`;
  return `its schema is version ${found}; this program changes it to ${known} when it starts, and the old program can still use it`;
}
