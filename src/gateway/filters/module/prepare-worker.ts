import { messageOf } from "../../../lib/caught.ts";
import { prepare, type PreparedModule } from "./prepare.ts";
import { ModuleRefused } from "./reading/refused.ts";

export interface PrepareJob {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly memoryBytes: number;
}

/** The prepared module, or why it cannot be used. `isRefused`: by the module's fault. `offset`: in its bytes. */
export type PrepareReply =
  | { readonly ok: true; readonly prepared: PreparedModule }
  | { readonly ok: false; readonly isRefused: boolean; readonly reason: string; readonly offset: number | undefined };

/** The worker's own side of its message channel. The types of Bun describe the main thread's side. */
declare const self: Worker;

function replyTo({ file, memoryBytes }: PrepareJob): PrepareReply {
  try {
    return { ok: true, prepared: prepare(file, memoryBytes) };
  } catch (error) {
    const offset = error instanceof ModuleRefused ? error.offset : undefined;
    return { ok: false, isRefused: error instanceof ModuleRefused, reason: messageOf(error), offset };
  }
}

self.addEventListener("message", (event: MessageEvent<PrepareJob>) => {
  const found = replyTo(event.data);
  if (found.ok) self.postMessage(found, [found.prepared.bytes.buffer]);
  else self.postMessage(found);
});
