import { type Bookings } from "../store/bookings.ts";
import { createBookingFacilitator } from "./booking-facilitator.ts";
import { type Facilitator } from "./facilitator.ts";
import { createHttpFacilitator } from "./http-facilitator.ts";

export interface FacilitatorOptions {
  /** Empty: none. A route's own goes before the global one. */
  readonly facilitator_url: string;
  readonly facilitator_timeout_ms: number;
  readonly test_mode: boolean;
}

/**
 * The facilitator that a configuration names: test mode's before any other. Throws where it names none, or a URL that
 * is not http(s): then nothing can be sold.
 */
export function createFacilitator(
  options: FacilitatorOptions,
  deps: { readonly bookings: Bookings; readonly now: () => number },
): Facilitator {
  if (options.test_mode) return createBookingFacilitator(deps.bookings, deps.now);
  if (options.facilitator_url === "") {
    throw new Error("Cannot take payments: x402.facilitator_url is not set, and x402.test_mode is off");
  }
  const url = URL.parse(options.facilitator_url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // The value is not repeated: it may hold a key.
    throw new Error("Cannot take payments: x402.facilitator_url is no http or https URL");
  }
  return createHttpFacilitator({ url: options.facilitator_url, timeoutMs: options.facilitator_timeout_ms });
}
