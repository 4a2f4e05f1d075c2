import { type TenantDirectory } from "../../admin/operations/parts.ts";
import { type Config } from "../../config/config.ts";
import { type RemoteControl } from "../../filters/control/remote-control.ts";
import { type Actor, type EventSink } from "../../telemetry/event.ts";
import { type MetricsPage, type WorkerSlot } from "../../telemetry/telemetry.ts";
import { type WatchedBatch, type WatchFilter } from "../../telemetry/request-watch.ts";
import { type Tenants } from "../../tenants/tenant-route.ts";
import { type Membership } from "../../upstream/member.ts";
import { type Issued, type ReadTls } from "../../acme/issued.ts";
import { type Facilitators } from "../../../payments/facilitator/facilitators.ts";
import { type Store } from "../../../store/store.ts";
import { type Counts } from "../../telemetry/metrics/counts.ts";
import { type GatewayFigures, type ServerName } from "./gateway-figures.ts";
import { type Replaced } from "./take-over.ts";
import { type BoundListener } from "../listeners/listener-plan.ts";

/** The error for changes while the gateway stops. */
export const STOPPING = "the gateway is about to stop";

/** The configuration of a gateway, and the parts that another process may have instead of it. */
export interface GatewayOptions {
  readonly config: Config;
  /** The certificates from files for TLS listeners; left out: the files that the configuration names are read. */
  readonly material?: ReadTls | undefined;
  /** The certificates from `tls.acme` so far; left out: none. */
  readonly issued?: Issued | undefined;
  /** The servers of every upstream, if another process keeps their directory; left out: this process keeps it. */
  readonly members?: Membership | undefined;
  /** The part of the shared memory that this process counts in; left out: it is the whole server. */
  readonly slot?: WorkerSlot | undefined;
  /** The socket of the embedded facilitator, if another process has its key; left out: this process has it. */
  readonly facilitatorSocket?: string | undefined;
  /** The control socket of the process that has it for all workers; left out: this is the only worker. */
  readonly control?: RemoteControl | undefined;
  /** The upstream that is this program's content service: it decides whether its failures are charged. */
  readonly contentUpstream?: string | undefined;
  /** Metrics of other parts of the program, in the same text format; left out: none. */
  readonly otherMetrics?: (() => string) | undefined;
  /** The SQLite file of ledger and usage, or `:memory:`. */
  readonly storePath: string;
  /** The workers of this server bind the same ports, and the supervisor has checked that no other process does. */
  readonly reusePort: boolean;
  /** The gateway that this one replaces still listens on the same TCP ports. */
  readonly takesOver?: Replaced | undefined;
  /** True: the admin interface starts after the workers, which are ready only then. */
  readonly awaitsAdmin?: boolean;
  /** False: the gateway starts even if its database is unreachable, and sells nothing until the database is back. */
  readonly needsDatabase?: boolean;
  /** Takes a line that occurred `count` times (1), from the worker in row `worker` (0: this process). */
  readonly log: (message: string, count?: number, worker?: number) => void;
  /** Receives events; left out: there is no receiver. */
  readonly events?: EventSink | undefined;
  /** Called when an HTTP/3 endpoint was bound or closed; left out: no other process has its socket. */
  readonly onEndpoints?: () => void;
}

/** The parts of the process with the seller's keys that refunds need. */
export interface Seller {
  /** Undefined while no route is paid, or if the ledger is in the memory of workers. Throws if it cannot be opened. */
  readonly store: () => Store | undefined;
  readonly facilitators: Facilitators;
}

export interface Gateway {
  readonly listeners: readonly BoundListener[];
  readonly connections: number;
  readonly figures: GatewayFigures;
  readonly seller: Seller;
  /** Path prefixes that a worker refuses with 503, because it cannot load one of their filters. */
  readonly closedRoutes: readonly string[];
  /** The warm tenants of the whole server. */
  readonly tenantDirectory: TenantDirectory;
  /** The metrics of the whole server. */
  metrics(): MetricsPage;
  /** Keeps new requests away from a server of an upstream, or ends that. False: there is no such server. */
  drain(server: ServerName, drained: boolean, by: Actor): boolean;
  /**
   * Serves by `config` from now on, listeners and certificates included. `material` and `members` as in the options.
   * Rejects if that fails; then the previous configuration stays.
   */
  reload(config: Config, material?: ReadTls, members?: Membership): Promise<void>;
  /** Shows the certificates of `tls.acme`, responds to its challenges. Resolves when all listeners do. */
  certify(issued: Issued): Promise<void>;
  /** Sends requests that match one of the filters, until the next call; without a filter none. */
  watchRequests(filters: readonly WatchFilter[], receive: (batch: WatchedBatch) => void): void;
  readonly counts: Counts;
  /** Closes the access logs and opens them by their names again, because a rotation may have renamed the files. */
  reopenLogs(): Promise<void>;
  /** Accepts no more connections, lets exchanges in flight end within `graceMs` milliseconds, then closes the rest. */
  close(graceMs: number): Promise<void>;
}

/** A gateway whose directory of servers can be in another process. */
export interface GatewayProcess extends Gateway {
  /** Replaces the servers of the upstreams that are named. */
  setMembers(members: Membership): void;
  readonly tenants: Pick<Tenants, "warm">;
}
