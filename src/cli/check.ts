import { findingText } from "../gateway/config/finding.ts";
import { loadFile } from "../gateway/config/load.ts";
import { readTlsMaterial } from "../gateway/process/certificates.ts";
import { dialSettingsOf } from "../gateway/process/upstreams.ts";
import { checkQuicMaterial } from "../gateway/process/quic-listeners.ts";
import { messageOf } from "../lib/caught.ts";

const USAGE = "usage: turnpike check FILE";

/**
 * `turnpike check FILE`: prints every problem of a configuration file with its path, certificates included. Returns the exit code: 0 where
 * the gateway would start with it, 1 where not, 2 for wrong usage.
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
  console.log(
    `${file}: ok (${counted(config.routes.length, "route")}, ${counted(config.upstreams.length, "upstream")})`,
  );
  return 0;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
