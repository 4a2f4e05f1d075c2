import { type Config } from "../config/config.ts";
import { type ControlReply, type ControlCall } from "../filters/control/control-messages.ts";
import { type NewEvent } from "../telemetry/event.ts";
import { type Membership } from "../upstream/member.ts";
import { type Issued, type ReadTls } from "../acme/issued.ts";
import { type ConfigDelta } from "./config-delta.ts";
import { type TenantReply, type TenantQuestion } from "./tenant-questions.ts";

/** What workers serve by. Certificates are read once, by the supervisor: files that are gone or broken later harm no worker. */
export interface Served {
  readonly config: Config;
  readonly material: ReadTls | undefined;
  /** What `tls.acme` has got. */
  readonly issued: Issued;
  /** The servers of every upstream, found or named. */
  readonly members: Membership;
}

/** The same, as it is told to a worker that may have another one. */
export interface Told extends Omit<Served, "config"> {
  readonly delta: ConfigDelta;
}

/** The variables of the environment that the configuration names and workers need; their own environment has none of them. */
interface WithEnvironment {
  readonly environment: Readonly<Record<string, string>>;
}

/** Where the worker counts, in the shared memory that it got as a descriptor. */
export interface SlotOfWorker {
  readonly row: number;
  readonly workers: number;
}

/** What the supervisor tells a worker. Plain data: it crosses a process boundary. */
export type ToWorker =
  | (Told &
      WithEnvironment & {
        readonly kind: "start";
        readonly storePath: string;
        /** Where the supervisor's embedded facilitator listens, when a configuration has one. */
        readonly facilitatorSocket: string;
        readonly slot: SlotOfWorker;
        /** It takes the place of one that served: a database that is away at this moment does not stop it. */
        readonly again: boolean;
      })
  | (Told & WithEnvironment & { readonly kind: "reload" })
  /** Other servers, for the upstreams that are named; nobody answers. */
  | { readonly kind: "members"; readonly members: Membership }
  /** What `tls.acme` has got now. */
  | { readonly kind: "certify"; readonly issued: Issued }
  /** Open the access logs again; nobody answers. */
  | { readonly kind: "reopen" }
  | ControlReply
  | TenantQuestion
  | { readonly kind: "close"; readonly graceMs: number };

/** What a worker tells the supervisor; `ended`: its process did, which the supervisor says for it. */
export type FromWorker =
  /** It serves. `closedRoutes` as in `Gateway`. */
  | { readonly kind: "started" | "reloaded"; readonly closedRoutes: readonly string[] }
  /** It shows what `tls.acme` has got. */
  | { readonly kind: "certified" }
  | { readonly kind: "ended" }
  /** Something has happened, or a line was logged; nobody answers. */
  | { readonly kind: "event"; readonly event: NewEvent }
  | { readonly kind: "log"; readonly text: string }
  | ControlCall
  | TenantReply
  | { readonly kind: "failed"; readonly reason: string };
