import { type Config } from "../config/config.ts";
import { type BoundListener } from "./gateway.ts";

/** What the supervisor tells a worker. Plain data: it crosses a process boundary. */
export type ToWorker =
  | { readonly kind: "start"; readonly config: Config; readonly storePath: string }
  | { readonly kind: "reload"; readonly config: Config }
  | { readonly kind: "close"; readonly graceMs: number };

/** What a worker tells the supervisor; `ended`: its process did, which the supervisor says for it. */
export type FromWorker =
  | { readonly kind: "started"; readonly listeners: readonly BoundListener[] }
  | { readonly kind: "reloaded" }
  | { readonly kind: "ended" }
  | { readonly kind: "failed"; readonly reason: string };
