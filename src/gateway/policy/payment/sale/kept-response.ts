import { TurnpikeError } from "../../../../lib/errors.ts";
import { type PaidResponse } from "../responses/response-store.ts";
import { type RequestDigest } from "./request-digest.ts";
import { paymentError } from "../protocol/respond.ts";
import { type PaidRoute } from "../route/paid-route.ts";

const NOT_NOW = "The response could not be read. Send the same payment again.";

/**
 * The response that is stored under `key`; call `release` for it. Undefined if none is stored; in that case the
 * request's body is still unread. An error if the request is not the one that was paid for, or if there is no room to
 * read the response.
 */
export async function keptResponse(
  { responses, clock }: Pick<PaidRoute, "responses" | "clock">,
  key: string,
  request: RequestDigest,
): Promise<PaidResponse | TurnpikeError | undefined> {
  const known = request.glance();
  if (known !== undefined) return known;
  if (request.mustRead) {
    if (!(await responses.isKept(key, clock()))) return undefined;
    const error = await request.look();
    if (error !== undefined) return error;
  }
  try {
    const response = await responses.get(key, clock());
    return response === undefined && request.mustRead ? paymentError("overloaded", NOT_NOW) : response;
  } catch (error) {
    // The response is stored, but there is no room to read it. The client can retry.
    if (error instanceof TurnpikeError) return error;
    throw error;
  }
}
