import { type TextJob, type Written, writtenText } from "./written-text.ts";

/** The worker's own side of its message channel. The types of Bun describe the main thread's side. */
declare const self: Worker;

self.addEventListener("message", (event: MessageEvent<TextJob>) => {
  void writtenText(event.data).then((written: Written) => self.postMessage(written));
});
