import { spawnSync } from "node:child_process";

/** Runs a program in namespaces of its own, in which it may set addresses. Root needs no users of its own. */
const NAMESPACES = [["--net"], ["--user", "--map-root-user", "--net"]].find(
  (flags) => spawnSync("unshare", [...flags, "sh", "-c", "ip link set lo up && ip addr show lo"]).status === 0,
);
/** Maximum number of looks for the route to a new address. Each starts a process, and the first few looks find it. */
const ROUTE_LOOKS = 5000;

/** True if this system allows a network namespace, and has the tools. */
export const canMakeNetwork = NAMESPACES !== undefined;

/** Runs a TypeScript program in a network of its own, in which only loopback is up. Returns the JSON that it prints. */
export function runInOwnNetwork(program: URL, ...args: readonly string[]): unknown {
  const command = ["sh", "-c", 'ip link set lo up && exec "$0" "$@"', process.execPath, program.pathname, ...args];
  const { stdout, stderr, status } = spawnSync("unshare", [...(NAMESPACES ?? []), ...command], { encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot run ${program.pathname}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Runs `ip`, for example to give loopback an address. Only for use within such a network. */
export function ip(...args: readonly string[]): void {
  const { status, stderr } = spawnSync("ip", [...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot run ip ${args.join(" ")}: ${stderr}`);
}

/**
 * Gives loopback an address. The kernel adds the route of an IPv6 address a little later; this function waits for it.
 */
export function giveAddress(address: string): void {
  const isV6 = address.includes(":");
  ip("addr", "add", `${address}/${isV6 ? 128 : 32}`, "dev", "lo", ...(isV6 ? ["nodad"] : []));
  for (let i = 0; i < ROUTE_LOOKS; i++) {
    if (spawnSync("ip", ["route", "get", address], { encoding: "utf8" }).stdout.startsWith("local")) return;
  }
  throw new Error(`No route leads to ${address}`);
}
