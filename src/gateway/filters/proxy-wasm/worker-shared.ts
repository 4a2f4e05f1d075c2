import { SetProperties } from "./set-properties.ts";
import { SharedStore } from "./shared-store.ts";

/** What the filters of proxy-wasm of one worker have in common; lives over reloads. */
export class WorkerShared {
  readonly data = new SharedStore();
  readonly properties = new SetProperties();
}
