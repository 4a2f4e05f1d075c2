import { isDeepStrictEqual } from "node:util";
import { serverKey } from "../member.ts";
import { type ServerStates } from "../outlier-detection.ts";
import { type ProbeReason, reasonNumber } from "../probe-reason.ts";
import { type DiscoveryDeps } from "./discovery.ts";
import { type CheckedServer, type CheckRunner, ServerCheck } from "./server-check.ts";

/** Probes that run at a time. Beyond it, probes that are due wait for their turn. */
const MAX_PROBES = 64;
/** The part of the interval by which a probe shifts, to spread the probes of servers added together. */
const JITTER = 0.1;
/** Milliseconds over which first probes are spread, unless the interval is shorter. */
const FIRST_SPREAD_MS = 100;

export interface HealthDeps extends DiscoveryDeps {
  readonly states: ServerStates;
  /** Returns Unix milliseconds. */
  readonly clock: () => number;
}

export interface ProbedState {
  readonly state: "healthy" | "unhealthy";
  /** The reason why the last probe failed; empty if it did not. */
  readonly reason: "" | ProbeReason;
  /** Unix milliseconds since when the server has this state. */
  readonly since: number;
}

/** Probes servers, and records for all workers which of them are healthy. */
export class HealthChecks implements CheckRunner {
  readonly deps: HealthDeps;
  #checks = new Map<number, ServerCheck>();
  /** Servers whose probe is due and waits for room. */
  readonly #waiting = new Set<ServerCheck>();
  readonly #running = new Set<ServerCheck>();

  constructor(deps: HealthDeps) {
    this.deps = deps;
  }

  /** Probes exactly these servers from now on. A server whose probe settings have changed keeps its state. */
  set(servers: readonly CheckedServer[]): void {
    const before = this.#checks;
    this.#checks = new Map();
    for (const server of servers) {
      const known = before.get(server.slot);
      if (known !== undefined && isProbedAlike(known.server, server)) {
        before.delete(server.slot);
        this.#checks.set(server.slot, known);
      } else this.#begin(server, known !== undefined && isSame(known.server, server) ? known : undefined);
    }
    for (const [slot, check] of before) {
      this.#stop(check);
      if (!this.#checks.has(slot)) this.deps.states.setActive(slot, undefined);
    }
    this.#runWaiting();
  }

  /** Undefined for a server that is not probed. */
  stateOf(slot: number): ProbedState | undefined {
    const check = this.#checks.get(slot);
    if (check === undefined) return undefined;
    const { state, reason = "", since } = check;
    return { state: state.healthy ? "healthy" : "unhealthy", reason, since };
  }

  close(): void {
    for (const check of this.#checks.values()) this.#stop(check);
  }

  due(check: ServerCheck): void {
    this.#waiting.add(check);
    this.#runWaiting();
  }

  probed(check: ServerCheck, changed: boolean): void {
    this.#running.delete(check);
    const { slot, check: settings } = check.server;
    this.deps.states.setActive(slot, check.state.healthy, reasonNumber(check.reason));
    if (changed) this.#changed(check);
    const interval = settings.interval_ms * (1 - JITTER + 2 * JITTER * this.deps.random());
    this.deps.wheel.set(check, Math.max(0, check.beganAt + interval - this.deps.wheel.now()));
    this.#runWaiting();
  }

  #begin(server: CheckedServer, known: ServerCheck | undefined): void {
    const { healthy } = known?.state ?? { healthy: true };
    const check = new ServerCheck(server, this, { healthy, since: known?.since ?? this.deps.clock() });
    this.#checks.set(server.slot, check);
    const spread = Math.min(FIRST_SPREAD_MS, server.check.interval_ms);
    this.deps.wheel.set(check, spread * this.deps.random());
  }

  #stop(check: ServerCheck): void {
    check.stop();
    this.#waiting.delete(check);
    this.#running.delete(check);
  }

  #changed(check: ServerCheck): void {
    const { upstream, endpoint } = check.server;
    check.since = this.deps.clock();
    const { healthy } = check.state;
    const reason = check.reason ?? "";
    const server = serverKey(endpoint);
    const message = `upstream "${upstream}": server ${server} is ${healthy ? "healthy again" : `unhealthy: ${reason}`}`;
    this.deps.log(message);
    this.deps.onEvent?.({ kind: "server_health", message, details: { upstream, server, healthy, reason } });
  }

  #runWaiting(): void {
    for (const check of this.#waiting) {
      if (this.#running.size >= MAX_PROBES) return;
      this.#waiting.delete(check);
      this.#running.add(check);
      check.run();
    }
  }
}

/** True for the same server, even with other probe settings. A slot can belong to another server after a reload. */
function isSame(a: CheckedServer, b: CheckedServer): boolean {
  return a.upstream === b.upstream && serverKey(a.endpoint) === serverKey(b.endpoint);
}

function isProbedAlike(a: CheckedServer, b: CheckedServer): boolean {
  // The content of `trust` cannot be compared, so it must be the same object.
  return a.dial.tls?.trust === b.dial.tls?.trust && isDeepStrictEqual(a, b);
}
