import { messageOf } from "../../../lib/caught.ts";
import { type JudgingTask, work } from "./judge.ts";

/** The worker's own side of its message channel; the types of Bun describe the main thread's. */
declare const self: Worker;

/** What a worker answers: the result, or why there is none. */
export type JudgingAnswer = { readonly result: Awaited<ReturnType<typeof work>> } | { readonly reason: string };

async function answer(task: JudgingTask): Promise<void> {
  let found: JudgingAnswer;
  try {
    found = { result: await work(task) };
  } catch (error) {
    found = { reason: messageOf(error) };
  }
  self.postMessage(found);
}

self.addEventListener("message", (event: MessageEvent<JudgingTask>) => void answer(event.data));
