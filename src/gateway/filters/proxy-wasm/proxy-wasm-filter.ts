import { TurnpikeError } from "../../../lib/errors.ts";
import { messageOf } from "../../../lib/caught.ts";
import { Alarm } from "../../../lib/time/timer-wheel.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type Filter, type FilterDecision } from "../runtime/filter.ts";
import { type FilterModule } from "../module/module-cache.ts";
import { type FilterRuntime, type FilterSettings } from "../runtime/runtime.ts";
import { FIRST_BACK_OFF_MS, MAX_BACK_OFF_MS, QUICK_RESTARTS, SOUND_AFTER_MS } from "../module/proxy-wasm-bounds.ts";
import { ProxyInstance } from "./instance.ts";
import { MetricTable } from "./guest/metric-table.ts";
import { type Plugin } from "./guest/plugin.ts";
import { Stream } from "./stream.ts";

const RESPONDED: FilterDecision = { kind: "responded" };
const NO_INSTANCE = new TurnpikeError("filter-unavailable", "a filter of this route failed and is started again");
const FULL = new TurnpikeError("overloaded", "a filter of this route has its maximum number of requests");

/** A slot for an instance, which is started when a request needs it. */
interface InstanceSlot {
  instance: ProxyInstance | undefined;
  startedAt: number;
  /** Failures since an instance last worked. */
  failures: number;
}

/** A proxy-wasm filter. Each of its instances serves many streams, and requests go to the instances in turn. */
export class ProxyWasmFilter implements Filter {
  readonly name: string;
  readonly readsCalls = false;
  readonly #plugin: Plugin;
  readonly #slots: readonly InstanceSlot[];
  /** Instances that are closed and still have streams. */
  #closing = 0;
  #next = 0;
  #isClosed = false;
  /** Restarts a broken instance of a filter without requests. */
  readonly #watch = new Alarm(() => this.#look());

  /** Starts the first instance. Throws an Error with the reason if it fails. */
  constructor(module: FilterModule, settings: FilterSettings, runtime: FilterRuntime) {
    this.name = settings.name;
    this.#plugin = {
      module,
      settings,
      runtime,
      properties: runtime.shared.properties,
      shared: runtime.shared.data,
      counts: runtime.metrics(settings.name, settings.route),
      defined: new MetricTable((type, metric) => runtime.defined.cell(settings.name, type, metric)),
      calls: runtime.calls.filter(),
    };
    this.#slots = Array.from({ length: settings.instances }, () => ({
      instance: undefined,
      startedAt: 0,
      failures: 0,
    }));
    const [first] = this.#slots;
    if (first !== undefined) this.#start(first);
    if (settings.route === "") runtime.wheel.set(this.#watch, WATCH_MS);
  }

  /** `pinned` is 0, because no instance is reserved for one request. */
  get instances(): { readonly all: number; readonly pinned: number } {
    const running = this.#slots.filter(({ instance }) => instance?.isBroken === false).length;
    return { all: running + this.#closing, pinned: 0 };
  }

  request(exchange: Exchange): FilterDecision | Promise<FilterDecision> {
    const instance = this.#take();
    if (instance !== undefined && !instance.isFull) return new Stream(instance, exchange).begin();
    const { counts, runtime } = this.#plugin;
    counts.notInvoked("request", instance === undefined ? "start" : "busy", exchange.trace);
    runtime.respondWithError(exchange, instance === undefined ? NO_INSTANCE : FULL);
    return RESPONDED;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#plugin.runtime.wheel.remove(this.#watch);
    for (const slot of this.#slots) {
      const { instance } = slot;
      if (instance === undefined) continue;
      slot.instance = undefined;
      if (instance.isBroken) this.#plugin.runtime.instances.give();
      else {
        this.#closing++;
        instance.close();
      }
    }
  }

  #look(): void {
    this.#plugin.runtime.wheel.set(this.#watch, WATCH_MS);
    this.#take();
  }

  /** The next running instance in turn. Undefined if none runs and none can be started yet. */
  #take(): ProxyInstance | undefined {
    const slots = this.#slots;
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[this.#next];
      this.#next = this.#next + 1 === slots.length ? 0 : this.#next + 1;
      const instance = slot && this.#running(slot);
      if (instance !== undefined) return instance;
    }
    return undefined;
  }

  #running(slot: InstanceSlot): ProxyInstance | undefined {
    const { instance } = slot;
    if (instance?.isBroken === false) return instance;
    if (this.#isClosed) return undefined;
    const { runtime } = this.#plugin;
    const now = runtime.clock();
    if (instance !== undefined) {
      slot.instance = undefined;
      runtime.instances.give();
      slot.failures = now - slot.startedAt > SOUND_AFTER_MS ? 1 : slot.failures + 1;
    }
    if (now < slot.startedAt + backOffMs(slot.failures)) return undefined;
    try {
      this.#start(slot);
    } catch (error) {
      slot.failures++;
      slot.startedAt = now;
      runtime.log(this.name, messageOf(error));
    }
    return slot.instance;
  }

  #start(slot: InstanceSlot): void {
    const { clock, instances } = this.#plugin.runtime;
    slot.startedAt = clock();
    if (!instances.take()) throw new Error("Cannot start the filter: the worker has too many instances of filters");
    try {
      slot.instance = new ProxyInstance(this.#plugin, () => {
        this.#closing--;
        instances.give();
      });
    } catch (error) {
      instances.give();
      throw error;
    }
  }
}

/** Milliseconds between two looks at an instance that no request starts again. */
const WATCH_MS = 1000;

/** Milliseconds from the last start to the next. The first restarts follow at once, for all other requests. */
function backOffMs(failures: number): number {
  if (failures <= QUICK_RESTARTS) return 0;
  return Math.min(FIRST_BACK_OFF_MS * 2 ** (failures - QUICK_RESTARTS - 1), MAX_BACK_OFF_MS);
}
