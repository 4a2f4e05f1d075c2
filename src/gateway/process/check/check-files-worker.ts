import { type Findings } from "../../config/diagnostic.ts";
import { checkFiles } from "./check-files.ts";
import { type FileCheck } from "./named-files.ts";

/** The worker's own side of its message channel. The types of Bun describe the main thread's side. */
declare const self: Worker;

self.addEventListener("message", (event: MessageEvent<readonly FileCheck[]>) => {
  void checkFiles(event.data, Date.now()).then((found: Findings) => self.postMessage(found));
});
