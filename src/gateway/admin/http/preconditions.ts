import { TurnpikeError } from "../../../lib/errors.ts";
import { namesTag } from "../../../lib/http/request-conditions.ts";

/** RFC 9110 §8.8.3: a strong or a weak entity tag. */
const TAG = /(W\/)?"([!\x23-\x7e\x80-\xff]*)"/g;
/** Separates the revision from the digest of the other state. */
const SEPARATOR = "~";

/** The entity tag of a configuration's representation. `state` digests parts that change without it. */
export function entityTag(revision: string, state?: string): string {
  return `"${revision}${state === undefined ? "" : `${SEPARATOR}${state}`}"`;
}

/**
 * The revisions that an If-Match field accepts, with `*` for any; undefined without a field. Weak tags do not count
 * (RFC 9110 §13.1.1). A field without a tag accepts no revision.
 */
export function revisionsOf(ifMatch: string | null): readonly string[] | undefined {
  if (ifMatch === null) return undefined;
  if (ifMatch.trim() === "*") return ["*"];
  const strong = [...ifMatch.matchAll(TAG)].filter(([, weak]) => weak === undefined);
  return strong.map(([, , tag = ""]) => tag.split(SEPARATOR, 1)[0] ?? "");
}

/** True if the client of a GET has the current representation (304). Throws if If-Match names another one. */
export function isKnown(headers: Headers, tag: string): boolean {
  const ifMatch = headers.get("if-match");
  if (ifMatch !== null && ifMatch.trim() !== "*" && !namesTag(ifMatch, tag, "strong")) throw stale();
  const ifNoneMatch = headers.get("if-none-match");
  return ifNoneMatch !== null && (ifNoneMatch.trim() === "*" || namesTag(ifNoneMatch, tag, "weak"));
}

/** Throws if If-None-Match of a request that changes something names the current revision. */
export function refuseKnown(headers: Headers, revision: string): void {
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch === null) return;
  if (ifNoneMatch.trim() === "*" || namesTag(ifNoneMatch, entityTag(revision), "weak")) throw stale();
}

/** The error (`precondition-failed`) of a request that refers to an earlier configuration. */
export function stale(): TurnpikeError {
  return new TurnpikeError(
    "precondition-failed",
    "Cannot change the configuration: it has changed since it was read; read it again",
  );
}
