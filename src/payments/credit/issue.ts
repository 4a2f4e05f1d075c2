import { TurnpikeError } from "../../lib/errors.ts";
import { type Credits, type Grant, type NewCredit } from "../../store/credits.ts";
import { makeCreditId, makeToken } from "./token.ts";

export interface Issued {
  readonly token: string;
  readonly id: string;
}

/**
 * Opens a credit and makes its token. A second call with the same grant makes another token for the credit of the first
 * one, whose token is then not valid. `isTest`: the credit pays only in test mode.
 */
export async function issueCredit(
  credits: Pick<Credits, "open" | "rekey">,
  terms: Omit<NewCredit, "id" | "hash">,
  grant: Omit<Grant, "id"> & { readonly id?: string },
  isTest: boolean,
): Promise<Issued> {
  const made = makeToken(makeCreditId(isTest));
  const id = await credits.open({ ...terms, id: made.id, hash: made.hash }, { id: `issued:${made.id}`, ...grant });
  if (id === undefined) throw new TurnpikeError("payment-conflict", "the payment was refunded");
  return id === made.id ? made : await renewToken(credits, id);
}

/** Makes another token for a credit. Rejects with a TurnpikeError if the credit is revoked. */
export async function renewToken(credits: Pick<Credits, "rekey">, id: string): Promise<Issued> {
  const { token, hash } = makeToken(id);
  if (!(await credits.rekey(id, hash))) throw new TurnpikeError("forbidden", "the credit is revoked");
  return { token, id };
}
