import { failure, type Failure, failureOf } from "../module/failure.ts";
import { FUEL_EXPORT, MEMORY_EXPORT } from "../module/metering/meter.ts";
import { type FilterModule } from "../module/module-cache.ts";
import { GuestMemory } from "../module/guest-memory.ts";
import { hostFunctions, type Log, MAX_RESULT_BYTES } from "./host-functions.ts";
import { HostState } from "./host-state.ts";
import { type RequestDecision, type RequestOutcome, type ResponseOutcome } from "./outcome.ts";
import { OWN_EXPORTS, type OwnExport } from "../module/own-signatures.ts";
import { type RequestView, type ResponseView } from "./views.ts";

/** The return values of on_request and on_resume. */
const ALLOW = 0;
const REJECT = 1;
const MODIFY = 2;
const PARKED = 3;
/** The return value of on_response that changes the response. */
const APPLY = 0;

/** The fuel of an `OwnInstance`, and the receiver of its log. */
export interface OwnOptions {
  /** Units of fuel for each invocation. */
  readonly fuel: number;
  readonly log: Log;
}

/**
 * An instance of a filter for the Turnpike ABI. It serves one request at a time, from `onRequest` to `release`. Its memory
 * and globals are not reset between requests. After a failure it is `isPoisoned`, and cannot be used again.
 */
export class OwnInstance {
  readonly #state = new HostState();
  readonly #calls: Partial<Record<OwnExport, () => number>>;
  readonly #fuel: { value: number };
  readonly #budget: number;
  #isPoisoned = false;

  /** Instantiates a module; its start function has fuel of its own. Throws an Error with the reason. */
  constructor(module: FilterModule, { fuel, log }: OwnOptions) {
    this.#budget = fuel;
    const exports = instantiate(module, this.#state, log);
    // The metering adds both exports. The preparation of the module has checked on_request and the other callbacks.
    this.#fuel = exports[FUEL_EXPORT] as unknown as { value: number };
    const memory = exports[MEMORY_EXPORT] as WebAssembly.Memory | undefined;
    const guest = new GuestMemory(memory, (reason) => this.#state.abort(reason));
    this.#state.guest = { memory: guest, fuel: this.#fuel };
    this.#calls = Object.fromEntries(OWN_EXPORTS.flatMap((name) => (name in exports ? [[name, exports[name]]] : [])));
  }

  get isPoisoned(): boolean {
    return this.#isPoisoned;
  }

  /** The rest of the last invocation's fuel. */
  get fuelLeft(): number {
    return Math.max(this.#fuel.value, 0);
  }

  onRequest(request: RequestView): RequestOutcome {
    this.#state.begin(request);
    const code = this.#run("on_request");
    if (typeof code !== "number") return code;
    if (code !== PARKED) return this.#decided(code, undefined);
    const { command } = this.#state;
    if (command === undefined) return this.#fail("parks without host_call");
    if (this.#calls.on_resume === undefined) return this.#fail("parks, and has no on_resume");
    return { kind: "park", command };
  }

  /** Resumes the parked request. `result` is the result of the host call. */
  onResume(result: Uint8Array): RequestDecision {
    const state = this.#state;
    state.callResult = result.subarray(0, MAX_RESULT_BYTES);
    // A name that was set before the park does not depend on the call's result, so it does not count.
    state.upstream = undefined;
    const code = this.#run("on_resume");
    if (typeof code !== "number") return code;
    return code === PARKED ? this.#fail("parks twice") : this.#decided(code, state.upstream);
  }

  /** Without an `on_response`, every response stays unchanged. */
  onResponse(response: ResponseView): ResponseOutcome {
    if (this.#calls.on_response === undefined) return { kind: "unchanged" };
    const state = this.#state;
    state.clearResponse();
    state.response = response;
    const code = this.#run("on_response");
    if (typeof code !== "number") return code;
    if (code !== APPLY) return { kind: "unchanged" };
    return { kind: "change", status: state.newStatus, fields: state.fields.text(), body: state.newBody };
  }

  /** Clears the request's state. The instance is free for the next request. */
  release(): void {
    this.#state.release();
  }

  #decided(code: number, upstream: string | undefined): RequestDecision {
    const { fields, reply } = this.#state;
    switch (code) {
      case ALLOW:
        return { kind: "allow", upstream };
      case REJECT:
        return { kind: "reject", reply, fields: fields.text() };
      case MODIFY:
        return { kind: "modify", upstream, fields: fields.text() };
      default:
        return this.#fail(`returns the unknown code ${code}`);
    }
  }

  #fail(reason: string): Failure {
    this.#isPoisoned = true;
    return failure("misuse", reason);
  }

  /** Calls an export with its fuel. Its result counts only if no host function failed: it can catch that error. */
  #run(name: OwnExport): number | Failure {
    const call = this.#calls[name];
    if (call === undefined || this.#isPoisoned) throw new Error(`Cannot call ${name}: the instance cannot continue`);
    const state = this.#state;
    const fuel = this.#fuel;
    fuel.value = this.#budget;
    try {
      const code = call();
      if (!state.isInside) return code;
      this.#isPoisoned = true;
      return failureOf(new Error("a function of the gateway failed"), fuel.value, state.reason);
    } catch (error) {
      this.#isPoisoned = true;
      return failureOf(error, fuel.value, state.reason);
    }
  }
}

function instantiate({ compiled }: FilterModule, state: HostState, log: Log): WebAssembly.Instance["exports"] {
  try {
    return new WebAssembly.Instance(compiled, { env: { ...hostFunctions(state, log) } }).exports;
  } catch (error) {
    const { reason } = failureOf(error, 0, state.reason);
    throw new Error(`Cannot start the filter: it ${reason}`, { cause: error });
  }
}
