/**
 * The statements before the end of a text that are in the same function as that end, and those of all functions around
 * it. Blocks that are closed before the end are left out: their variables are not visible at the end.
 */
export interface Scopes {
  /** The same function, from its parameters on. */
  readonly own: string;
  /** All functions around the end, the own included. */
  readonly all: string;
}

/** The parameters of a function before its body: `function f(a,b)`, `(a,b)=>`, `a=>`. Not those of a statement. */
const FUNCTION_HEADER =
  /(?:\bfunction\b[^()]{0,60}\([^()]{0,200}\)|(?<!\b(?:if|for|while|switch|catch|with)\s{0,3})\([^()]{0,200}\)\s{0,3}(?:=>)?|(?<![\w$.])[\w$]{1,40}\s{0,3}=>)\s{0,9}$/;

/** Maximum number of characters of a function's parameters. */
const MAX_HEADER_LENGTH = 280;

/** Maximum number of characters of an object of constants, which may be the first value of a state. */
const MAX_OBJECT_LENGTH = 80;

/** Walks backwards over the text, which is code without comments. Linear. */
export function scopesBefore(text: string): Scopes {
  const kept: string[] = [];
  let own: string | undefined;
  let depth = 0;
  let close = text.length;
  let end = text.length;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const char = text.charAt(at);
    if (char === "}") {
      if (depth === 0) close = at;
      depth += 1;
    } else if (char === "{" && depth > 0) {
      depth -= 1;
      if (depth > 0 || isObject(text, at, close)) continue;
      kept.push(text.slice(close, end));
      end = at + 1;
    } else if (char === "{" && own === undefined) {
      const header = FUNCTION_HEADER.exec(text.slice(Math.max(0, at - MAX_HEADER_LENGTH), at));
      if (header !== null) own = text.slice(at - header[0].length, end) + kept.toReversed().join("");
    }
  }
  if (depth === 0) kept.push(text.slice(0, end));
  else kept.push(text.slice(close, end));
  const all = kept.toReversed().join("");
  return { own: own ?? all, all };
}

function isObject(text: string, open: number, close: number): boolean {
  return close - open <= MAX_OBJECT_LENGTH && !/[;(]|=>|\breturn\b/.test(text.slice(open, close));
}
