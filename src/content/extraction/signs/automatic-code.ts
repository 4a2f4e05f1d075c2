import { withoutRanges } from "./without-ranges.ts";

/** The parts of a script that run without user action. */
export interface AutomaticCode {
  /** The script without comments and event handlers, with its original length. */
  readonly code: string;
  /** The same without the contents of strings. */
  readonly bare: string;
}

/** Events that only a user causes, including scrolling and resizing. */
const PERSONAL =
  "click|dblclick|contextmenu|auxclick|submit|reset|change|input|focus|focusin|focusout|blur|select|scroll|scrollend|resize|" +
  "orientationchange|wheel|mouse\\w+|key\\w+|touch\\w+|pointer\\w+|drag\\w*|drop|copy|cut|paste|hover|beforeunload|unload|" +
  "pagehide|visibilitychange|invalid|toggle|beforeinstallprompt|appinstalled|beforeprint|afterprint|popstate|hashchange|" +
  "play|playing|pause|ended|timeupdate|volumechange|seeking|seeked|ratechange|fullscreenchange|online|offline";

/** The beginning of a call whose arguments run only on such events. Its bracket is the last character of the match. */
const HANDLER_CALL = new RegExp(
  `\\baddEventListener\\s{0,9}\\((?=\\s{0,9}["'\`](?:${PERSONAL})["'\`])|` +
    `\\.(?:on|one|bind|delegate|live)\\s{0,9}\\((?=\\s{0,9}["'\`](?:${PERSONAL})(?:[.\\s][^"'\`]{0,99})?["'\`])|` +
    `\\.(?:click|dblclick|submit|change|focus|blur|hover|scroll|resize|mouse\\w{2,9}|key\\w{2,5})\\s{0,9}\\((?=\\s{0,9}(?:async\\s{1,9})?(?:function|\\(|\\w{1,30}\\s{0,9}=>))`,
  "g",
);

/** The beginning of an assignment of a function to such an event. The function's first bracket follows. */
const HANDLER_PROPERTY = new RegExp(
  `\\.on(?:${PERSONAL})\\s{0,9}=\\s{0,9}(?:async\\s{0,9})?(?:function\\b[^({]{0,60}(?=\\()|(?=\\(|\\w{1,30}\\s{0,9}=>))`,
  "g",
);

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Text after which a slash begins a regular expression. After other text, a slash divides. */
const BEFORE_PATTERN = /[(,=:[!&|?{};\n+\-*%<>~^]$|\b(?:return|typeof|case|in|of|void|delete)$/;

/**
 * Maximum number of characters of a regular expression. A slash without an end in this distance counts as a division.
 */
const MAX_PATTERN_LENGTH = 1000;

/**
 * Removes comments, event handlers, and functions whose names occur only in handlers from a script, without a full
 * parser. If strings or brackets are not balanced, the script was misread and is returned unchanged. `isCalled` tells
 * whether other code of the page calls a function.
 */
export function automaticCode(script: string, isCalled: (name: string) => boolean = () => false): AutomaticCode {
  const scan = scanScript(script);
  if (!scan.isEven) return { code: script, bare: script };
  const marked: [start: number, end: number][] = [];
  for (const match of scan.code.matchAll(HANDLER_CALL)) {
    const open = match.index + match[0].length - 1;
    marked.push([open + 1, scan.closeOf(open)]);
  }
  let done = 0;
  for (const match of scan.code.matchAll(HANDLER_PROPERTY)) {
    // Text inside a handler that was already found is not searched again.
    if (match.index < done) continue;
    const start = match.index + match[0].length;
    done = endOfFunction(scan, start);
    marked.push([start, done]);
  }
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const bare = withoutRanges(scan.bare, marked);
    const uncalled = [...uncalledFunctions(scan, bare, isCalled), ...handlersByName(scan, bare, marked)];
    const before = marked.length;
    marked.push(...uncalled.filter(([start]) => !marked.some(([from, end]) => from <= start && start < end)));
    if (marked.length === before) break;
  }
  return { code: withoutRanges(scan.code, marked), bare: withoutRanges(scan.bare, marked) };
}

/** Maximum number of calls from function to function that are followed from a handler. */
const MAX_ROUNDS = 3;

/** Maximum number of declared functions that are checked for calls. Each name is searched in the whole script. */
const MAX_FUNCTIONS = 50;
/** A function of a module that other modules use begins with `export`. */
const DECLARATION =
  /(?<!\bexport\s{1,3}(?:default\s{1,3})?(?:async\s{1,3})?)\bfunction\s{1,9}([A-Za-z_$][\w$]{0,80})\s{0,9}(?=\()/g;

function uncalledFunctions(scan: Scan, bare: string, isCalled: (name: string) => boolean): [number, number][] {
  const found: [number, number][] = [];
  let looked = 0;
  for (const match of scan.bare.matchAll(DECLARATION)) {
    looked += 1;
    if (looked > MAX_FUNCTIONS) break;
    const name = match[1] ?? "";
    if (isNamedTwice(bare, name) || isCalled(name)) continue;
    found.push([match.index, endOfFunction(scan, match.index + match[0].length)]);
  }
  return found;
}

/** A method: `open(event) {`. Its bracket is the last character of the match. */
const METHOD = /(?<=[{};,\n]\s{0,9})(?:async\s{1,9})?([A-Za-z_$][\w$]{0,80})\s{0,9}\((?=[^(){}]{0,80}\)\s{0,9}\{)/g;
/** A variable with a function: `open = (event) =>`. The arguments follow. */
const VARIABLE =
  /(?<![\w$.])([A-Za-z_$][\w$]{0,80})\s{0,9}=\s{0,9}(?:async\b\s{0,9})?(?:function\b[^({]{0,60}(?=\()|(?=\([^()]{0,80}\)\s{0,9}=>|[\w$]{1,30}\s{0,9}=>))/g;
const KEYWORDS = new Set(["if", "for", "while", "switch", "catch", "with", "function", "return"]);

/**
 * Methods and variables with functions whose names occur only in the marked ranges. `bare` is the code without these
 * ranges. A framework calls most other methods.
 */
function handlersByName(scan: Scan, bare: string, marked: readonly [start: number, end: number][]): [number, number][] {
  if (marked.length === 0) return [];
  const handlers = joined(scan.bare, marked);
  const names = new Set(handlers.match(NAME));
  const found: [number, number][] = [];
  let looked = 0;
  for (const [pattern, before] of [
    [METHOD, 1],
    [VARIABLE, 0],
  ] as const) {
    for (const match of scan.bare.matchAll(pattern)) {
      const name = match[1] ?? "";
      if (KEYWORDS.has(name) || !names.has(name)) continue;
      looked += 1;
      if (looked > MAX_FUNCTIONS) return found;
      if (isNamedTwice(bare, name)) continue;
      found.push([match.index, endOfFunction(scan, match.index + match[0].length - before)]);
    }
  }
  return found;
}

const NAME = /[A-Za-z_$][\w$]*/g;

/** The code of the ranges, without the ranges that are inside others. */
function joined(code: string, ranges: readonly (readonly [start: number, end: number])[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    if (start < done) continue;
    parts.push(code.slice(start, end));
    done = end;
  }
  return parts.join("\n");
}

function isNamedTwice(code: string, name: string): boolean {
  let count = 0;
  for (let at = code.indexOf(name); at !== -1 && count < 2; at = code.indexOf(name, at + name.length)) {
    if (!/[\w$]/.test(code.charAt(at - 1)) && !/[\w$]/.test(code.charAt(at + name.length))) count += 1;
  }
  return count > 1;
}

/** The end of a function whose arguments begin at this index, or after its name. */
function endOfFunction(scan: Scan, at: number): number {
  const { bare } = scan;
  let next = at;
  while (next < bare.length && bare.charAt(next) !== "(" && !bare.startsWith("=>", next)) next += 1;
  if (bare.charAt(next) === "(") next = scan.closeOf(next) + 1;
  while (/[\s=>]/.test(bare.charAt(next))) next += 1;
  if (bare.charAt(next) === "{") return scan.closeOf(next) + 1;
  // The body of an arrow function without braces.
  for (; next < bare.length; next += 1) {
    const char = bare.charAt(next);
    if (/[([{]/.test(char)) next = scan.closeOf(next);
    else if (/[,;)\]}]/.test(char) || (char === "\n" && !/^\s{0,99}[.?:&|+]/.test(bare.slice(next, next + 100)))) break;
  }
  return next;
}

interface Scan extends AutomaticCode {
  /** Whether all brackets and strings are closed. */
  readonly isEven: boolean;
  /** The index of the bracket that closes the one at `open`. The end of the script if it is not closed. */
  closeOf(open: number): number;
}

/** The token that a character may begin or end. NOTHING for most characters. */
const NOTHING = 0;
const QUOTE = 1;
const OPENS = 2;
const CLOSES = 3;
const SLASH = 4;
const LESS_THAN = 5;

const KINDS = kinds();

function kinds(): Uint8Array {
  const all = new Uint8Array(0x10000);
  for (const [characters, kind] of [
    ["\"'`", QUOTE],
    ["([{", OPENS],
    [")]}", CLOSES],
    ["/", SLASH],
    ["<", LESS_THAN],
  ] as const) {
    for (const character of characters) all[character.charCodeAt(0)] = kind;
  }
  return all;
}

/** Looks up each character in a table: a regular expression for the next token takes four times as long. */
function scanScript(script: string): Scan {
  const closes = new Map<number, number>();
  const open: number[] = [];
  const code: string[] = [];
  const bare: string[] = [];
  let from = 0;
  let isEven = true;
  for (let at = 0; at < script.length; at += 1) {
    const kind = KINDS[script.charCodeAt(at)] ?? NOTHING;
    if (kind === NOTHING) continue;
    if (kind === OPENS) {
      open.push(at);
      continue;
    }
    if (kind === CLOSES) {
      const last = open.at(-1);
      if (last !== undefined && CLOSING[script.charAt(last)] === script[at]) {
        closes.set(last, at);
        open.pop();
      } else isEven = false;
      continue;
    }
    const opening = openingAt(script, at, kind);
    const end = opening === "/" ? endOfPattern(script, at) : opening === "" ? undefined : endOf(script, at, opening);
    if (end === undefined) continue;
    const before = script.slice(from, at);
    const isString = kind === QUOTE;
    // If a quote is not closed, the code was misread: the quote belongs to a regular expression or to an unknown kind
    // of comment.
    if (isString && (end - at < 2 || script[end - 1] !== opening)) isEven = false;
    const blank = " ".repeat(end - at);
    code.push(before, isString ? script.slice(at, end) : blank);
    bare.push(before, isString && end - at > 1 ? opening + blank.slice(2) + opening : blank);
    from = end;
    at = end - 1;
  }
  const rest = script.slice(from);
  return {
    code: code.join("") + rest,
    bare: bare.join("") + rest,
    isEven: isEven && open.length === 0,
    closeOf: (at) => closes.get(at) ?? script.length,
  };
}

/** The opening of a string, a comment or a pattern at this place. "" if there is no opening. */
function openingAt(script: string, at: number, kind: number): string {
  if (kind === QUOTE) return script.charAt(at);
  if (kind === LESS_THAN) return script.startsWith("<!--", at) ? "<!--" : "";
  const next = script[at + 1];
  return next === "*" || next === "/" ? `/${next}` : "/";
}

/** The end of a comment or a string that begins here. */
function endOf(script: string, start: number, opening: string): number {
  if (opening === "/*") {
    const end = script.indexOf("*/", start + 2);
    return end === -1 ? script.length : end + 2;
  }
  if (opening === "//" || opening === "<!--") {
    const end = script.indexOf("\n", start);
    return end === -1 ? script.length : end;
  }
  for (let at = start + 1; at < script.length; at += 1) {
    const char = script[at];
    if (char === "\\") at += 1;
    else if (char === opening) return at + 1;
    // A quote that does not begin a string, for example in a regular expression, must not hide the rest of the script.
    else if (char === "\n" && opening !== "`") return at;
  }
  return script.length;
}

/** The end of a regular expression that begins here. Undefined if the slash is a division. */
function endOfPattern(script: string, start: number): number | undefined {
  const before = script.slice(Math.max(0, start - 12), start).trimEnd();
  if (before !== "" && !BEFORE_PATTERN.test(before)) return undefined;
  let inClass = false;
  const last = Math.min(script.length, start + MAX_PATTERN_LENGTH);
  for (let at = start + 1; at < last; at += 1) {
    const char = script[at];
    if (char === "\n") return undefined;
    if (char === "\\") at += 1;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) return at + 1;
  }
  return undefined;
}
