import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Answer } from "./answers.ts";
import { type RequestDigest } from "../request-digest.ts";
import { paymentError } from "../respond.ts";
import { type Sale } from "../sale.ts";

const NOT_NOW = "The answer could not be read. Send the same payment again.";

/**
 * The answer that is kept under `key`, to be released; undefined where none is, and the request's body is still to be read then.
 * An error where the request is not the one that it is owed to, or there is no room to read it.
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
    // It is kept, and there is no room to read it: whoever asks again may find some.
    if (error instanceof TurnpikeError) return error;
    throw error;
  }
}
