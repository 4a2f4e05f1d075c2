import { type TenantDirectory } from "../admin/parts.ts";
import { type Config } from "../config/config.ts";
import { type RemoteControl } from "../filters/control/remote-control.ts";
import { type Actor, type EventSink } from "../telemetry/event.ts";
import { type MetricsPage, type WorkerSlot } from "../telemetry/telemetry.ts";
import { type Tenants } from "../tenants/tenants.ts";
import { type Membership } from "../upstream/member.ts";
import { type Issued, type ReadTls } from "../acme/issued.ts";
import { type CertificateMetrics } from "../telemetry/certificate-metrics.ts";
import { type GatewayFigures, type ServerName } from "./gateway-figures.ts";
import { type BoundListener } from "./listener-plan.ts";

/** Why nothing is changed any more. */
export const STOPPING = "the gateway is about to stop";

export interface GatewayOptions {
  readonly config: Config;
  /** What files hold for listeners with TLS; left out: what the configuration names is read. */
  readonly material?: ReadTls | undefined;
  /** What `tls.acme` has got so far; left out: nothing. */
  readonly issued?: Issued | undefined;
  /** The servers of every upstream, where another process keeps the directory of them; left out: this one does. */
  readonly members?: Membership | undefined;
  /** Where this process counts; left out: it is the whole server. */
  readonly slot?: WorkerSlot | undefined;
  /** The socket of the embedded facilitator, where another process has its key; left out: this one does. */
  readonly facilitatorSocket?: string | undefined;
  /** The control socket of the process that has it for all workers; left out: this is the only worker. */
  readonly control?: RemoteControl | undefined;
  /** The upstream that is the content service of this program, whose word on failures counts; left out: there is none. */
  readonly contentUpstream?: string | undefined;
  /** The SQLite file of ledger and usage, or `:memory:`. */
  readonly storePath: string;
  /** Other processes bind the same ports, and it is known that nobody else does. */
  readonly reusePort: boolean;
  /** The gateway that this one replaces still listens on the same TCP ports. */
  readonly takesOver?: boolean | undefined;
  /** False: it starts though its database is away, and sells nothing until that is back. */
  readonly needsDatabase?: boolean;
  readonly log: (message: string) => void;
  /** Hears what happens, and every line of the log; left out: nobody does. */
  readonly events?: EventSink | undefined;
}

/** A gateway that serves, in this process. */
export interface Gateway {
  readonly listeners: readonly BoundListener[];
  readonly connections: number;
  /** What operators look at. */
  readonly figures: GatewayFigures;
  /** Path prefixes that some worker answers 503, since a filter of theirs cannot be loaded. */
  readonly closedRoutes: readonly string[];
  /** The warm tenants of the whole server. */
  readonly tenantDirectory: TenantDirectory;
  /** The metrics of the whole server. */
  metrics(): MetricsPage;
  /** Keeps new requests away from a server of an upstream, or does not any more. False: there is no such server. */
  drain(server: ServerName, drained: boolean, by: Actor): boolean;
  /**
   * Serves by `config` from now on, listeners and certificates included; rejects, with the old one left running, where it
   * cannot. `material` and `members` as in the options.
   */
  reload(config: Config, material?: ReadTls, members?: Membership): Promise<void>;
  /** Shows what `tls.acme` has got to who connects from now on, and answers its challenges; resolves when all listeners do. */
  certify(issued: Issued): Promise<void>;
  /** Counts what becomes of `tls.acme`. */
  readonly certificates: CertificateMetrics;
  /** Opens the access logs by their names again, which other files may have by now. */
  reopenLogs(): Promise<void>;
  /** A reload has been tried: counts how it went. */
  countReload(success: boolean): void;
  /** Takes no more connections, lets what is in flight end within `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

/** A gateway of which another process may keep the directory of servers. */
export interface GatewayProcess extends Gateway {
  /** Other servers from now on, for the upstreams that are named. */
  setMembers(members: Membership): void;
  /** The warm tenants of this process. */
  readonly tenants: Pick<Tenants, "list" | "drop">;
}

/** The same options, whose log is heard by `events` as well. */
export function withEvents(options: GatewayOptions): GatewayOptions {
  const { log, events } = options;
  if (events === undefined) return options;
  return {
    ...options,
    log(message) {
      log(message);
      events.addLine(message);
    },
  };
}
