import { type GuestMemory } from "../module/guest-memory.ts";
import { StagedFields } from "./staged-fields.ts";
import { NO_BODY, type RequestView, type ResponseView } from "./views.ts";

/** Fuel for each call of a host function. It corresponds to about the time that a call takes. */
const CALL_FUEL = 20;
/** Bytes that one unit of fuel copies or searches, as a power of two. */
const BYTES_SHIFT = 6;

/** Ends an invocation from within a host function. The message describes what the filter does. */
class HostAbort extends Error {}

/** The response that the filter gave with `respond`. */
export interface Reply {
  readonly status: number;
  readonly body: Uint8Array;
}

/**
 * The state that host functions share: the instance's memory and fuel, the request and response, and the filter's
 * decisions. A host function that ends the invocation throws, which a filter can catch. So the host function also takes
 * all fuel, and `isInside` stays true.
 */
export class HostState {
  /** Undefined while the module is instantiated, because its exports do not exist yet. */
  guest: { readonly memory: GuestMemory; readonly fuel: { value: number } } | undefined;
  request: RequestView | undefined;
  response: ResponseView | undefined;
  callResult: Uint8Array = NO_BODY;

  readonly fields = new StagedFields();
  reply: Reply | undefined;
  command: Uint8Array | undefined;
  upstream: string | undefined;
  newStatus: number | undefined;
  newBody: Uint8Array | undefined;
  logLines = 0;

  /** True from the start of a host function to its end. */
  isInside = false;
  /** The reason for which a host function has ended the invocation. */
  reason: string | undefined;

  /** Begins a host function that goes over `bytes` bytes. Returns the memory. */
  enter(bytes = 0): GuestMemory {
    const { guest } = this;
    if (this.isInside) throw this.abort("continues after a function of the gateway has failed");
    this.isInside = true;
    if (guest === undefined) throw this.abort("calls the gateway while it is instantiated");
    const left = guest.fuel.value - CALL_FUEL - (bytes >>> BYTES_SHIFT);
    guest.fuel.value = left;
    if (left < 0) throw new HostAbort("has no fuel left");
    return guest.memory;
  }

  /** Ends a host function that succeeded. */
  done<T extends number | undefined>(result: T): T {
    this.isInside = false;
    return result;
  }

  /** Creates the error with which a host function ends the invocation. */
  abort(reason: string): HostAbort {
    this.reason ??= reason;
    if (this.guest !== undefined) this.guest.fuel.value = -1;
    return new HostAbort(reason);
  }

  /** Clears the state of the previous request, and sets this one. */
  begin(request: RequestView): void {
    this.release();
    this.request = request;
  }

  /** Clears the state of the request. */
  release(): void {
    this.logLines = 0;
    this.request = undefined;
    this.response = undefined;
    this.callResult = NO_BODY;
    this.reply = undefined;
    this.command = undefined;
    this.upstream = undefined;
    this.clearResponse();
  }

  /** Clears the changes that were staged for the response. */
  clearResponse(): void {
    this.fields.clear();
    this.newStatus = undefined;
    this.newBody = undefined;
  }
}
