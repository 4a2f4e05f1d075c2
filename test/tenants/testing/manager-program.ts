/** The manager as a program: KIND (processes or microVMs), the control socket, the folder of the machines' sockets. */
import { Manager } from "./manager.ts";
import { MICRO_VMS } from "./micro-vm.ts";
import { PROCESSES } from "./process-machine.ts";

const [name = "", control = "", folder = ""] = process.argv.slice(2);
const kind = [PROCESSES, MICRO_VMS].find((one) => one.name === name);
if (kind === undefined || control === "" || folder === "") {
  console.error("usage: manager-program.ts processes|microVMs CONTROL-SOCKET FOLDER");
  process.exit(2);
}
if (kind.missing !== undefined) throw new Error(`Cannot start ${name}: ${kind.missing}`);
const manager = new Manager({ kind, control, folder });
await manager.listen();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => void manager.close().then(() => process.exit(0)));
}
