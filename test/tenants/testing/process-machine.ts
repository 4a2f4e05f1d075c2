/** Replaces a virtual machine on hosts without QEMU: a process on a Unix socket. */
import { join } from "node:path";
import { type Machine, type MachineKind } from "./machine.ts";

const PROGRAM = join(import.meta.dir, "process-machine-program.ts");

export const PROCESSES: MachineKind = {
  name: "processes",
  missing: undefined,
  async start(tenant, path): Promise<Machine> {
    const child = Bun.spawn([process.execPath, PROGRAM, tenant, path], { stdio: ["ignore", "pipe", "inherit"] });
    const { value } = await child.stdout.getReader().read();
    if (value === undefined) throw new Error(`Cannot start the machine of ${tenant}: it has ended`);
    return {
      tenant,
      path,
      async kill() {
        child.kill("SIGKILL");
        await child.exited;
      },
    };
  },
};
