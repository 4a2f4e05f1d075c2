import { messageOf } from "../../lib/caught.ts";
import { type Gateway, startGateway } from "./gateway.ts";
import { type FromWorker, type ToWorker } from "./messages.ts";

/** A worker process: it does what its supervisor says, and ends when the supervisor is gone. */
let gateway: Gateway | undefined;

function tell(message: FromWorker): void {
  process.send?.(message);
}

async function obey(message: ToWorker): Promise<void> {
  switch (message.kind) {
    case "start": {
      const { config, storePath } = message;
      gateway = await startGateway({ config, storePath, reusePort: true, log: (text) => console.error(text) });
      tell({ kind: "started", listeners: gateway.listeners });
      return;
    }
    case "reload":
      await gateway?.reload(message.config);
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
