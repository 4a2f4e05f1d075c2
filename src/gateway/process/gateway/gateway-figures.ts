import { type SharedZone } from "../../../lib/memory/shared-zone.ts";
import { type Store } from "../../../store/store.ts";
import { type LedgerView } from "../../../store/ledger-view.ts";
import { type OverviewUpstream, type ServerFigures } from "../../admin/shapes/common.ts";
import { type Actor, type OnEvent } from "../../telemetry/event.ts";
import { SERVER_GAUGE, serverGauge } from "../../telemetry/metrics/layout.ts";
import { type CountedServer } from "../../telemetry/upstream-metrics.ts";
import { type Directory, type ServerStatus } from "../../upstream/directory/directory.ts";
import { PROBE_WORDS } from "../../upstream/probe-reason.ts";
import { FAILURE_WORDS } from "../../upstream/directory/server-watch.ts";

/** A server of an upstream, by its key: `127.0.0.1:8080` or `unix:/path`. */
export interface ServerName {
  readonly upstream: string;
  readonly server: string;
}

interface FiguresDeps {
  readonly zone: SharedZone;
  /** Undefined if another process keeps the directory. */
  readonly directory: Directory | undefined;
  /** Undefined if no ledger is open. Throws if the ledger cannot be opened. */
  readonly ledger: () => LedgerView | undefined;
  /** Opens the store of this process; left out if a supervisor has no store. */
  readonly store?: () => Store;
}

/** Figures of a running gateway, for operators. */
export class GatewayFigures {
  readonly zone: SharedZone;
  readonly #directory: Directory | undefined;
  readonly ledger: () => LedgerView | undefined;
  readonly store: (() => Store) | undefined;

  constructor({ zone, directory, ledger, store }: FiguresDeps) {
    this.zone = zone;
    this.#directory = directory;
    this.ledger = ledger;
    this.store = store;
  }

  /** Every server of every upstream; empty if another process keeps the directory. */
  upstreams(): OverviewUpstream[] {
    const rows = Array.from({ length: this.zone.shape.rows }, (_, row) => this.zone.counters(row));
    const byName = new Map<string, ServerFigures[]>();
    for (const status of this.#directory?.status() ?? []) {
      const servers = byName.getOrInsert(status.upstream, []);
      servers.push(figuresOf(status, rows));
    }
    return [...byName].map(([name, servers]) => ({ name, servers }));
  }

  /** The same servers, for metrics. */
  counted(): CountedServer[] {
    return (this.#directory?.status() ?? []).map((status) => ({
      upstream: status.upstream,
      key: status.server,
      slot: status.slot,
      inRotation: isInRotation(status),
      healthy: status.active === undefined ? undefined : status.active.state === "healthy",
      probeFailure: status.active?.reason ?? "",
    }));
  }
}

/** Drains a server, or ends that, and reports it as an event. False: there is no such server. */
export function drainServer(
  directory: Directory | undefined,
  { server: { upstream, server }, drained, by }: { server: ServerName; drained: boolean; by: Actor },
  onEvent: OnEvent,
): boolean {
  if (directory?.drain(upstream, server, drained) !== true) return false;
  const what = drained ? "is drained: it gets no new requests" : "is not drained any more";
  const message = `upstream ${JSON.stringify(upstream)}: server ${server} ${what}`;
  onEvent({ kind: "drain", message, by, outcome: "done", details: { upstream, server, drained } });
  return true;
}

function isInRotation({ active, passive, drained }: ServerStatus): boolean {
  return active?.state !== "unhealthy" && passive.inRotation && !drained;
}

function figuresOf(status: ServerStatus, rows: readonly Float64Array[]): ServerFigures {
  const { server, source, active, passive, drained, backup, weight, requestsInFlight, lastFailureMs, slot } = status;
  const gauge = serverGauge(slot) + SERVER_GAUGE.connectionsOpen;
  return {
    server,
    source: source === "config" ? "configured" : source,
    health: active === undefined ? "unchecked" : active.state,
    in_rotation: isInRotation(status),
    drained,
    backup,
    weight,
    reason: reasonOf(status),
    failures: passive.failures,
    requests_in_flight: requestsInFlight,
    connections: rows.reduce((sum, row) => sum + (row[gauge] ?? 0), 0),
    ...(lastFailureMs === undefined ? {} : { last_failure_ms: lastFailureMs }),
  };
}

function reasonOf({ active, passive, drained }: ServerStatus): string {
  const probe = active?.reason ?? "";
  const parts = [
    probe === "" ? "" : PROBE_WORDS[probe],
    passive.failure !== "" && (passive.failures > 0 || !passive.inRotation) ? FAILURE_WORDS[passive.failure] : "",
    drained ? "an operator drained it" : "",
  ];
  return parts.filter((part) => part !== "").join("; ");
}
