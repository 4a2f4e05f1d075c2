import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Answer } from "./answers.ts";
import { type RequestDigest } from "../request-digest.ts";
import { paymentError } from "../respond.ts";
import { type Sale } from "../sale.ts";

const NOT_NOW = "The answer could not be read. Send the same payment again.";

/**
 * The response that is stored under `key`; call `release` for it. Undefined if none is stored; in that case the
 * request's body is still unread. An error if the request is not the one that was paid for, or if there is no room to
 * read the response.
 */
export async function keptAnswer(
  { answers, clock }: Pick<Sale, "answers" | "clock">,
  key: string,
  request: RequestDigest,
): Promise<Answer | TurnpikeError | undefined> {
  const known = request.glance();
  if (known !== undefined) return known;
  if (request.mustRead) {
    if (!(await answers.isKept(key, clock()))) return undefined;
    const fault = await request.look();
    if (fault !== undefined) return fault;
  }
  try {
    const answer = await answers.get(key, clock());
    return answer === undefined && request.mustRead ? paymentError("overloaded", NOT_NOW) : answer;
  } catch (error) {
    // The response is stored, but there is no room to read it. The client can retry.
    if (error instanceof TurnpikeError) return error;
    throw error;
  }
}
