import { messageOf } from "../../lib/caught.ts";
import { extract } from "./extract.ts";
import { type ExtractionAnswer, type ExtractionMessage } from "./extraction.ts";

/** The worker's own side of its message channel; the types of Bun describe the main thread's. */
declare const self: Worker;

self.addEventListener("message", (event: MessageEvent<ExtractionMessage>) => {
  const { id, job } = event.data;
  let answer: ExtractionAnswer;
  try {
    answer = { id, ok: true, outcome: extract(job) };
  } catch (error) {
    answer = { id, ok: false, reason: messageOf(error) };
  }
  self.postMessage(answer);
});
