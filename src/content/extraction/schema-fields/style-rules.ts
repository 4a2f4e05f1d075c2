import { type Element, isText } from "domhandler";
import { parseSelector } from "../selectors/parse-selector.ts";
import { type DocumentElements } from "../selectors/select-all.ts";

/** Characters of all `style` elements, and rules. Further ones are not read. */
const MAX_STYLE_LENGTH = 500_000;
const MAX_RULES = 3_000;
/** Elements that are compared with selectors. A selector of more than what is left of them is not read. */
const MAX_COMPARED = 1_500_000;
/** Groups of rules within each other. */
const MAX_DEPTH = 6;
/** Pixels of the window for which media queries are decided. */
const WINDOW_WIDTH = 1280;

/**
 * Values by property that can hide text. Of most properties only these are read, so that other values do not show text again: that
 * takes ten times as long on pages with large style sheets.
 */
const VALUES: Readonly<Record<string, RegExp>> = {
  display: /./,
  visibility: /./,
  opacity: /./,
  color: /./,
  background: /./,
  "background-color": /./,
  "content-visibility": /./,
  "font-size": /^[012](?:px|pt)?$|^0?\.\d/,
  position: /^(?:absolute|fixed|relative)$/,
  left: /^-/,
  top: /^-/,
  right: /^-/,
  bottom: /^-/,
  "margin-left": /^-/,
  "text-indent": /^-/,
  clip: /^rect/,
  "clip-path": /^(?:inset|circle)/,
  width: /^[01](?:px)?$/,
  height: /^[01](?:px)?$/,
  "max-width": /^[01](?:px)?$/,
  "max-height": /^[01](?:px)?$/,
  overflow: /^(?:hidden|clip)$/,
  transform: /scale|translate/,
};

export type Declarations = ReadonlyMap<string, string>;

/** The declarations of `style` attributes and `style` elements that can hide text. Other style sheets are not known. */
export class StyleRules {
  readonly #applied = new Map<Element, Map<string, { readonly value: string; readonly rank: number }>>();
  readonly #names: ReadonlySet<string>;
  #left = MAX_COMPARED;

  constructor(all: DocumentElements, sheets: readonly Element[], names: ReadonlySet<string>) {
    this.#names = names;
    let length = 0;
    let order = 0;
    for (const sheet of sheets) {
      const css = sheet.children.map((child) => (isText(child) ? child.data : "")).join("");
      length += css.length;
      if (length > MAX_STYLE_LENGTH) break;
      for (const { selectors, body } of rulesOf(css.replace(/\/\*[^]*?\*\//g, ""))) {
        order += 1;
        if (order > MAX_RULES) return;
        const declared = declarationsIn(body);
        if (declared.size > 0) this.#apply(all, selectors, declared, order);
      }
    }
  }

  of(element: Element): Declarations {
    const ruled = this.#applied.get(element);
    const own = element.attribs["style"];
    if (own === undefined)
      return ruled === undefined ? NONE : new Map([...ruled].map(([name, { value }]) => [name, value]));
    const result = new Map([...(ruled ?? [])].map(([name, { value }]) => [name, value]));
    for (const [name, { value, isImportant }] of declarationsIn(own.slice(0, 4_000))) {
      if (isImportant || (ruled?.get(name)?.rank ?? 0) < IMPORTANT) result.set(name, value);
    }
    return result;
  }

  /** False if the document has no element for a class or an id of the selector. */
  #mayMatch(selector: string): boolean {
    if (STATE.test(selector)) return false;
    if (/[:[\\]/.test(selector)) return true;
    return (selector.match(/[.#][\w-]+/g) ?? []).every((name) => this.#names.has(name.slice(1).toLowerCase()));
  }

  #apply(all: DocumentElements, selectors: string, declared: ReturnType<typeof declarationsIn>, order: number): void {
    for (const selector of selectors.split(",")) {
      if (!this.#mayMatch(selector)) continue;
      const list = parseSelector(selector.trim());
      const compared = typeof list === "string" ? 0 : all.compared(list);
      if (typeof list === "string" || compared > this.#left) continue;
      this.#left -= compared;
      const specific = specificity(selector);
      for (const element of all.matching(list)) {
        const known = this.#applied.get(element) ?? new Map();
        this.#applied.set(element, known);
        for (const [name, { value, isImportant }] of declared) {
          const rank = (isImportant ? IMPORTANT : 0) + specific * MAX_RULES + order;
          if ((known.get(name)?.rank ?? -1) < rank) known.set(name, { value, rank });
        }
      }
    }
  }
}

/** States of elements and parts that are not elements. */
const STATE = /:(?:hover|focus|active|visited|target|checked|disabled|before|after|placeholder|selection|marker|:)/i;

const NONE: Declarations = new Map();
/** Above the rank of any rule without `!important`. */
const IMPORTANT = 1e12;

function specificity(selector: string): number {
  const ids = (selector.match(/#[\w-]/g) ?? []).length;
  const classes = (selector.match(/[.[]|:(?!:)/g) ?? []).length;
  const tags = (selector.match(/(?:^|[\s>+~])[a-z]/gi) ?? []).length;
  return ids * 10_000 + classes * 100 + tags;
}

function declarationsIn(body: string): Map<string, { readonly value: string; readonly isImportant: boolean }> {
  const found = new Map<string, { value: string; isImportant: boolean }>();
  for (const part of body.split(";")) {
    const colon = part.indexOf(":");
    const name = part.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const values = Object.hasOwn(VALUES, name) ? VALUES[name] : undefined;
    if (values === undefined) continue;
    const text = part
      .slice(colon + 1)
      .trim()
      .toLowerCase();
    const value = text.replace(/\s*!\s*important$/, "");
    if (values.test(value)) found.set(name, { value, isImportant: value !== text });
  }
  return found;
}

/** The rules of a style sheet that apply to the window. */
function* rulesOf(css: string, depth = 0): Generator<{ readonly selectors: string; readonly body: string }> {
  let at = 0;
  while (at < css.length) {
    const open = css.indexOf("{", at);
    if (open === -1) return;
    const head = css
      .slice(at, open)
      .replace(/^[^]*[;}]/, "")
      .trim();
    const isGroup = /^@(?:media|supports|layer|container)\b/i.test(head);
    const close = isGroup ? endOfBlock(css, open) : css.indexOf("}", open);
    const end = close === -1 ? css.length : close;
    if (isGroup && depth < MAX_DEPTH && applies(head)) yield* rulesOf(css.slice(open + 1, end), depth + 1);
    else if (!head.startsWith("@")) yield { selectors: head.slice(0, 2_000), body: css.slice(open + 1, end) };
    at =
      head.startsWith("@") && !isGroup
        ? endOfBlock(css, open) === -1
          ? css.length
          : endOfBlock(css, open) + 1
        : end + 1;
  }
}

function endOfBlock(css: string, open: number): number {
  let depth = 0;
  for (let at = open; at < css.length; at += 1) {
    if (css[at] === "{") depth += 1;
    else if (css[at] === "}" && --depth === 0) return at;
  }
  return -1;
}

/** Whether a group of rules applies to a screen of the usual width. */
function applies(head: string): boolean {
  if (!/^@media\b/i.test(head)) return true;
  return head
    .slice("@media".length)
    .split(",")
    .some((query) =>
      query
        .trim()
        .split(/\s+and\s+/i)
        .every((part) => {
          const width = /^\(\s*(min|max)-width\s*:\s*(\d+(?:\.\d+)?)(px|r?em)\s*\)$/i.exec(part);
          if (width === null) return /^(?:only\s+)?(?:screen|all)$/i.test(part);
          const pixels = Number(width[2]) * (width[3] === "px" ? 1 : 16);
          return width[1]?.toLowerCase() === "min" ? pixels <= WINDOW_WIDTH : pixels >= WINDOW_WIDTH;
        }),
    );
}
