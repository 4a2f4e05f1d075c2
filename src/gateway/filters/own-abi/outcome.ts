import { type Fields } from "../../../lib/fields.ts";
import { type Failure } from "../module/failure.ts";
import { type Reply } from "./host-state.ts";

/** What on_request or on_resume has decided about a request. */
export type RequestDecision =
  | { readonly kind: "allow"; readonly upstream: string | undefined }
  /** `reply` is undefined without `respond`: then it is 403. */
  | { readonly kind: "reject"; readonly reply: Reply | undefined; readonly fields: Fields }
  | { readonly kind: "modify"; readonly upstream: string | undefined; readonly fields: Fields }
  | Failure;

/** What on_request has decided, or for what it waits. */
export type RequestOutcome = RequestDecision | { readonly kind: "park"; readonly command: Uint8Array };

/** What on_response has decided. */
export type ResponseOutcome =
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "change";
      readonly status: number | undefined;
      readonly fields: Fields;
      readonly body: Uint8Array | undefined;
    }
  | Failure;
