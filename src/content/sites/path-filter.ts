import { compilePartPattern } from "../../lib/patterns/linear-pattern.ts";

/** Whether the path of an address is wanted. */
export type PathFilter = (url: URL) => boolean;

/**
 * Wants paths that match any of the patterns in `include`, or every path if it is empty, and none of those in `exclude`.
 * Patterns are regular expressions of ECMA-262 that match anywhere in a path, in time linear in its length. Throws if one is
 * not valid, or too large.
 */
export function pathFilter(include: readonly string[], exclude: readonly string[]): PathFilter {
  const wanted = include.map(compilePartPattern);
  const unwanted = exclude.map(compilePartPattern);
  return ({ pathname }) =>
    (wanted.length === 0 || wanted.some((matches) => matches(pathname))) &&
    !unwanted.some((matches) => matches(pathname));
}
