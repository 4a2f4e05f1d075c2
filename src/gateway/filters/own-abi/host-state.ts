import { type GuestMemory } from "./guest-memory.ts";
import { StagedFields } from "./staged-fields.ts";
import { NO_BODY, type RequestView, type ResponseView } from "./views.ts";

/** Fuel for each call of a host function: about what it takes in time. */
const CALL_FUEL = 20;
/** Bytes that one unit of fuel copies or searches, as a power of two. */
const BYTES_SHIFT = 6;

/** Ends an invocation from within a host function: the message is what the filter does. */
class HostAbort extends Error {}

/** What `respond` has said. */
export interface Reply {
  readonly status: number;
  readonly body: Uint8Array;
}

/**
 * What host functions share: the memory and fuel of the instance, what it may see, and what it has asked for. A host function
 * that ends the invocation throws, which a filter can catch; so it also takes all fuel, and `isInside` stays true.
 */
export class HostState {
  /** Undefined while the module is instantiated: nothing of it can be reached yet. */
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

  /** True from the begin of a host function to its end. */
  isInside = false;
  /** Why a host function has ended the invocation. */
  reason: string | undefined;

  /** Begins a host function that goes over so many bytes. Returns the memory. */
  enter(bytes: number): GuestMemory {
    const { guest } = this;
    if (this.isInside) throw this.abort("goes on after a function of the gateway has failed");
    this.isInside = true;
    if (guest === undefined) throw this.abort("calls the gateway while it is instantiated");
    const left = guest.fuel.value - CALL_FUEL - (bytes >>> BYTES_SHIFT);
    guest.fuel.value = left;
    if (left < 0) throw new HostAbort("has no fuel left");
    return guest.memory;
  }

  /** Ends a host function that went well. */
  done<T extends number | undefined>(result: T): T {
    this.isInside = false;
    return result;
  }

  /** The error with which a host function ends the invocation. */
  abort(reason: string): HostAbort {
    this.reason ??= reason;
    if (this.guest !== undefined) this.guest.fuel.value = -1;
    return new HostAbort(reason);
  }

  /** Forgets the request before, and shows this one. */
  begin(request: RequestView): void {
    this.release();
    this.request = request;
  }

  /** Forgets everything of a request. */
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

  /** Forgets what was staged for the response. */
  clearResponse(): void {
    this.fields.clear();
    this.newStatus = undefined;
    this.newBody = undefined;
  }
}
