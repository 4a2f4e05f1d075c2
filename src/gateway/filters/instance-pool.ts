import { messageOf } from "../../lib/caught.ts";
import { Deadline } from "../../lib/time/timer-wheel.ts";
import { FailureBudget } from "./failure-budget.ts";
import { type OwnInstance } from "./own-abi/own-instance.ts";
import { type FilterRuntime } from "./runtime/runtime.ts";

/** Milliseconds after which the pool drops instances above `kept` that no request has needed. */
const TRIM_MS = 10_000;

/** The limits of an `InstancePool`, and the functions that it calls. */
export interface PoolOptions extends Pick<FilterRuntime, "wheel" | "clock" | "instances" | "gauges"> {
  /** Creates an instance. Throws an Error with the reason if it cannot. */
  readonly make: () => OwnInstance;
  /** Instances that the pool keeps. It creates the first one at once and the others when they are needed. */
  readonly kept: number;
  /** Maximum number of instances that can exist at once. */
  readonly limit: number;
  /** Receives the reason when an instance could not be created. */
  readonly onFailure: (reason: string) => void;
}

/** Why there is no instance. `busy`: all are in use. `start`: it failed, or too many failed recently. */
export type NoInstance = "busy" | "start";

/** One filter's instances in one worker. Each serves one request at a time, and none after a failure. */
export class InstancePool extends Deadline {
  readonly #options: PoolOptions;
  readonly #budget: FailureBudget;
  readonly #free: OwnInstance[] = [];
  #all = 0;
  /** The smallest number of free instances since the last trim. */
  #fewestFree = 0;
  /** Failed instances that have not been replaced yet. */
  #failed = 0;
  #isClosed = false;

  /** Throws the errors of `make`, or an Error if the worker has too many instances. */
  constructor(options: PoolOptions) {
    super();
    this.#options = options;
    this.#budget = new FailureBudget(options.clock);
    if (!options.instances.take())
      throw new Error("Cannot start the filter: the worker has too many instances of filters");
    this.#all = 1;
    try {
      this.#free.push(options.make());
    } catch (error) {
      this.#drop(1);
      throw error;
    }
  }

  get all(): number {
    return this.#all;
  }

  /** Instances that are reserved for a request. */
  get pinned(): number {
    return this.#all - this.#free.length;
  }

  /** Takes an instance for one request, which keeps it until `give`. */
  take(): OwnInstance | NoInstance {
    const instance = this.#free.pop() ?? this.#make();
    if (typeof instance === "string") return instance;
    if (this.#free.length < this.#fewestFree) this.#fewestFree = this.#free.length;
    this.#options.gauges.pinnedChanged(1);
    return instance;
  }

  /** Takes an instance back. `failureMs` is how long its last invocation took, in milliseconds, if it failed. */
  give(instance: OwnInstance, failureMs = 0): void {
    this.#options.gauges.pinnedChanged(-1);
    if (instance.isPoisoned) {
      this.#failed++;
      this.#budget.charge(failureMs);
    }
    if (instance.isPoisoned || this.#isClosed) {
      this.#drop(1);
      return;
    }
    instance.release();
    this.#free.push(instance);
    const { kept, wheel } = this.#options;
    if (this.#all > kept && this.due === Number.POSITIVE_INFINITY) {
      this.#fewestFree = this.#free.length;
      wheel.set(this, TRIM_MS);
    }
  }

  /** Drops instances that are in use when they are given back. Late requests are still served. */
  close(): void {
    this.#isClosed = true;
    this.#options.wheel.remove(this);
    this.#drop(this.#free.splice(0).length);
  }

  onDeadline(): void {
    const { kept, wheel } = this.#options;
    const unneeded = Math.min(this.#fewestFree, this.#all - kept);
    if (unneeded > 0) this.#drop(this.#free.splice(0, unneeded).length);
    this.#fewestFree = this.#free.length;
    if (this.#all > kept) wheel.set(this, TRIM_MS);
  }

  #make(): OwnInstance | NoInstance {
    const { make, limit, instances, clock, onFailure } = this.#options;
    if (this.#all >= limit) return "busy";
    if (this.#budget.isSpent) return "start";
    if (!instances.take()) return "busy";
    this.#all++;
    const began = clock();
    try {
      const instance = make();
      if (this.#failed > 0) {
        this.#failed--;
        this.#budget.charge(clock() - began);
      }
      return instance;
    } catch (error) {
      this.#drop(1);
      this.#budget.charge(clock() - began);
      onFailure(messageOf(error));
      return "start";
    }
  }

  #drop(count: number): void {
    this.#all -= count;
    for (let i = 0; i < count; i++) this.#options.instances.give();
  }
}
