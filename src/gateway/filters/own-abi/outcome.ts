import { type Fields } from "../../../lib/http/fields.ts";
import { type Failure } from "../module/failure.ts";
import { type Reply } from "./host-state.ts";

/** The decision of on_request or on_resume about a request. */
export type RequestDecision =
  | { readonly kind: "allow"; readonly upstream: string | undefined }
  /** `reply` is undefined if the filter did not call `respond`. The gateway then sends 403. */
  | { readonly kind: "reject"; readonly reply: Reply | undefined; readonly fields: Fields }
  | { readonly kind: "modify"; readonly upstream: string | undefined; readonly fields: Fields }
  | Failure;

/** The decision of on_request, or the command for which the request waits. */
export type RequestOutcome = RequestDecision | { readonly kind: "park"; readonly command: Uint8Array };

export type ResponseOutcome =
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "change";
      readonly status: number | undefined;
      readonly fields: Fields;
      readonly body: Uint8Array | undefined;
    }
  | Failure;
