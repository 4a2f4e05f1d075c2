import { type Config } from "../../config/config.ts";
import { type ControlReply, type ControlCall } from "../../filters/control/control-messages.ts";
import { type NewEvent } from "../../telemetry/event.ts";
import { type WatchedBatch, type WatchFilter } from "../../telemetry/request-watch.ts";
import { type Membership } from "../../upstream/member.ts";
import { type Issued, type ReadTls } from "../../acme/issued.ts";
import { type ConfigDelta, type Run } from "./config-delta.ts";
import { type TenantReply, type TenantQuestion } from "../gateway/tenant-questions.ts";

/** The state that workers serve by. Only the supervisor reads certificates, once: later faults do no harm. */
export interface Served {
  readonly config: Config;
  readonly material: ReadTls | undefined;
  /** The certificates from `tls.acme`. */
  readonly issued: Issued;
  /** The servers of every upstream, from the configuration or discovery. */
  readonly members: Membership;
}

/** The same as a message to a worker, which may have another configuration. */
export interface Told extends Omit<Served, "config"> {
  readonly delta: ConfigDelta;
}

/** The environment variables that the configuration names and workers need. The workers' own environment lacks them. */
interface WithEnvironment {
  readonly environment: Readonly<Record<string, string>>;
}

/** The worker's row in the shared memory, which it got as a descriptor. */
export interface SlotOfWorker {
  readonly row: number;
  readonly workers: number;
}

/** A message from the supervisor to a worker. Plain data, because it crosses a process boundary. */
export type ToWorker =
  | (Told &
      WithEnvironment & {
        readonly kind: "start";
        readonly storePath: string;
        /** The socket of the supervisor's embedded facilitator, which exists if a configuration has one. */
        readonly facilitatorSocket: string;
        readonly slot: SlotOfWorker;
        /** The worker replaces one that served: an unreachable database does not stop it. */
        readonly again: boolean;
      })
  | (Told & WithEnvironment & { readonly kind: "reload" })
  /** The beginning of the next `delta`. Without a reply. */
  | { readonly kind: "runs"; readonly runs: readonly Run[] }
  /** New servers for the upstreams that are named. Without a reply. */
  | { readonly kind: "members"; readonly members: Membership }
  /** The certificates that `tls.acme` has now. */
  | { readonly kind: "certify"; readonly issued: Issued }
  /** Open the access logs again. Without a reply. */
  | { readonly kind: "reopen" }
  /** The requests that operators watch. Without a reply. */
  | { readonly kind: "watch"; readonly filters: readonly WatchFilter[] }
  /** Asks for an `alive`, at any time. */
  | { readonly kind: "ping" }
  | ControlReply
  | TenantQuestion
  | { readonly kind: "close"; readonly graceMs: number };

/** A message from a worker to the supervisor. `ended`: the supervisor's own, for an ended process. */
export type FromWorker =
  /** The worker serves. `closedRoutes` as in `Gateway`. */
  | { readonly kind: "started" | "reloaded"; readonly closedRoutes: readonly string[] }
  /** The worker shows the certificates from `tls.acme`. */
  | { readonly kind: "certified" }
  | { readonly kind: "ended" }
  /** The worker handles events. */
  | { readonly kind: "alive" }
  /** An event, or a logged line that occurred `count` times. Without a reply. */
  | { readonly kind: "event"; readonly event: NewEvent }
  | { readonly kind: "log"; readonly text: string; readonly count: number }
  /** Requests that operators watch. Without a reply. */
  | ({ readonly kind: "requests" } & WatchedBatch)
  /** The worker has bound or closed an HTTP/3 endpoint. Without a reply. */
  | { readonly kind: "endpoints" }
  | ControlCall
  | TenantReply
  | { readonly kind: "failed"; readonly reason: string };
