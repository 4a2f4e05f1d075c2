import { messageOf } from "../../../lib/caught.ts";
import { SharedZone } from "../../../lib/memory/shared-zone.ts";
import { type Config } from "../../config/config.ts";
import { RemoteControl } from "../../filters/control/remote-control.ts";
import { zoneShape } from "../../telemetry/metrics/layout.ts";
import { type GatewayProcess } from "../gateway/gateway-interface.ts";
import { startGateway } from "../gateway/gateway.ts";
import { type ConfigDelta, type Run, withDelta } from "./config-delta.ts";
import { type FromWorker, type ToWorker } from "./messages.ts";
import { serveTenants } from "../gateway/tenant-questions.ts";
import { WorkerEvents } from "./worker-events.ts";

/** The descriptor of the shared memory that the supervisor passes to a worker. */
const ZONE_FD = 3;

/** The gateway of this worker, which follows its supervisor's messages and exits when that is gone. */
let gateway: GatewayProcess | undefined;
/** The last configuration that the supervisor sent, whether the worker could serve by it or not. */
let told: Config | undefined;

/** The runs of the next difference that have arrived. */
let runs: Run[] = [];

function hear(delta: ConfigDelta): Config {
  told = withDelta(told, { ...delta, runs: [...runs, ...delta.runs] });
  runs = [];
  return told;
}

function tell(message: FromWorker): void {
  process.send?.(message);
}

/** The control socket that the supervisor keeps for all workers. */
const control = new RemoteControl(tell);

const events = new WorkerEvents(tell);

async function obey(message: ToWorker): Promise<void> {
  switch (message.kind) {
    case "start": {
      Object.assign(process.env, message.environment);
      const { material, issued, members, storePath, facilitatorSocket, slot, again } = message;
      gateway = await startGateway({
        config: hear(message.delta),
        material,
        issued,
        members,
        slot: { zone: SharedZone.open(zoneShape(slot.workers), ZONE_FD), row: slot.row },
        storePath,
        facilitatorSocket,
        control,
        reusePort: true,
        needsDatabase: !again,
        log: (text) => events.addLine(text),
        events,
        onEndpoints: () => tell({ kind: "endpoints" }),
      });
      tell({ kind: "started", closedRoutes: gateway.closedRoutes });
      return;
    }
    case "reload":
      Object.assign(process.env, message.environment);
      await gateway?.reload(hear(message.delta), message.material, message.members);
      tell({ kind: "reloaded", closedRoutes: gateway?.closedRoutes ?? [] });
      return;
    case "runs":
      runs.push(...message.runs);
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
    case "watch":
      gateway?.watchRequests(message.filters, (batch) => tell({ kind: "requests", ...batch }));
      return;
    case "ping":
      tell({ kind: "alive" });
      return;
    case "control_reply":
    case "control_failed":
    case "control_full":
    case "control_state":
      control.heard(message);
      return;
    case "tenants":
      tell(serveTenants(message, gateway?.tenants.warm));
      return;
    case "close":
      // The supervisor may not read the last lines of a process that exits.
      events.printLines();
      await gateway?.close(message.graceMs);
      events.flush();
      process.exit(0);
  }
}

function failed(error: unknown): void {
  tell({ kind: "failed", reason: messageOf(error) });
}

/** True for messages that are handled at once, whatever else is under way. */
function isUrgent({ kind }: ToWorker): boolean {
  return kind === "close" || kind === "ping" || kind === "tenants" || kind.startsWith("control_");
}

/** Handles the other messages one at a time: servers that change during a reload are set after it. */
let turn = Promise.resolve();
process.on("message", (message: ToWorker) => {
  if (isUrgent(message)) obey(message).catch(failed);
  else turn = turn.then(() => obey(message)).catch(failed);
});
process.on("disconnect", () => process.exit(1));
// The terminal sends these signals to the whole group; the supervisor decides what they mean.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"] as const) process.on(signal, () => {});
