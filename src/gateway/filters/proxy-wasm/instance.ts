import { messageOf } from "../../../lib/caught.ts";
import { Deadline } from "../../../lib/time/timer-wheel.ts";
import { type Failure, failureOf } from "../module/failure.ts";
import { START_FUEL } from "../module/reading/limits.ts";
import { type FilterOutcome, type FilterPhase } from "../../telemetry/filter-metrics.ts";
import { MAX_LOG_BYTES, MAX_LOG_LINES, MAX_STREAMS, MIN_TICK_MS } from "../module/proxy-wasm-bounds.ts";
import { CallTable } from "./guest/call-table.ts";
import { type Callbacks, callbacksOf } from "./guest/callbacks.ts";
import { type Context } from "./guest/context.ts";
import { CONTINUE_ACTION, LEAST_LOG_LEVEL, LOG_LEVELS } from "./guest/enums.ts";
import { type Host } from "./host/host.ts";
import { imports } from "./host/imports.ts";
import { Machine } from "./guest/machine.ts";
import { OutputLines } from "./guest/output-lines.ts";
import { type Plugin } from "./guest/plugin.ts";
import { PluginContext } from "./guest/plugin-context.ts";
import { Queues } from "./guest/queues.ts";
import { type StreamContext, type StreamRunner } from "./guest/runner.ts";

const PLUGIN_ID = 1;
const INFO = 2;
const LAST_ID = 0x7fff_ffff;

/**
 * A running module with its plugin context and the contexts of all its streams. A failed invocation breaks the
 * instance: its streams fail, and it is not used again.
 */
export class ProxyInstance implements Host, StreamRunner {
  readonly plugin: Plugin;
  readonly machine = new Machine();
  readonly callbacks: Callbacks;
  readonly queues: Queues;
  readonly calls: CallTable;
  /** The lines that it writes to its standard streams. */
  readonly output = new OutputLines((level, line) => this.log(level, line));
  /** The context on which host functions work. */
  context: Context;
  readonly root: PluginContext;
  readonly #streams = new Map<number, StreamContext>();
  /** Streams with requests of the filter from the running callback. */
  readonly #asked = new Set<StreamContext>();
  readonly #onIdle: () => void;
  readonly #tick: Tick;
  #lastId = PLUGIN_ID;
  #logLines = 0;
  #isBroken = false;
  #isClosing = false;

  /** Starts the module. `onIdle`: a closing instance has no streams left or breaks. Throws if the module fails. */
  constructor(plugin: Plugin, onIdle: () => void) {
    this.plugin = plugin;
    this.#onIdle = onIdle;
    this.root = new PluginContext(this, PLUGIN_ID);
    this.context = this.root;
    this.#tick = new Tick(this);
    this.queues = new Queues(this);
    this.calls = new CallTable(this);
    this.callbacks = this.#instantiate();
    try {
      this.#start();
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** True if the instance accepts no more streams. */
  get isFull(): boolean {
    return this.#streams.size >= MAX_STREAMS;
  }

  find(id: number): Context | undefined {
    return id === PLUGIN_ID ? this.root : this.#streams.get(id);
  }

  nextId(): number {
    do {
      this.#lastId = (this.#lastId % LAST_ID) + 1;
    } while (this.find(this.#lastId) !== undefined);
    return this.#lastId;
  }

  add(stream: StreamContext): void {
    this.#streams.set(stream.id, stream);
  }

  remove(stream: StreamContext): void {
    this.#streams.delete(stream.id);
    if (this.#isClosing && this.#streams.size === 0) this.#end();
  }

  /** The stream is settled once the callback has returned. */
  ask(stream: StreamContext): void {
    this.#asked.add(stream);
  }

  /** Runs a callback on a context. Returns undefined if the instance is broken, or breaks because the callback fails. */
  run(context: Context, name: string, call: () => number | undefined): number | undefined {
    // An instance has many streams. If it breaks, each stream ends, and that can call this method for another stream.
    if (this.#isBroken) return undefined;
    const result = this.#invoke(context, name, call, this.plugin.settings.fuel);
    if (typeof result === "number") {
      if (this.#asked.size > 0) this.#settle(context);
      return result;
    }
    this.#break(name, result);
    return undefined;
  }

  log(level: number, text: string): void {
    if (level < LEAST_LOG_LEVEL || this.#logLines >= MAX_LOG_LINES) return;
    this.#logLines++;
    const line = text.length > MAX_LOG_BYTES ? text.slice(0, MAX_LOG_BYTES) : text;
    this.plugin.runtime.log(this.plugin.settings.name, `${LOG_LEVELS[level] ?? "critical"}: ${line}`);
  }

  /** Calls on_tick every `ms` milliseconds from now on; 0 stops it. */
  setTick(ms: number): void {
    this.#tick.set(ms);
  }

  /** No stream begins after this call. The instance ends with its last stream. */
  close(): void {
    this.#isClosing = true;
    if (this.#streams.size === 0) this.#end();
  }

  #instantiate(): Callbacks {
    try {
      this.machine.start(this.plugin.module.compiled, imports(this));
      return callbacksOf(this.machine);
    } catch (error) {
      throw cannotStart(failureOf(error, 0, this.machine.reason).reason, error);
    }
  }

  #start(): void {
    const { callbacks } = this;
    const { settings } = this.plugin;
    this.machine.mayExit = true;
    if (callbacks.initialize === undefined) this.#begin("_start", callbacks.start);
    else {
      this.#begin("_initialize", callbacks.initialize);
      this.#begin("main", callbacks.main, () => callbacks.main?.(0, 0));
    }
    this.machine.mayExit = false;
    this.root.mayCall = true;
    this.#begin("proxy_on_context_create", callbacks.contextCreate, () => callbacks.contextCreate?.(PLUGIN_ID, 0));
    const { vmStart, configure } = callbacks;
    const isStarted = this.#begin("proxy_on_vm_start", vmStart, () =>
      vmStart?.(PLUGIN_ID, Buffer.byteLength(settings.vmConfig)),
    );
    if (isStarted === 0) throw cannotStart("returns false from proxy_on_vm_start");
    const length = Buffer.byteLength(settings.config);
    const isConfigured = this.#begin("proxy_on_configure", configure, () => configure?.(PLUGIN_ID, length));
    if (isConfigured === 0) throw cannotStart("returns false from proxy_on_configure");
    if (settings.route !== "") this.#tryContext();
  }

  /** Throws an Error if the module cannot make a context for a request, as plugins that only have ticks and queues. */
  #tryContext(): void {
    const { contextCreate, remove } = this.callbacks;
    const id = this.nextId();
    try {
      this.#begin("proxy_on_context_create", contextCreate, () => contextCreate?.(id, PLUGIN_ID));
      this.#begin("proxy_on_delete", remove, () => remove?.(id));
    } catch (error) {
      const reason = `${messageOf(error)}, for a request. A plugin without requests needs an empty match`;
      throw new Error(reason, { cause: error });
    }
  }

  /** Runs a function that starts the module, with fuel of its own. Returns undefined without such a function. */
  #begin(name: string, callback: unknown, call?: () => number | undefined): number | undefined {
    if (callback === undefined) return undefined;
    // Both kinds of start function take no parameters.
    const result = this.#invoke(this.root, name, call ?? (callback as () => number | undefined), START_FUEL);
    if (typeof result === "number") return result;
    throw cannotStart(`${result.reason} in ${name}`);
  }

  #invoke(context: Context, name: string, call: () => number | undefined, fuel: number): number | Failure {
    const { runtime, counts } = this.plugin;
    this.context = context;
    this.#logLines = 0;
    const began = runtime.clock();
    const result = this.machine.run(fuel, call);
    const phase = phaseOf(name);
    const outcome = typeof result === "number" ? outcomeOf(phase, result) : result.cause;
    const microseconds = (runtime.clock() - began) * 1000;
    counts.invoked(phase, outcome, { fuel: this.machine.used, microseconds, trace: context.exchange?.trace });
    this.output.flush(INFO);
    return result;
  }

  /** The current context is left out: its own side handles the filter's requests. */
  #settle(current: Context): void {
    const asked = [...this.#asked];
    this.#asked.clear();
    for (const stream of asked) if (stream !== current) stream.settle();
  }

  #break(name: string, { reason }: Failure): void {
    this.#isBroken = true;
    this.plugin.runtime.log(this.plugin.settings.name, `${reason} in ${name}; ${this.#streams.size} requests fail`);
    this.#release();
    for (const stream of this.#streams.values()) stream.lost();
    if (this.#isClosing) this.#onIdle();
  }

  #end(): void {
    const { done, remove } = this.callbacks;
    if (done !== undefined) this.run(this.root, "proxy_on_done", () => done(PLUGIN_ID));
    if (remove !== undefined) this.run(this.root, "proxy_on_delete", () => remove(PLUGIN_ID));
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#release();
    this.#onIdle();
  }

  #release(): void {
    this.#tick.stop();
    this.queues.close();
    this.calls.close();
  }
}

function cannotStart(reason: string, cause?: unknown): Error {
  return new Error(`Cannot start the filter: it ${reason}`, { cause });
}

/** The phase under which an invocation is counted. */
function phaseOf(name: string): FilterPhase {
  if (name.startsWith("proxy_on_request_")) return "request";
  return name.startsWith("proxy_on_response_") ? "response" : "callback";
}

function outcomeOf(phase: FilterPhase, result: number): FilterOutcome {
  if (phase !== "callback" && result !== CONTINUE_ACTION) return "park";
  return phase === "response" ? "unchanged" : "allow";
}

class Tick extends Deadline {
  readonly #instance: ProxyInstance;
  #periodMs = 0;

  constructor(instance: ProxyInstance) {
    super();
    this.#instance = instance;
  }

  set(ms: number): void {
    const { wheel } = this.#instance.plugin.runtime;
    this.#periodMs = Math.max(ms, MIN_TICK_MS);
    if (ms === 0) wheel.remove(this);
    else wheel.set(this, this.#periodMs);
  }

  stop(): void {
    this.set(0);
  }

  onDeadline(): void {
    const { callbacks, root } = this.#instance;
    const { tick } = callbacks;
    if (tick === undefined) return;
    this.#instance.plugin.runtime.wheel.set(this, this.#periodMs);
    this.#instance.run(root, "proxy_on_tick", () => tick(root.id));
  }
}
