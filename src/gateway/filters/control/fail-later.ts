import { type CommandOutcome } from "./control-connection.ts";

/** Fails a call that cannot be made, after the caller has come to its end. What is given back forgets it. */
export function failLater(detail: string, done: (outcome: CommandOutcome) => void): () => void {
  let isForgotten = false;
  queueMicrotask(() => {
    if (!isForgotten) done({ kind: "failed", detail });
  });
  return () => {
    isForgotten = true;
  };
}
