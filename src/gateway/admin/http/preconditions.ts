import { TurnpikeError } from "../../../lib/errors.ts";
import { namesTag } from "../../../lib/request-conditions.ts";

/** RFC 9110 §8.8.3: a strong entity tag, or one that is only weak. */
const TAG = /(W\/)?"([!\x23-\x7e\x80-\xff]*)"/g;
/** Stands between a revision and what else a representation depends on. */
const SEPARATOR = "~";

/** The entity tag of what depends on the configuration, and perhaps on something that changes by itself: `state` is a digest of it. */
export function entityTag(revision: string, state?: string): string {
  return `"${revision}${state === undefined ? "" : `${SEPARATOR}${state}`}"`;
}

/**
 * The revisions that an If-Match field takes, `*` for every one; undefined where there is no field. A weak tag is none of them
 * (RFC 9110 §13.1.1), and a field that has no tag at all takes none.
 */
export function revisionsOf(ifMatch: string | null): readonly string[] | undefined {
  if (ifMatch === null) return undefined;
  if (ifMatch.trim() === "*") return ["*"];
  const strong = [...ifMatch.matchAll(TAG)].filter(([, weak]) => weak === undefined);
  return strong.map(([, , tag = ""]) => tag.split(SEPARATOR, 1)[0] ?? "");
}

/** 304 for a GET whose client has the representation; throws where If-Match names another one. */
export function isKnown(headers: Headers, tag: string): boolean {
  const ifMatch = headers.get("if-match");
  if (ifMatch !== null && ifMatch.trim() !== "*" && !namesTag(ifMatch, tag, "strong")) throw stale();
  const ifNoneMatch = headers.get("if-none-match");
  return ifNoneMatch !== null && (ifNoneMatch.trim() === "*" || namesTag(ifNoneMatch, tag, "weak"));
}

/** Throws where a request that changes something has an If-None-Match that the current revision is named by. */
export function refuseKnown(headers: Headers, revision: string): void {
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch === null) return;
  if (ifNoneMatch.trim() === "*" || namesTag(ifNoneMatch, entityTag(revision), "weak")) throw stale();
}

export function stale(): TurnpikeError {
  return new TurnpikeError(
    "precondition-failed",
    "Cannot do this: the configuration has changed since it was read; read it again",
  );
}
