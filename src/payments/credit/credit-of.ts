import { type Credit, type Credits } from "../../store/credits.ts";
import { creditIdOf, hasHash, isTestCredit } from "./token.ts";

/** The credit of a token; undefined if there is no such token, or none of this mode. */
export async function creditOf(
  credits: Pick<Credits, "find">,
  token: string,
  isTest: boolean,
): Promise<Credit | undefined> {
  const id = creditIdOf(token);
  const credit = id === undefined || isTestCredit(id) !== isTest ? undefined : await credits.find(id);
  return credit !== undefined && hasHash(token, credit.hash) ? credit : undefined;
}
