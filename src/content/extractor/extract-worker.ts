import { messageOf } from "../../lib/caught.ts";
import { type ExtractionAnswer, type ExtractionMessage } from "../extraction/extraction.ts";
import { outcomeOf } from "./outcome-of.ts";

/** The worker's own side of its message channel; the types of Bun describe the main thread's. */
declare const self: Worker;

async function answer({ id, job }: ExtractionMessage): Promise<void> {
  let found: ExtractionAnswer;
  try {
    found = { id, ok: true, outcome: await outcomeOf(job) };
  } catch (error) {
    found = { id, ok: false, reason: messageOf(error) };
  }
  self.postMessage(found);
}

self.addEventListener("message", (event: MessageEvent<ExtractionMessage>) => void answer(event.data));
