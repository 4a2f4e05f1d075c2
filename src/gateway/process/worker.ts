import { messageOf } from "../../lib/caught.ts";
import { SharedZone } from "../../lib/shared-zone.ts";
import { type Config } from "../config/config.ts";
import { RemoteControl } from "../filters/control/remote-control.ts";
import { zoneShape } from "../telemetry/layout.ts";
import { type GatewayProcess } from "./gateway-interface.ts";
import { startGateway } from "./gateway.ts";
import { withDelta } from "./config-delta.ts";
import { type FromWorker, type ToWorker } from "./messages.ts";
import { serveTenants } from "./tenant-questions.ts";
import { WorkerEvents } from "./worker-events.ts";

/** The descriptor that the supervisor gives its shared memory to a worker by. */
const ZONE_FD = 3;

/** A worker process: it does what its supervisor says, and ends when the supervisor is gone. */
let gateway: GatewayProcess | undefined;
/** What it was told last, whether it could serve by it or not. */
let told: Config | undefined;

function tell(message: FromWorker): void {
  process.send?.(message);
}

/** The control socket that the supervisor has for all workers. */
const control = new RemoteControl(tell);

async function obey(message: ToWorker): Promise<void> {
  switch (message.kind) {
    case "start": {
      Object.assign(process.env, message.environment);
      told = withDelta(told, message.delta);
      const { material, issued, members, storePath, facilitatorSocket, slot, again } = message;
      gateway = await startGateway({
        config: told,
        material,
        issued,
        members,
        slot: { zone: SharedZone.open(zoneShape(slot.workers), ZONE_FD), row: slot.row },
        storePath,
        facilitatorSocket,
        control,
        reusePort: true,
        needsDatabase: !again,
        // Not console.error: Bun paints all of it red on a terminal.
        log: (text) => console.warn(text),
        events: new WorkerEvents(tell),
      });
      tell({ kind: "started", closedRoutes: gateway.closedRoutes });
      return;
    }
    case "reload":
      Object.assign(process.env, message.environment);
      told = withDelta(told, message.delta);
      await gateway?.reload(told, message.material, message.members);
      tell({ kind: "reloaded", closedRoutes: gateway?.closedRoutes ?? [] });
      return;
    case "certify":
      await gateway?.certify(message.issued);
      tell({ kind: "certified" });
      return;
    case "members":
      gateway?.setMembers(message.members);
      return;
    case "reopen":
      await gateway?.reopenLogs();
      return;
    case "control_reply":
    case "control_failed":
    case "control_state":
      control.heard(message);
      return;
    case "tenants":
      tell(serveTenants(message, gateway?.tenants));
      return;
    case "close":
      await gateway?.close(message.graceMs);
      process.exit(0);
  }
}

function failed(error: unknown): void {
  tell({ kind: "failed", reason: messageOf(error) });
}

/** At once, whatever else is under way. */
function isUrgent({ kind }: ToWorker): boolean {
  return kind === "close" || kind === "tenants" || kind.startsWith("control_");
}

/** One after the other: servers that change while a configuration is made ready are set when it is. */
let turn = Promise.resolve();
process.on("message", (message: ToWorker) => {
  if (isUrgent(message)) obey(message).catch(failed);
  else turn = turn.then(() => obey(message)).catch(failed);
});
process.on("disconnect", () => process.exit(1));
// The terminal sends these to the whole group; the supervisor decides what they mean.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"] as const) process.on(signal, () => {});
