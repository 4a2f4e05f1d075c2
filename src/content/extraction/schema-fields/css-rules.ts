/** Groups of rules within each other. */
const MAX_DEPTH = 6;
/** Pixels of the window for which media queries are decided. */
const WINDOW_WIDTH = 1280;
/** Characters of the selectors around a nested rule. */
const MAX_OUTER = 2_000;

/** A rule of a style sheet. */
export interface Rule {
  readonly selectors: readonly string[];
  readonly body: string;
  /** Whether the conditions around it are known to be true. */
  readonly isCertain: boolean;
}

/** A style sheet without comments, and without the characters in strings that are syntax outside of them. */
export function plainCss(css: string): string {
  if (!/["']|\/\*|<!--|-->/.test(css)) return css;
  let plain = "";
  let from = 0;
  const open = /\/\*|["']|<!--|-->|\\[^]/g;
  for (let match = open.exec(css); match !== null; match = open.exec(css)) {
    const [sign] = match;
    if (sign.startsWith("\\")) continue;
    plain += css.slice(from, match.index);
    const end =
      sign === "/*" ? endOfComment(css, match.index) : sign.length > 1 ? open.lastIndex : endOfString(css, match.index);
    if (sign.length === 1) plain += css.slice(match.index, end).replace(/[{};,:()]/g, "_");
    from = end;
    open.lastIndex = end;
  }
  return plain + css.slice(from);
}

function endOfComment(css: string, start: number): number {
  const end = css.indexOf("*/", start + 2);
  return end === -1 ? css.length : end + 2;
}

/** A string ends with its quotation mark, its line or the style sheet. */
function endOfString(css: string, start: number): number {
  const quote = css[start];
  for (let at = start + 1; at < css.length; at += 1) {
    if (css[at] === "\\") at += 1;
    else if (css[at] === quote) return at + 1;
    else if (css[at] === "\n") return at;
  }
  return css.length;
}

interface Outer {
  readonly depth: number;
  readonly isCertain: boolean;
  /** The selectors of the rule around; empty without one. */
  readonly selectors: string;
}

/** The rules of a style sheet that apply, or may apply, to the window. */
export function* rulesOf(css: string, outer: Outer = { depth: 0, isCertain: true, selectors: "" }): Generator<Rule> {
  let at = 0;
  let own = "";
  while (at < css.length) {
    const open = css.indexOf("{", at);
    if (open === -1) break;
    const before = css.slice(at, open);
    const start = Math.max(before.lastIndexOf(";"), before.lastIndexOf("}")) + 1;
    own += before.slice(0, start);
    const head = before.slice(start).trim();
    const close = endOfBlock(css, open);
    const inner = css.slice(open + 1, close);
    at = close + 1;
    if (outer.depth < MAX_DEPTH) yield* innerRules(head, inner, outer);
  }
  if (outer.selectors !== "")
    yield { selectors: splitList(outer.selectors), body: own + css.slice(at), isCertain: outer.isCertain };
}

function* innerRules(head: string, inner: string, outer: Outer): Generator<Rule> {
  const depth = outer.depth + 1;
  if (head.startsWith("@")) {
    const applied = applies(head);
    if (applied !== false) yield* rulesOf(inner, { ...outer, depth, isCertain: outer.isCertain && applied === true });
    return;
  }
  const selectors = outer.selectors === "" ? head : nested(head, outer.selectors);
  if (inner.includes("{")) yield* rulesOf(inner, { ...outer, depth, selectors });
  else yield { selectors: splitList(selectors), body: inner, isCertain: outer.isCertain };
}

/** The selectors of a rule inside of another one (CSS Nesting §3). */
function nested(head: string, outer: string): string {
  const around = outer.length > MAX_OUTER ? "*" : `:is(${outer})`;
  return splitList(head)
    .map((one) => (one.includes("&") ? one.replace(/&/g, () => around) : `${around} ${one}`))
    .join(",");
}

/** The selectors of a list, which may have lists in brackets. */
function splitList(list: string): string[] {
  if (!/[([]/.test(list)) return list.split(",");
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < list.length; at += 1) {
    const sign = list[at];
    if (sign === "(" || sign === "[") depth += 1;
    else if (sign === ")" || sign === "]") depth -= 1;
    else if (sign === "," && depth === 0) {
      found.push(list.slice(from, at));
      from = at + 1;
    }
  }
  return [...found, list.slice(from)];
}

/** The end of the style sheet closes what is open. */
function endOfBlock(css: string, open: number): number {
  const brace = /[{}]/g;
  brace.lastIndex = open;
  let depth = 0;
  for (let match = brace.exec(css); match !== null; match = brace.exec(css)) {
    if (match[0] === "{") depth += 1;
    else if (--depth === 0) return match.index;
  }
  return css.length;
}

/** Whether a group of rules applies to a screen of the usual width. Undefined if that is not known. */
function applies(head: string): boolean | undefined {
  if (/^@(?:supports|layer|container)\b/i.test(head)) return true;
  if (/^@scope\b/i.test(head)) return undefined;
  if (!/^@media\b/i.test(head)) return false;
  const queries = head.slice("@media".length).split(",").map(matches);
  return queries.includes(true) ? true : queries.includes(undefined) ? undefined : false;
}

function matches(query: string): boolean | undefined {
  const [, not, rest = ""] = /^\s*(not\s+)?([^]*?)\s*$/i.exec(query) ?? [];
  const parts = rest.split(/\s+and\s+/i).map(isFeature);
  const all = parts.includes(false) ? false : parts.includes(undefined) ? undefined : true;
  return not === undefined || all === undefined ? all : !all;
}

function isFeature(part: string): boolean | undefined {
  if (/^(?:only\s+)?(?:screen|all)$/i.test(part)) return true;
  if (/^(?:only\s+)?(?:print|speech)$|^\(\s*(?:prefers-color-scheme\s*:\s*dark|orientation\s*:\s*portrait)/i.test(part))
    return false;
  const [, bound, sign, number, unit] =
    /^\(\s*(?:(min|max)-width\s*:|width\s*([<>])=?)\s*(\d+(?:\.\d+)?)(px|r?em)\s*\)$/i.exec(part) ?? [];
  if (number === undefined) return undefined;
  const pixels = Number(number) * (unit === "px" ? 1 : 16);
  return bound?.toLowerCase() === "min" || sign === ">" ? pixels <= WINDOW_WIDTH : pixels >= WINDOW_WIDTH;
}
