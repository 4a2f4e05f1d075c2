import { GuestMemory } from "../own-abi/guest-memory.ts";
import { failure, type Failure, failureOf } from "../module/failure.ts";
import { START_FUEL } from "../module/limits.ts";
import { FUEL_EXPORT, MEMORY_EXPORT } from "../module/meter.ts";

/** Fuel for each call of a host function: about what it takes in time. */
const CALL_FUEL = 20;
/** Bytes that one unit of fuel copies or searches, as a power of two. */
const BYTES_SHIFT = 6;

/** Ends an invocation from within a host function: the message is what the filter does. */
class HostAbort extends Error {}

/** A start function has ended by `proc_exit` with 0, as programs do. */
class ExitAtStart extends Error {}

/** Parameters of a host function that are all i32. */
export type Numbers = readonly number[];
export type HostFunction = (...parameters: never[]) => unknown;

/** What a module imports, by the module and the name that it imports it by. */
export type Imports = Readonly<Record<string, Readonly<Record<string, HostFunction>>>>;

/** Exports of a module that take numbers. */
export type Callback = (...parameters: number[]) => number | undefined;

/**
 * An instance with its memory and fuel. A host function that ends the invocation throws, which a filter can catch; so it also
 * takes all fuel and leaves a reason, and nothing that the filter returns after that counts.
 */
export class Machine {
  #exports: WebAssembly.Instance["exports"] = {};
  #memory: GuestMemory | undefined;
  #fuel: { value: number } = { value: START_FUEL };
  #allocate: Callback | undefined;
  #reason: string | undefined;
  /** What was thrown through a host function. */
  #trap: Error | undefined;
  #used = 0;
  /** True while code of the filter runs: it cannot be called again then. */
  isRunning = false;
  /** The module is started. */
  mayExit = false;

  /** Instantiates a module; its start function cannot reach the gateway yet. Throws what the runtime throws, or HostAbort. */
  start(compiled: WebAssembly.Module, imports: Imports): void {
    const { exports } = new WebAssembly.Instance(compiled, imports);
    if (this.#reason !== undefined) throw new HostAbort(this.#reason);
    // The metering adds both, and the check of the module has found an allocator.
    this.#fuel = exports[FUEL_EXPORT] as unknown as { value: number };
    const memory = (exports[MEMORY_EXPORT] as WebAssembly.Memory | undefined)?.buffer ?? new ArrayBuffer(0);
    this.#memory = new GuestMemory(memory, (reason) => this.abort(reason));
    this.#exports = exports;
    this.#allocate = this.callback("proxy_on_memory_allocate") ?? this.callback("malloc");
  }

  /** Undefined where the module does not have it. */
  callback(name: string): Callback | undefined {
    const found = this.#exports[name];
    // The check of the module has compared its type.
    return typeof found === "function" ? (found as Callback) : undefined;
  }

  /** Fuel that the last invocation has used. */
  get used(): number {
    return this.#used;
  }

  /** Why a host function has ended the invocation. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Runs code of the filter with so much fuel. A callback that returns nothing returns 0. */
  run(fuel: number, call: () => number | undefined): number | Failure {
    if (this.isRunning) throw new Error("Cannot run a filter: it is running");
    const counter = this.#fuel;
    this.#used = 0;
    counter.value = fuel;
    this.isRunning = true;
    try {
      const result = call() ?? 0;
      if (this.#reason !== undefined) return failure("misuse", this.#reason);
      if (this.#trap !== undefined) return failureOf(this.#trap, counter.value, undefined);
      return counter.value < 0 ? failure("fuel", "ran out of fuel") : result;
    } catch (error) {
      if (error instanceof ExitAtStart && this.mayExit) return 0;
      return failureOf(error, counter.value, this.#reason);
    } finally {
      this.isRunning = false;
      this.#used = fuel - Math.max(counter.value, 0);
    }
  }

  /** The memory; a host function begins with it, and with the bytes that it goes over. */
  enter(bytes: number): GuestMemory {
    const memory = this.#memory;
    if (this.#reason !== undefined || this.#trap !== undefined)
      throw this.abort("goes on after a function of the gateway has failed");
    if (memory === undefined) throw this.abort("calls the gateway while it is instantiated");
    this.charge(CALL_FUEL + (bytes >>> BYTES_SHIFT));
    return memory;
  }

  /** Takes fuel. */
  charge(fuel: number): void {
    const counter = this.#fuel;
    const left = counter.value - fuel;
    counter.value = left;
    if (left < 0) throw new HostAbort("has no fuel left");
  }

  /** The error with which a host function ends the invocation. */
  abort(reason: string): HostAbort {
    this.#reason ??= reason;
    this.#fuel.value = -1;
    return new HostAbort(reason);
  }

  /** A host function of i32 parameters; an error in it ends the invocation. */
  wrap(run: (memory: GuestMemory, parameters: Numbers) => number): HostFunction {
    return (...parameters: number[]) => {
      try {
        return run(this.enter(0), parameters);
      } catch (error) {
        if (error instanceof HostAbort || error instanceof ExitAtStart) throw error;
        // The filter's own allocator has trapped, or the stack is full.
        if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) this.#trap ??= error;
        else this.abort("makes a function of the gateway fail");
        throw error;
      }
    };
  }

  /** A host function with a parameter of 64 bits behind one of 32. */
  wide(run: (id: number, value: bigint) => number): HostFunction {
    return (id: number, value: bigint) => {
      this.enter(0);
      return run(id, value);
    };
  }

  /** `proc_exit`: with 0 it ends what starts a module; all else ends the instance. */
  exit(code: number): never {
    if (code !== 0) throw this.abort(`exits with code ${code}`);
    throw new ExitAtStart();
  }

  /** A latin1 text that the filter gives. */
  text(pointer: number, length: number): string {
    return this.enter(length >>> 0).text(pointer, length);
  }

  /** A place for so many bytes in the memory, by the filter's own allocator. */
  allocate(bytes: number): number {
    const pointer = (this.#allocate?.(bytes) ?? 0) >>> 0;
    // A filter that goes on without what it has asked for would let requests pass that it has not seen.
    if (this.#reason !== undefined) throw new HostAbort(this.#reason);
    if (pointer === 0) throw this.abort(`has no memory for ${bytes} bytes that it asks for`);
    this.enter(bytes).check(pointer, bytes);
    return pointer;
  }

  /** Hands a latin1 text to the filter: its address and length go to the two places. An empty one has the address 0. */
  giveText(text: string, addressOut: number, lengthOut: number): void {
    const memory = this.enter(text.length);
    const pointer = text === "" ? 0 : this.allocate(text.length);
    if (text !== "") memory.writeText(text, pointer, text.length);
    memory.setU32(addressOut, pointer);
    memory.setU32(lengthOut, text.length);
  }

  /** The same for bytes. */
  giveBytes(bytes: Uint8Array, addressOut: number, lengthOut: number): void {
    const memory = this.enter(bytes.length);
    const pointer = bytes.length === 0 ? 0 : this.allocate(bytes.length);
    if (bytes.length > 0) memory.writeBytes(bytes, pointer, bytes.length);
    memory.setU32(addressOut, pointer);
    memory.setU32(lengthOut, bytes.length);
  }
}
