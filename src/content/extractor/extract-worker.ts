import { messageOf } from "../../lib/caught.ts";
import { type ExtractionResponse, type ExtractionMessage } from "../extraction/tree/extraction.ts";
import { outcomeOf } from "./outcome-of.ts";

/** The worker's side of its message channel. The types of Bun only describe the main thread's side. */
declare const self: Worker;

async function response({ id, job }: ExtractionMessage): Promise<void> {
  let found: ExtractionResponse;
  try {
    found = { id, ok: true, outcome: await outcomeOf(job) };
  } catch (error) {
    found = { id, ok: false, reason: messageOf(error) };
  }
  self.postMessage(found);
}

self.addEventListener("message", (event: MessageEvent<ExtractionMessage>) => void response(event.data));
