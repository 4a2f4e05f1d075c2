import { GuestMemory } from "../../module/guest-memory.ts";
import { failure, type Failure, failureOf } from "../../module/failure.ts";
import { START_FUEL } from "../../module/reading/limits.ts";
import { FUEL_EXPORT, MEMORY_EXPORT } from "../../module/metering/meter.ts";

/** Fuel for each call of a host function. It corresponds to about the time that a call takes. */
const CALL_FUEL = 20;
/** Bytes that one unit of fuel copies or searches, as a power of two. */
const BYTES_SHIFT = 6;

/** Ends an invocation from within a host function. The message describes what the filter does. */
class HostAbort extends Error {}

/** A start function has ended with `proc_exit` and code 0, as programs do. */
class ExitAtStart extends Error {}

/** The parameters of a host function that are all i32, as unsigned numbers. */
export type Numbers = readonly number[];
/** A function of the gateway that a module imports. */
export type HostFunction = (...parameters: never[]) => unknown;

/** The imports of a module, by module and by name. */
export type Imports = Readonly<Record<string, Readonly<Record<string, HostFunction>>>>;

/** A module's export that takes numbers. */
export type Callback = (...parameters: number[]) => number | undefined;

/**
 * An instance with its memory and fuel. A host function that ends the invocation throws, which a filter can catch. So
 * the host function also takes all fuel and sets a reason, and later results of the filter do not count.
 */
export class Machine {
  #exports: WebAssembly.Instance["exports"] = {};
  #memory: GuestMemory | undefined;
  #fuel: { value: number } = { value: START_FUEL };
  #allocate: Callback | undefined;
  #reason: string | undefined;
  /** An error that was thrown through a host function. */
  #trap: Error | undefined;
  #used = 0;
  /** True while the filter's code runs. It cannot be called again in that time. */
  #isRunning = false;
  /** True while the module starts: only then does `proc_exit` with 0 end the invocation without an error. */
  mayExit = false;

  /** Instantiates a module, whose start function cannot call the gateway yet. Throws as the runtime, or HostAbort. */
  start(compiled: WebAssembly.Module, imports: Imports): void {
    const { exports } = new WebAssembly.Instance(compiled, imports);
    if (this.#reason !== undefined) throw new HostAbort(this.#reason);
    // The metering adds both, and the check of the module has found an allocator.
    this.#fuel = exports[FUEL_EXPORT] as unknown as { value: number };
    const memory = exports[MEMORY_EXPORT] as WebAssembly.Memory | undefined;
    this.#memory = new GuestMemory(memory, (reason) => this.abort(reason));
    this.#exports = exports;
    this.#allocate = this.callback("proxy_on_memory_allocate") ?? this.callback("malloc");
  }

  /** Undefined if the module does not export it. */
  callback(name: string): Callback | undefined {
    const found = this.#exports[name];
    // The check of the module has compared its type.
    return typeof found === "function" ? (found as Callback) : undefined;
  }

  /** Fuel that the last invocation has used. */
  get used(): number {
    return this.#used;
  }

  /** The reason for which a host function has ended the invocation. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Runs the filter's code with `fuel` units of fuel. A callback without a result returns 0. */
  run(fuel: number, call: () => number | undefined): number | Failure {
    if (this.#isRunning) throw new Error("Cannot run a filter: it is running");
    const counter = this.#fuel;
    this.#used = 0;
    counter.value = fuel;
    this.#isRunning = true;
    try {
      const result = call() ?? 0;
      if (this.#reason !== undefined) return failure("misuse", this.#reason);
      if (this.#trap !== undefined) return failureOf(this.#trap, counter.value, undefined);
      return counter.value < 0 ? failure("fuel", "ran out of fuel") : result;
    } catch (error) {
      if (error instanceof ExitAtStart) return 0;
      return failureOf(error, counter.value, this.#reason);
    } finally {
      this.#isRunning = false;
      this.#used = fuel - Math.max(counter.value, 0);
    }
  }

  /** The memory. A host function begins with this call, which charges for the bytes that the function goes over. */
  enter(bytes = 0): GuestMemory {
    const memory = this.#memory;
    if (this.#reason !== undefined || this.#trap !== undefined)
      throw this.abort("continues after a function of the gateway has failed");
    if (memory === undefined) throw this.abort("calls the gateway while it is instantiated");
    this.charge(CALL_FUEL + (bytes >>> BYTES_SHIFT));
    return memory;
  }

  /** Takes fuel. Throws HostAbort if none is left. */
  charge(fuel: number): void {
    const counter = this.#fuel;
    const left = counter.value - fuel;
    counter.value = left;
    if (left < 0) throw new HostAbort("has no fuel left");
  }

  /** Creates the error with which a host function ends the invocation. */
  abort(reason: string): HostAbort {
    this.#reason ??= reason;
    this.#fuel.value = -1;
    return new HostAbort(reason);
  }

  /** Wraps a host function with i32 parameters. An error in it ends the invocation. */
  wrap(run: (memory: GuestMemory, parameters: Numbers) => number): HostFunction {
    return (...parameters: number[]) => {
      // The runtime passes an i32 as a signed number.
      for (let i = 0; i < parameters.length; i++) parameters[i] = (parameters[i] ?? 0) >>> 0;
      try {
        return run(this.enter(), parameters);
      } catch (error) {
        if (error instanceof HostAbort || error instanceof ExitAtStart) throw error;
        // The filter's own allocator has trapped, or the stack is full.
        if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) this.#trap ??= error;
        else this.abort("makes a function of the gateway fail");
        throw error;
      }
    };
  }

  /** A host function with an i32 and an i64 parameter. */
  wide(run: (id: number, value: bigint) => number): HostFunction {
    return (id: number, value: bigint) => {
      this.enter();
      return run(id >>> 0, value);
    };
  }

  /** Handles `proc_exit`: code 0 ends a start function; any other exit ends the instance. */
  exit(code: number): never {
    if (code !== 0 || !this.mayExit) throw this.abort(`exits with code ${code}`);
    throw new ExitAtStart();
  }

  /** Reads a latin1 text of the filter. */
  text(pointer: number, length: number): string {
    return this.enter(length).text(pointer, length);
  }

  /** Allocates `bytes` bytes in the memory, with the filter's own allocator. */
  allocate(bytes: number): number {
    const pointer = (this.#allocate?.(bytes) ?? 0) >>> 0;
    // A filter that continued without the data it asked for would let requests pass unseen.
    if (this.#reason !== undefined) throw new HostAbort(this.#reason);
    if (pointer === 0) throw this.abort(`has no memory for ${bytes} bytes that it asks for`);
    this.enter(bytes).check(pointer, bytes);
    return pointer;
  }

  /** Passes a latin1 text to the filter: writes its address (0 if empty) and length to the given addresses. */
  giveText(text: string, addressOut: number, lengthOut: number): void {
    const memory = this.enter(text.length);
    const pointer = text === "" ? 0 : this.allocate(text.length);
    if (text !== "") memory.writeText(text, pointer, text.length);
    memory.setU32(addressOut, pointer);
    memory.setU32(lengthOut, text.length);
  }

  /** The same as `giveText`, for bytes. */
  giveBytes(bytes: Uint8Array, addressOut: number, lengthOut: number): void {
    const memory = this.enter(bytes.length);
    const pointer = bytes.length === 0 ? 0 : this.allocate(bytes.length);
    if (bytes.length > 0) memory.writeBytes(bytes, pointer, bytes.length);
    memory.setU32(addressOut, pointer);
    memory.setU32(lengthOut, bytes.length);
  }
}
