import { type Fields, withoutFields } from "../../lib/http/fields.ts";
import { type ForwardTarget } from "./target.ts";

const NAME = ["authorization"];
/** One upstream with a token is the usual case, so each target keeps the result of its last upstream. */
const made = new WeakMap<ForwardTarget, { readonly credential: Fields; readonly target: ForwardTarget }>();

/** The target whose requests carry `credential`, an `Authorization` line, in place of the client's and the route's. */
export function withCredential(target: ForwardTarget, credential: Fields): ForwardTarget {
  const last = made.get(target);
  if (last?.credential === credential) return last.target;
  const derived = {
    ...target,
    extraFields: withoutFields(target.extraFields, NAME) + credential,
    extraNames: [...target.extraNames, ...NAME],
  };
  made.set(target, { credential, target: derived });
  return derived;
}
