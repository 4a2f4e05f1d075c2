import { type Config } from "../gateway/config/config.ts";
import { findingText } from "../gateway/config/finding.ts";
import { loadFile } from "../gateway/config/load.ts";
import { readTlsMaterial } from "../gateway/process/certificates.ts";
import { challengeFindings } from "../gateway/process/check-challenges.ts";
import { type FacilitatorFinding } from "../gateway/process/check-facilitators.ts";
import { secretFindings } from "../gateway/process/check-secrets.ts";
import { checkFacilitators } from "../gateway/process/process-facilitators.ts";
import { dialSettingsOf } from "../gateway/process/upstreams.ts";
import { checkQuicMaterial } from "../gateway/process/quic-listeners.ts";
import { messageOf } from "../lib/caught.ts";

const USAGE = "usage: turnpike check FILE";

/**
 * `turnpike check FILE`: prints every problem of a configuration file with its path, certificates, secrets and facilitators
 * included. Returns the exit code: 0 where the gateway would start with it, 1 where not, 2 for wrong usage.
 */
export async function check(args: readonly string[]): Promise<number> {
  const [file] = args;
  if (args.length === 1 && (file === "--help" || file === "-h")) {
    console.log(USAGE);
    return 0;
  }
  if (file === undefined || args.length > 1 || file.startsWith("-")) {
    console.error(USAGE);
    return 2;
  }
  const { config, problems, warnings } = await loadFile(file);
  for (const warning of warnings) console.error(`${file}: warning: ${findingText(warning)}`);
  for (const problem of problems) console.error(`${file}: ${findingText(problem)}`);
  if (config === undefined) return 1;
  try {
    readTlsMaterial(config);
    checkQuicMaterial(config);
    for (const upstream of config.upstreams) dialSettingsOf(upstream);
  } catch (error) {
    console.error(`${file}: ${messageOf(error)}`);
    return 1;
  }
  if (!(await canSell(file, config))) return 1;
  console.log(
    `${file}: ok (${counted(config.routes.length, "route")}, ${counted(config.upstreams.length, "upstream")})`,
  );
  return 0;
}

/** Prints what is wrong with challenges, secrets and facilitators; false where the gateway would not start, or give content away. */
async function canSell(file: string, config: Config): Promise<boolean> {
  const problems = [...challengeFindings(config), ...secretFindings(config, process.env)];
  for (const problem of problems) console.error(`${file}: ${findingText(problem)}`);
  if (problems.length > 0) return false;
  const findings = await checkFacilitators(config);
  const isProblem = ({ what }: FacilitatorFinding): boolean => config.x402.require_facilitator || what === "unusable";
  for (const finding of findings) {
    console.error(`${file}: ${isProblem(finding) ? "" : "warning: "}${findingText(finding)}`);
  }
  return !findings.some(isProblem);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
