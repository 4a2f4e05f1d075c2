import { type Judgement, type JudgeJob, judge } from "./judge.ts";

/** The worker's own side of its message channel. The types of Bun describe the main thread's side. */
declare const self: Worker;

self.addEventListener("message", (event: MessageEvent<JudgeJob>) => {
  void judge(event.data).then((judgement: Judgement) => self.postMessage(judgement));
});
