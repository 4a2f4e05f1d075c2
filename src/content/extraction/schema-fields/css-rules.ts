/** Groups of rules within each other. */
const MAX_DEPTH = 6;
/** Pixels of the window for which media queries are decided. */
const WINDOW_WIDTH = 1280;
/** Characters of the selectors around a nested rule. */
const MAX_OUTER = 2_000;

export interface Rule {
  readonly selectors: readonly string[];
  readonly body: string;
  /** Whether the conditions around it are known to be true. */
  readonly isCertain: boolean;
  /** Its cascade layer; empty outside of layers. A rule without selectors only names a layer, whose order it decides. */
  readonly layer: string;
}

/** The frames of an animation, in their order. */
export interface Keyframes {
  readonly name: string;
  readonly frames: readonly { readonly isFirst: boolean; readonly isLast: boolean; readonly body: string }[];
}

/** An escape, a comment, the marks of an HTML comment, and strings, which end with their line. */
const TOKENS = /\\[^]|\/\*[^]*?(?:\*\/|$)|<!--|-->|"[^"\\\n]*(?:\\[^][^"\\\n]*)*"?|'[^'\\\n]*(?:\\[^][^'\\\n]*)*'?/g;

/** A style sheet without comments, and without the characters in strings that are syntax outside of them. */
export function plainCss(css: string): string {
  return css.replace(TOKENS, (token) => {
    if (token.startsWith("\\")) return token;
    return /^["']/.test(token) ? token.replace(/[{};,:()]/g, "_") : "";
  });
}

/** The surroundings of the rules of a style sheet, or of a group in it. */
export interface Outer {
  readonly depth: number;
  readonly isCertain: boolean;
  /** The selectors of the rule around; empty without one. */
  readonly selectors: string;
  readonly layer: string;
}

/** Around a style sheet. Undefined if its media query does not fit. */
export function aroundSheet(media: string, layer: string): Outer | undefined {
  const applied = media.trim() === "" ? true : applies(`@media ${media}`);
  return applied === false ? undefined : { depth: 0, isCertain: applied === true, selectors: "", layer };
}

/** The animations of a style sheet, also those in groups. */
export function* keyframesOf(css: string): Generator<Keyframes> {
  const head = /@(?:-webkit-)?keyframes\s+([^\s{};]{1,100})\s*\{/gi;
  for (let match = head.exec(css); match !== null; match = head.exec(css)) {
    const open = head.lastIndex - 1;
    const close = endOfBlock(css, open);
    head.lastIndex = close;
    const frames = [...css.slice(open + 1, close).matchAll(/([^{}]*)\{([^{}]*)/g)].map(([, at = "", body = ""]) => {
      const places = at
        .toLowerCase()
        .split(",")
        .map((place) => place.trim());
      const isAt = (word: string, share: string) => places.includes(word) || places.includes(share);
      return { isFirst: isAt("from", "0%"), isLast: isAt("to", "100%"), body };
    });
    yield { name: match[1]?.replace(/["']/g, "").toLowerCase() ?? "", frames };
  }
}

/** The rules of a style sheet that apply, or may apply, to the window. */
export function* rulesOf(css: string, outer: Outer): Generator<Rule> {
  let at = 0;
  let own = "";
  while (at < css.length) {
    const open = css.indexOf("{", at);
    if (open === -1) break;
    const before = css.slice(at, open);
    const start = Math.max(before.lastIndexOf(";"), before.lastIndexOf("}")) + 1;
    const statements = before.slice(0, start);
    own += statements;
    yield* layersIn(statements, outer);
    const head = before.slice(start).trim();
    const close = endOfBlock(css, open);
    const block = css.slice(open + 1, close);
    at = close + 1;
    if (outer.depth < MAX_DEPTH) yield* innerRules(head, block, outer);
  }
  yield* layersIn(css.slice(at), outer);
  const { selectors, isCertain, layer } = outer;
  if (selectors !== "") yield { selectors: splitList(selectors), body: own + css.slice(at), isCertain, layer };
}

/** The layers that statements put in order. */
function* layersIn(statements: string, { isCertain, layer }: Outer): Generator<Rule> {
  if (!/@layer/i.test(statements)) return;
  for (const [, names = ""] of statements.matchAll(/@layer\s+([^;{}]{1,1000});/gi)) {
    for (const name of names.split(",")) yield { selectors: [], body: "", isCertain, layer: inner(layer, name) };
  }
}

function inner(layer: string, name: string): string {
  return `${layer}.${name.trim()}`;
}

function* innerRules(head: string, block: string, outer: Outer): Generator<Rule> {
  const depth = outer.depth + 1;
  if (head.startsWith("@")) {
    const applied = applies(head);
    const [, name] = /^@layer\b(.*)$/is.exec(head) ?? [];
    // A layer without a name is one of its own; those of a page count as one.
    const layer = name === undefined ? outer.layer : inner(outer.layer, name);
    const isCertain = outer.isCertain && applied === true;
    if (applied !== false) yield* rulesOf(block, { ...outer, depth, isCertain, layer });
    return;
  }
  const selectors = outer.selectors === "" ? head : nested(head, outer.selectors);
  if (block.includes("{")) yield* rulesOf(block, { ...outer, depth, selectors });
  else yield { selectors: splitList(selectors), body: block, isCertain: outer.isCertain, layer: outer.layer };
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
  if (/^@(?:scope|container|supports\s+not)\b/i.test(head)) return undefined;
  if (/^@(?:supports|layer)\b/i.test(head)) return true;
  if (!/^@media\b/i.test(head)) return false;
  const queries = head.slice("@media".length).split(",").map(matches);
  return queries.includes(true) ? true : queries.includes(undefined) ? undefined : false;
}

function matches(query: string): boolean | undefined {
  const [, not, rest = ""] = /^(not\s+)?([^]*)$/i.exec(query.trim()) ?? [];
  const parts = rest.split(/(?<!\s)\s+and\s+/i).map(isFeature);
  const all = parts.includes(false) ? false : parts.includes(undefined) ? undefined : true;
  return not === undefined || all === undefined ? all : !all;
}

/** Conditions that are true for most readers. */
const USUAL =
  /^\(\s*(?:prefers-reduced-motion\s*:\s*no-preference|prefers-color-scheme\s*:\s*light|orientation\s*:\s*landscape|(?:any-)?hover\s*:\s*hover|(?:any-)?pointer\s*:\s*fine)\s*\)$/i;

function isFeature(part: string): boolean | undefined {
  if (/^(?:only\s+)?(?:screen|all)$/i.test(part) || USUAL.test(part)) return true;
  if (
    /^(?:only\s+)?(?:print|speech)$|^\(\s*(?:prefers-color-scheme\s*:\s*dark|prefers-reduced-motion\s*:\s*reduce|orientation\s*:\s*portrait)/i.test(
      part,
    )
  )
    return false;
  const [, bound, sign, number, unit] =
    /^\(\s*(?:(min|max)-width\s*:|width\s*([<>])=?)\s*(\d+(?:\.\d+)?)(px|r?em)\s*\)$/i.exec(part) ?? [];
  if (number === undefined) return undefined;
  const pixels = Number(number) * (unit === "px" ? 1 : 16);
  return bound?.toLowerCase() === "min" || sign === ">" ? pixels <= WINDOW_WIDTH : pixels >= WINDOW_WIDTH;
}
