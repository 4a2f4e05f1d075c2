import { type CommandOutcome } from "./protocol/control-connection.ts";

/** Fails a call after the caller has returned. `why` is for the log. The returned function cancels it. */
export function failLater(why: string, done: (outcome: CommandOutcome) => void): () => void {
  return tellLater({ kind: "failed", detail: why }, done);
}

/** The same as `failLater`, for a call beyond the number that can wait. */
export function fullLater(done: (outcome: CommandOutcome) => void): () => void {
  return tellLater({ kind: "full" }, done);
}

function tellLater(outcome: CommandOutcome, done: (outcome: CommandOutcome) => void): () => void {
  let isForgotten = false;
  queueMicrotask(() => {
    if (!isForgotten) done(outcome);
  });
  return () => {
    isForgotten = true;
  };
}
