/** Machines in network namespaces on one switch, between which packets can vanish. Only for use in a network of its own. */
import { readlinkSync } from "node:fs";
import { ip } from "../../src/lib/testing/own-network.ts";
import { until } from "../../src/lib/testing/until.ts";

/** No machine has this address, so the switch delivers its frames to no program. */
const NOWHERE = "02:00:00:00:00:99";
const SWITCH = "switch0";

/** A machine with one address. Its namespace ends with this process. */
export class Machine {
  readonly address: string;
  readonly #holder: Bun.Subprocess;

  private constructor(address: string, holder: Bun.Subprocess) {
    this.address = address;
    this.#holder = holder;
  }

  static async add(name: string, address: string): Promise<Machine> {
    const holder = Bun.spawn(["unshare", "--net", "sh", "-c", "read -r _"], { stdio: ["pipe", "ignore", "ignore"] });
    const own = readlinkSync("/proc/self/ns/net");
    await until(() => readlinkSync(`/proc/${holder.pid}/ns/net`) !== own);
    const machine = new Machine(address, holder);
    ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", String(holder.pid));
    ip("link", "set", name, "master", SWITCH, "up");
    machine.#ip("addr", "add", `${address}/24`, "dev", "eth0");
    machine.#ip("link", "set", "eth0", "up");
    machine.#ip("link", "set", "lo", "up");
    return machine;
  }

  /** Before a command, it runs the command on this machine. */
  get prefix(): readonly string[] {
    return ["nsenter", "--target", String(this.#holder.pid), "--net"];
  }

  /** From now on this machine's packets to an address vanish, also those of open connections. */
  lose(address: string): void {
    this.#ip("neigh", "replace", address, "lladdr", NOWHERE, "dev", "eth0", "nud", "permanent");
  }

  find(address: string): void {
    this.#ip("neigh", "del", address, "dev", "eth0");
  }

  #ip(...args: readonly string[]): void {
    const { success, stderr } = Bun.spawnSync([...this.prefix, "ip", ...args]);
    if (!success) throw new Error(`Cannot run ip ${args.join(" ")}: ${stderr.toString()}`);
  }
}

/** The switch. This process has the given addresses on it. */
export function addSwitch(...addresses: readonly string[]): void {
  ip("link", "add", "name", SWITCH, "type", "bridge");
  for (const address of addresses) ip("addr", "add", `${address}/24`, "dev", SWITCH);
  ip("link", "set", SWITCH, "up");
}
