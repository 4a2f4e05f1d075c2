import { type OnEvent } from "../../telemetry/event.ts";
import { type LiveConfig } from "./live-config.ts";

/** Milliseconds between two checks of the file. A check of an unchanged file costs one system call. @bound */
const LOOK_MS = 2000;

/** Adds an event when another program has changed the configuration file. Returns the function that ends it. */
export function watchFile(config: Pick<LiveConfig, "file">, onEvent: OnEvent, lookMs = LOOK_MS): () => void {
  let wasChanged = false;
  const timer = setInterval(() => {
    const { path, changedOnDisk } = config.file;
    if (changedOnDisk && !wasChanged) {
      const message = `the configuration file ${path ?? ""} was changed by another program; a reload reads it`;
      onEvent({ kind: "config_file", message, details: { path } });
    }
    wasChanged = changedOnDisk;
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}
