import { RE2JS } from "re2js";
import { messageOf } from "../caught.ts";
import { exponentialError } from "./ambiguity.ts";

/** Characters of a pattern. */
const MAX_PATTERN = 1000;

/** A pattern of a schema. It may match anywhere in a text. */
export interface Pattern {
  test(text: string): boolean;
  /** Maximum number of steps to match a text of `length` characters: the automaton may be in all its states at once. */
  steps(length: number): number;
}

/** White space of ECMA-262, for use within brackets. RE2 knows fewer of these characters. */
const SPACE =
  "\\t\\n\\x{b}\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const NOT_SPACE =
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
const LINE_END = "\\n\\r\\x{2028}\\x{2029}";

/** Full names of general categories in ECMA-262. RE2 has only the short ones. */
const CATEGORIES: Readonly<Record<string, string>> = {
  Letter: "L",
  Lowercase_Letter: "Ll",
  Uppercase_Letter: "Lu",
  Titlecase_Letter: "Lt",
  Modifier_Letter: "Lm",
  Other_Letter: "Lo",
  Mark: "M",
  Number: "N",
  Decimal_Number: "Nd",
  digit: "Nd",
  Letter_Number: "Nl",
  Other_Number: "No",
  Punctuation: "P",
  punct: "P",
  Symbol: "S",
  Separator: "Z",
  Space_Separator: "Zs",
  Other: "C",
  Control: "Cc",
};

/**
 * Compiles a pattern. RE2's automata match it in time linear in the text. Throws if the pattern is not a regular
 * expression of ECMA-262, or needs backtracking (look-around, back references). Also throws if it takes exponential
 * time in other programs that use the schema: `(a+)+`, `(a|aa)+`.
 */
export function compilePattern(source: string): Pattern {
  const translated = translateChecked(source);
  const matcher = linear(translated);
  const error = exponentialError(linear(spelledOut(translated)));
  if (error !== "") throw new Error(error);
  const size = sizeOf(source);
  return { test: (text) => matcher.test(text), steps: (length) => Math.floor((length * size) / 32) };
}

/** The limits of a pattern that is part of this program, and how it matches. */
export interface MatchOptions {
  /** Size limit of the automaton, approximately in states. */
  readonly maxSize: number;
  readonly ignoresCase: boolean;
  /** Whether it must match the whole text. */
  readonly whole: boolean;
}

/** As `compilePattern`, for a pattern that is part of this program and may be ambiguous. */
export function compileMatch(source: string, { maxSize, ignoresCase, whole }: MatchOptions): (text: string) => boolean {
  const translated = translateChecked(source);
  if (sizeOf(source) > maxSize) throw new Error(`it repeats too much: its size is limited to ${maxSize}`);
  const matcher = linear(`${ignoresCase ? "(?i)" : ""}${whole ? `^(?:${translated})$` : translated}`);
  return (text) => matcher.test(text);
}

/** The pattern in the syntax of RE2, if it is valid in ECMA-262 too. */
function translateChecked(source: string): string {
  if (source.length > MAX_PATTERN) throw new Error(`a pattern has at most ${MAX_PATTERN} characters`);
  try {
    // oxlint-disable-next-line no-new -- asked for its syntax alone, never run
    new RegExp(source, "u");
  } catch (error) {
    throw new Error(messageOf(error).replace(/^Invalid regular expression: /, ""), { cause: error });
  }
  return inLinearTime(() => translate(source));
}

function linear(translated: string): RE2JS {
  return inLinearTime(() => RE2JS.compile(translated));
}

function inLinearTime<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new Error(`cannot be matched in linear time: ${messageOf(error).replace(/^error parsing regexp: /, "")}`, {
      cause: error,
    });
  }
}

/** More repetitions of a group than this count as unlimited: `(.*a){20}` takes as long as `(.*a)+`. */
const MANY = 10;

/** Tokens of an RE2 pattern: an escape, a class, the start of a group, a quantifier, any other character. */
const PART =
  /\\(?:[xpP]\{[^}]*\}|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?(?::|<\w+>))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|[\s\S]/gu;

/**
 * Rewrites a pattern for the search for ambiguity, so that it has the same ways to match as in a backtracking matcher.
 * Each alternative gets a group of its own, because RE2 would merge several ways to match. `…*` becomes `(…+)?`, so
 * that `(a*)*` shows both its ways from one `a` to the next.
 */
function spelledOut(translated: string): string {
  const result: string[] = [];
  const begun: number[] = [];
  let last = 0;
  for (const [part] of translated.matchAll(PART)) {
    const counts = /^\{(\d+)(?:,(\d*))?/.exec(part);
    if (part.startsWith("(")) {
      begun.push(result.length);
      result.push("((");
    } else if (part === ")") {
      last = begun.pop() ?? 0;
      result.push("))");
    } else if (part === "|") result.push(")|(");
    else if (/^[*+?]/.test(part) || counts !== null) {
      const [, least = "", most = least] = counts ?? [];
      const isMany = counts !== null && result.at(-1) === "))" && (most === "" || Number(most) > MANY);
      const isStar = part.startsWith("*") || part.startsWith("{0,}") || (isMany && Number(least) === 0);
      if (isStar) result[last] = `(${result[last] ?? ""}`;
      // Greedy and lazy quantifiers have the same ways to match.
      result.push(isStar ? "+)?" : isMany ? "+" : part.replace(/(?<=.)\?$/, ""));
    } else last = result.push(part) - 1;
  }
  return `(${result.join("")})`;
}

/** Largest factor that repetitions add to the estimated size. RE2 allows no more repetitions. */
const MAX_REPEATED = 1000;

function sizeOf(source: string): number {
  const counts = [...source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) => Number(most || least));
  let sum = source.length;
  let product = 1;
  for (const count of counts) {
    sum += count;
    product = Math.min(product * Math.max(count, 1), MAX_REPEATED);
  }
  return Math.max(sum, source.length + product);
}

/** Tokens of a pattern: an escape, a class, the start of a group, any other character. */
const PIECE = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|c[A-Za-z]|x[\da-fA-F]{2}|k<[^>]*>|[\s\S])|[\s\S]/gu;

/** A pattern in the syntax of RE2. */
function translate(source: string): string {
  let isClass = false;
  let result = "";
  const pieces = source.match(PIECE) ?? [];
  for (const [i, piece] of pieces.entries()) {
    if (piece === "[" && !isClass) {
      isClass = true;
      if (pieces[i + 1] === "]" || (pieces[i + 1] === "^" && pieces[i + 2] === "]")) {
        throw new Error("an empty class");
      }
      result += "[";
    } else if (piece === "]" && isClass) {
      isClass = false;
      result += "]";
    } else if (piece === "(" && !isClass && /^\?[ims-]/.test(pieces.slice(i + 1, i + 3).join(""))) {
      throw new Error("flags within a pattern");
    } else if (piece.length > 1 && piece.startsWith("\\")) result += escape(piece, isClass);
    else if (isClass) result += piece === "[" || piece === "&" || piece === "~" ? `\\${piece}` : piece;
    else result += piece === "." ? `[^${LINE_END}]` : piece;
  }
  return result;
}

function code(digits: string): string {
  return `\\x{${digits}}`;
}

function escape(piece: string, isClass: boolean): string {
  const bracketed = (content: string): string => (isClass ? content : `[${content}]`);
  switch (piece.charAt(1)) {
    case "s":
      return bracketed(SPACE);
    case "S":
      return bracketed(NOT_SPACE);
    case "u":
      return code(piece.slice(2).replace(/[{}]/g, ""));
    case "x":
      return code(piece.slice(2));
    case "c":
      return code(((piece.codePointAt(2) ?? 0) % 32).toString(16));
    case "0":
      return code("0");
    case "v":
      return code("b");
    case "b":
      return isClass ? code("8") : piece;
    case "p":
    case "P": {
      const name = piece.slice(3, -1).replace(/^(?:General_Category|gc|Script|sc)=/, "");
      return `${piece.slice(0, 2)}{${Object.hasOwn(CATEGORIES, name) ? CATEGORIES[name] : name}}`;
    }
    default:
      return piece;
  }
}
