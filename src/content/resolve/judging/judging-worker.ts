import { messageOf } from "../../../lib/caught.ts";
import { type JudgingTask, work } from "./judge.ts";

/** The worker's own side of its message channel. Bun's types describe the main thread's side. */
declare const self: Worker;

/** A worker's reply: the result, or why the task failed. */
export type JudgingReply = { readonly result: Awaited<ReturnType<typeof work>> } | { readonly reason: string };

async function reply(task: JudgingTask): Promise<void> {
  let found: JudgingReply;
  try {
    found = { result: await work(task) };
  } catch (error) {
    found = { reason: messageOf(error) };
  }
  self.postMessage(found);
}

self.addEventListener("message", (event: MessageEvent<JudgingTask>) => void reply(event.data));
