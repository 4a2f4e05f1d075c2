import { isDeepStrictEqual } from "node:util";
import { Alarm } from "../../../lib/time/timer-wheel.ts";
import { type Config, type UpstreamConfig } from "../../config/config.ts";
import { MAX_SERVERS } from "../../config/max-servers.ts";
import { type DialSettings } from "../dial.ts";
import { type Member, type Membership } from "../member.ts";
import { type Failure } from "../outlier-detection.ts";
import { HealthChecks, type HealthDeps, type ProbedState } from "./health-checks.ts";
import { Plan, type PlannedUpstream, serversOf, type Source } from "./plan.ts";
import { type CheckedServer } from "./server-check.ts";
import { ServerWatch } from "./server-watch.ts";
import { Slots } from "./slots.ts";

/**
 * Milliseconds that a start or a reload waits for the first responses of discovery. After that, it continues with the known
 * servers. @operator @bound
 */
const FIRST_RESPONSES_MS = 3000;

export interface DirectoryDeps extends Omit<HealthDeps, "random" | "clock"> {
  /** Returns how connections to an upstream's servers are opened. */
  readonly dialSettings: (upstream: UpstreamConfig) => DialSettings;
  readonly onChange: (upstream: string, members: readonly Member[]) => void;
}

/** Milliseconds between two checks of whether failed requests have put servers out of rotation. @bound */
const WATCH_MS = 500;

interface SlottedServer {
  readonly source: Source;
  readonly key: string;
  readonly member: Member;
}

export interface ServerStatus extends Pick<Member, "weight" | "backup" | "slot"> {
  readonly upstream: string;
  readonly server: string;
  readonly source: Source;
  /** The result of the probes; undefined without probes. */
  readonly active: ProbedState | undefined;
  /** The result of real requests. `failure`: why the last failed one failed; empty if none has. */
  readonly passive: { readonly inRotation: boolean; readonly failures: number; readonly failure: Failure | "" };
  /** An operator keeps new requests away from the server. */
  readonly drained: boolean;
  readonly requestsInFlight: number;
  /** When a request or a probe last failed, in Unix milliseconds; undefined if none has. */
  readonly lastFailureMs: number | undefined;
}

/**
 * The servers of all upstreams: those that the configuration names, and those that discovery finds. There is one
 * directory for all workers. It gives each server a slot in the shared memory, and probes it.
 *
 *   prepare ─┬─ commit ───▶ only the new configuration's servers are probed and discovered
 *            └─ rollback ─▶ the old configuration stays in use
 *
 * A server keeps its slot over reloads. A slot is used again only when no worker has a request there: first the one that was
 * free for longest.
 */
export class Directory {
  readonly #deps: DirectoryDeps;
  readonly #slots: Slots;
  readonly #checks: HealthChecks;
  #current: Plan | undefined;
  /** The plan that is prepared, but neither committed nor rolled back. */
  #next: Plan | undefined;
  /** The servers that workers last received, by upstream. */
  #told = new Map<string, readonly SlottedServer[]>();
  #toldNext = new Map<string, readonly SlottedServer[]>();
  /** The number of servers of each upstream without a slot, as last logged. */
  readonly #left = new Map<string, number>();
  /** The timeout of a preparation that waits for first responses. */
  #patience: Alarm | undefined;
  #closed = false;
  #watching: ReturnType<typeof setInterval> | undefined;

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
    if (deps.onEvent !== undefined) this.#watch(new ServerWatch(deps.states, deps.onEvent));
    this.#slots = new Slots(deps.states);
    this.#checks = new HealthChecks({ ...deps, random: Math.random, clock: Date.now });
  }

  /**
   * Prepares a configuration that is about to be served, and returns its servers. `commit` or `rollback` follows. Waits
   * up to `FIRST_RESPONSES_MS` for the first responses of discovery. Rejects, and changes nothing, if there are more
   * servers than slots.
   */
  async prepare(config: Config): Promise<Membership> {
    if (this.#closed) throw new Error(STOPPING);
    if (this.#next !== undefined) throw new Error("Cannot prepare a configuration: another one is being prepared");
    const changed = (name: string): void => this.#changed(name);
    const plan = new Plan(config, this.#current, { ...this.#deps, random: Math.random, changed });
    this.#next = plan;
    try {
      await this.#awaitFirstResponses(plan);
      if (this.#closed) throw new Error(STOPPING);
      this.#toldNext = new Map(
        [...plan.upstreams].map(([name, upstream]) => [name, this.#assignSlots(name, upstream)]),
      );
      return Object.fromEntries(
        [...this.#toldNext].map(([name, servers]) => [name, servers.map(({ member }) => member)]),
      );
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  async #awaitFirstResponses(plan: Plan): Promise<void> {
    const over = Promise.withResolvers<void>();
    const patience = new Alarm(over.resolve);
    this.#patience = patience;
    this.#deps.wheel.set(patience, FIRST_RESPONSES_MS);
    await Promise.race([plan.firstResponses(), over.promise]);
    this.#deps.wheel.remove(patience);
  }

  /** The prepared configuration is now served. */
  commit(): void {
    const plan = this.#next;
    if (plan === undefined) return;
    this.#current?.close(plan);
    this.#current = plan;
    this.#next = undefined;
    this.#told = this.#toldNext;
    this.#toldNext = new Map();
    this.#refresh(plan);
  }

  /** The prepared configuration will not be served. */
  rollback(): void {
    this.#next?.close(this.#current);
    this.#next = undefined;
    // Workers that have begun with the prepared configuration receive the old servers again, if those differ.
    for (const [name, servers] of this.#toldNext) {
      if (!isDeepStrictEqual(servers, this.#told.get(name))) this.#told.delete(name);
    }
    this.#toldNext = new Map();
    if (this.#current !== undefined) this.#refresh(this.#current);
  }

  status(): ServerStatus[] {
    const { states } = this.#deps;
    return [...this.#told].flatMap(([upstream, servers]) =>
      servers.map(({ source, key, member: { slot, weight, backup, failTimeoutMs } }) => ({
        upstream,
        server: key,
        source,
        weight,
        backup,
        active: this.#checks.stateOf(slot),
        passive: {
          inRotation: !states.isEjected(slot, failTimeoutMs),
          failures: states.fails(slot),
          failure: states.lastFailure(slot).failure,
        },
        drained: states.isDrained(slot),
        requestsInFlight: states.inFlight(slot),
        lastFailureMs: states.lastFailure(slot).ms,
        slot,
      })),
    );
  }

  /**
   * Keeps new requests away from a server, or stops doing so. Requests in flight and probes continue. This lasts as
   * long as the upstream has the server, also over reloads. Returns false if there is no such server.
   */
  drain(upstream: string, server: string, drained: boolean): boolean {
    const slotted = this.#told.get(upstream)?.find(({ key }) => key === server);
    if (slotted === undefined) return false;
    this.#deps.states.setDrained(slotted.member.slot, drained);
    return true;
  }

  /** Stops all probes and all discovery. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#watching);
    this.#patience?.onDeadline();
    this.#next?.close();
    this.#current?.close();
    this.#checks.close();
  }

  #watch(watch: ServerWatch): void {
    this.#watching = setInterval(() => watch.look(this.#members()), WATCH_MS);
    this.#watching.unref();
  }

  *#members(): Iterable<[upstream: string, members: Iterable<Member>]> {
    for (const [upstream, servers] of this.#told) yield [upstream, servers.map(({ member }) => member)];
  }

  /** While a configuration is prepared, it is unknown which one workers have. They get the change afterwards. */
  #changed(name: string): void {
    if (this.#next !== undefined || this.#current === undefined) return;
    this.#tell(this.#current, name);
    this.#settle(this.#current);
  }

  #refresh(plan: Plan): void {
    if (this.#closed) return;
    for (const name of plan.upstreams.keys()) this.#tell(plan, name);
    this.#settle(plan);
  }

  #tell(plan: Plan, name: string): void {
    const upstream = plan.upstreams.get(name);
    if (upstream === undefined) return;
    const servers = this.#assignSlots(name, upstream);
    if (isDeepStrictEqual(servers, this.#told.get(name))) return;
    this.#told.set(name, servers);
    this.#deps.onChange(
      name,
      servers.map(({ member }) => member),
    );
  }

  /** Frees the slots of servers that are gone, and probes the current servers. */
  #settle(plan: Plan): void {
    const keys = [...this.#told].flatMap(([name, servers]) => servers.map(({ key }) => placeKey(name, key)));
    this.#slots.keep(new Set(keys));
    this.#checks.set(
      [...plan.upstreams].flatMap(([name, upstream]) => checkedOf(upstream, this.#told.get(name) ?? [])),
    );
  }

  /** Gives an upstream's servers slots, and returns those with one. Throws if a configured one gets no slot. */
  #assignSlots(name: string, upstream: PlannedUpstream): SlottedServer[] {
    const slotted: SlottedServer[] = [];
    let left = 0;
    for (const { source, key, ...server } of serversOf(upstream)) {
      const slot = this.#slots.take(placeKey(name, key));
      if (slot !== undefined) slotted.push({ source, key, member: { ...server, slot } });
      else if (source === "config") throw new Error(noSlot(name, key));
      else left++;
    }
    this.#sayLeft(name, left);
    return slotted;
  }

  /** Logs the number of servers without a slot, if it has changed. */
  #sayLeft(name: string, left: number): void {
    if (left === (this.#left.get(name) ?? 0)) return;
    if (left === 0) this.#left.delete(name);
    else this.#left.set(name, left);
    if (left > 0) this.#deps.log(`upstream ${JSON.stringify(name)}: ${left} servers left out: ${PLACES}`);
  }
}

function checkedOf({ config, dial }: PlannedUpstream, servers: readonly SlottedServer[]): CheckedServer[] {
  const { name: upstream, health_check: check } = config;
  if (check === undefined || dial === undefined) return [];
  const protocol = config.protocol === "h2c" ? "h2" : config.protocol;
  return servers.map(({ member: { endpoint, slot } }) => ({ upstream, slot, endpoint, check, protocol, dial }));
}

const STOPPING = "the gateway is about to stop";
const PLACES = `at most ${MAX_SERVERS} servers are possible in all upstreams together`;

function noSlot(upstream: string, server: string): string {
  return `Cannot use server ${server} of upstream ${JSON.stringify(upstream)}: ${PLACES}, and during a reload of both configurations`;
}

function placeKey(upstream: string, server: string): string {
  return JSON.stringify([upstream, server]);
}
