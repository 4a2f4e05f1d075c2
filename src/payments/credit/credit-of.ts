import { type Credit, type Credits } from "../../store/credits.ts";
import { creditIdOf, hasHash } from "./token.ts";

/** The credit of a token; undefined if there is no such token. */
export async function creditOf(credits: Pick<Credits, "find">, token: string): Promise<Credit | undefined> {
  const id = creditIdOf(token);
  const credit = id === undefined ? undefined : await credits.find(id);
  return credit !== undefined && hasHash(token, credit.hash) ? credit : undefined;
}
