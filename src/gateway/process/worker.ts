import { messageOf } from "../../lib/caught.ts";
import { SharedZone } from "../../lib/shared-zone.ts";
import { zoneShape } from "../telemetry/layout.ts";
import { type Gateway, startGateway } from "./gateway.ts";
import { type FromWorker, type ToWorker } from "./messages.ts";

/** The descriptor that the supervisor gives its shared memory to a worker by. */
const ZONE_FD = 3;

/** A worker process: it does what its supervisor says, and ends when the supervisor is gone. */
let gateway: Gateway | undefined;

function tell(message: FromWorker): void {
  process.send?.(message);
}

async function obey(message: ToWorker): Promise<void> {
  switch (message.kind) {
    case "start": {
      const { config, material, storePath, slot } = message;
      gateway = await startGateway({
        config,
        material,
        slot: { zone: SharedZone.open(zoneShape(slot.workers), ZONE_FD), row: slot.row },
        storePath,
        reusePort: true,
        log: (text) => console.error(text),
      });
      tell({ kind: "started" });
      return;
    }
    case "reload":
      await gateway?.reload(message.config, message.material);
      tell({ kind: "reloaded" });
      return;
    case "close":
      await gateway?.close(message.graceMs);
      process.exit(0);
  }
}

process.on("message", (message: ToWorker) => {
  obey(message).catch((error: unknown) => {
    tell({ kind: "failed", reason: messageOf(error) });
  });
});
process.on("disconnect", () => process.exit(1));
// The terminal sends these to the whole group; the supervisor decides what they mean.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
