import { type CommandOutcome } from "./control-connection.ts";

/** Fails a call that cannot be made, after the caller has returned. The returned function cancels it. */
export function failLater(detail: string, done: (outcome: CommandOutcome) => void): () => void {
  let isForgotten = false;
  queueMicrotask(() => {
    if (!isForgotten) done({ kind: "failed", detail });
  });
  return () => {
    isForgotten = true;
  };
}
