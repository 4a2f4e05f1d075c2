import { spawnSync } from "node:child_process";

/** Runs a program in user and network namespaces of its own, in which it may set addresses. */
const NAMESPACES = ["--user", "--map-root-user", "--net"];
/** Looks for the route to a new address; each takes a process, and the first few find it. */
const ROUTE_LOOKS = 5000;

/** Whether this system lets us make a network, and has the tools. */
export const canMakeNetwork =
  spawnSync("unshare", [...NAMESPACES, "sh", "-c", "ip link set lo up && ip addr show lo"]).status === 0;

/** Runs a TypeScript program in a network of its own, where only loopback is up; gives what it printed as JSON. */
export function runInOwnNetwork(program: URL): unknown {
  const command = ["sh", "-c", 'ip link set lo up && exec "$0" "$1"', process.execPath, program.pathname];
  const { stdout, stderr, status } = spawnSync("unshare", [...NAMESPACES, ...command], { encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot run ${program.pathname}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Gives loopback an address, or a route to this machine; within such a network only. */
export function ip(...args: readonly string[]): void {
  const { status, stderr } = spawnSync("ip", [...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot run ip ${args.join(" ")}: ${stderr}`);
}

/** Gives loopback an address. The kernel makes the route to one of IPv6 a little later; this waits for it. */
export function giveAddress(address: string): void {
  const isV6 = address.includes(":");
  ip("addr", "add", `${address}/${isV6 ? 128 : 32}`, "dev", "lo", ...(isV6 ? ["nodad"] : []));
  for (let i = 0; i < ROUTE_LOOKS; i++) {
    if (spawnSync("ip", ["route", "get", address], { encoding: "utf8" }).stdout.startsWith("local")) return;
  }
  throw new Error(`No route leads to ${address}`);
}
