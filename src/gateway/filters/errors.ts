import { CannedError } from "../exchange/local-response.ts";

/** The errors about filters that clients receive. The log has the reasons. */
export const FAILED = new CannedError("filter-failed", "a filter of this route failed");
export const UNAVAILABLE = new CannedError("filter-unavailable", "a filter of this route cannot run");
export const RESPONSE_FAILED = new CannedError("filter-unavailable", "a filter of this route failed on the response");
export const REJECTED = new CannedError("forbidden", "a filter of this route rejects the request");
export const BUSY = new CannedError("overloaded", "too many requests are in the filters of this route");
export const TOO_LARGE_TO_PARK = new CannedError("overloaded", "the request is too large to wait for its filter");
export const NO_ROOM = new CannedError("overloaded", "no memory is left for bodies that filters look at");
export const TOO_LONG = new CannedError("body-too-large", "the body is larger than this route allows");
