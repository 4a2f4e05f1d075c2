import { messageOf } from "../../../lib/caught.ts";
import { inThread } from "../../../lib/process/in-thread.ts";
import { inSlices } from "../../../lib/slices.ts";
import { type Config } from "../../config/config.ts";
import { type Findings, reportable } from "../../config/diagnostic.ts";
import { challengeSteps } from "./check-challenges.ts";
import { secretDiagnostics, secretWarnings } from "./check-secrets.ts";
import { addedChecks, fileChecksOf, type FileCheck } from "./named-files.ts";

/** Milliseconds in which the files of a configuration are checked. If they take longer, it is refused. */
const MAX_CHECKING_MS = 20_000;

/** The configuration that is served now. `isEdit`: the next one differs in one item, and has no other files. */
interface Since {
  readonly served: Config;
  readonly isEdit: boolean;
}

/**
 * Checks the files, secrets and payment requirements of a valid configuration: the one judgement for `turnpike check`,
 * reloads and changes. Files are read, and filters started, in a thread beside traffic. Never rejects.
 */
export async function checkMaterial(config: Config, since?: Since): Promise<Findings> {
  const checks = fileChecksOf(config);
  const found = await checkInThread(since?.isEdit === true ? addedChecks(fileChecksOf(since.served), checks) : checks);
  const challenges = await inSlices(challengeSteps(config, since?.served));
  const problems = [...found.problems, ...challenges, ...secretDiagnostics(config, process.env)];
  // An edit is not judged by what is served already.
  const known = since?.isEdit === true ? secretWarnings(since.served, process.env).length : 0;
  const warnings = [...found.warnings, ...secretWarnings(config, process.env).slice(known)];
  return { problems: reportable(problems, "problems"), warnings: reportable(warnings, "warnings") };
}

async function checkInThread(checks: readonly FileCheck[]): Promise<Findings> {
  if (checks.length === 0) return { problems: [], warnings: [] };
  const limits = { what: "checks the files of the configuration", maxMs: MAX_CHECKING_MS };
  try {
    return await inThread<Findings>(new URL("./check-files-worker.ts", import.meta.url), checks, limits);
  } catch (error) {
    return { problems: [{ path: "", message: `cannot be checked: ${messageOf(error)}` }], warnings: [] };
  }
}
