import { type OnEvent } from "../../telemetry/event.ts";
import { type RunningConfig } from "./running-config.ts";

/** Milliseconds between two looks at the file; one that has not changed costs one system call. @bound */
const LOOK_MS = 2000;

/** Tells when another program has changed the file of the configuration, once each time. Returns what ends it. */
export function watchFile(config: Pick<RunningConfig, "file">, onEvent: OnEvent, lookMs = LOOK_MS): () => void {
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
