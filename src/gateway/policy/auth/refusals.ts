import { type ErrorCode } from "../../../lib/errors.ts";
import { CannedError } from "../../exchange/local-response.ts";
import { type Refused } from "./method.ts";

/** A refusal that is the same for every request. `detail` is ASCII. */
export function refusal(code: ErrorCode, detail: string, challenges: readonly string[]): Refused {
  return { kind: "refused", error: new CannedError(code, detail), challenges };
}

/** The most informative refusal: a service's own, then 403, 503, 401; with the challenges of all. */
export function combined(refusals: readonly Refused[]): Refused {
  const [first] = refusals;
  if (first === undefined) throw new Error("Cannot refuse the request: no authentication method was tried");
  if (refusals.length === 1) return first;
  const ranked = refusals.toSorted((a, b) => rankOf(a) - rankOf(b))[0] ?? first;
  return { ...ranked, challenges: [...new Set(refusals.flatMap(({ challenges }) => challenges))] };
}

function rankOf({ response, error }: Refused): number {
  if (response !== undefined) return 0;
  if (error.status === 403) return 1;
  return error.status === 503 ? 2 : 3;
}
