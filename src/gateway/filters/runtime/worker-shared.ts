import { SetProperties } from "./set-properties.ts";
import { SharedStore } from "./shared-store.ts";

/** The state that all proxy-wasm filters of one worker share. It survives reloads. */
export class WorkerShared {
  readonly data = new SharedStore();
  readonly properties = new SetProperties();
}
