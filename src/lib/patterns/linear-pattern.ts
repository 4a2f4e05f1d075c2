import type * as Patterns from "./pattern.ts";

/** Loaded with the first pattern (bench start). */
const patterns = (): typeof Patterns => require("./pattern.ts");

/**
 * Approximate limit for the states of the automaton of a regular expression in the configuration, or of one for paths. @operator The time for a
 * text is at most its length times this number.
 */
const MAX_PATTERN_SIZE = 512;

/** True for a text that the pattern matches, in time linear in the text. */
export type TextMatch = (text: string) => boolean;

/**
 * Compiles a regular expression of ECMA-262 that must match a whole text. Throws if the expression is invalid, needs
 * look-around or back references, or is too large.
 */
export function compileWholePattern(source: string, options: { readonly ignoresCase?: boolean } = {}): TextMatch {
  const { ignoresCase = false } = options;
  return patterns().compileMatch(source, { maxSize: MAX_PATTERN_SIZE, ignoresCase, whole: true });
}

/** As `compileWholePattern`, for an expression that may match anywhere in a text. */
export function compilePartPattern(source: string): TextMatch {
  return patterns().compileMatch(source, { maxSize: MAX_PATTERN_SIZE, ignoresCase: false, whole: false });
}
