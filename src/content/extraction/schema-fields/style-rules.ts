import { type Element, isText } from "domhandler";
import { parseSelector, unescape } from "../selectors/parse-selector.ts";
import { type SelectorList } from "../selectors/selector.ts";
import { type DocumentElements } from "../selectors/select-all.ts";
import { type Rule, plainCss, rulesOf } from "./css-rules.ts";
import { type Declarations, hides, hidingProperty } from "./hiding-styles.ts";

/** Characters of all `style` elements, and rules. Further ones are not read. */
const MAX_STYLE_LENGTH = 500_000;
const MAX_RULES = 3_000;
/** Elements that are compared with selectors. A selector of more than what is left of them is not read. */
const MAX_COMPARED = 1_500_000;

/** The declarations of `style` attributes and `style` elements that can hide text. Other style sheets are not known. */
export class StyleRules {
  readonly #applied = new Map<Element, Map<string, { readonly value: string; readonly rank: number }>>();
  readonly #names: ReadonlySet<string>;
  #left = MAX_COMPARED;
  /** Whether all rules were read. Otherwise an element may be hidden that seems shown. */
  isComplete = true;

  constructor(all: DocumentElements, sheets: readonly Element[], names: ReadonlySet<string>) {
    this.#names = names;
    let length = 0;
    let order = 0;
    for (const sheet of sheets) {
      const css = sheet.children.map((child) => (isText(child) ? child.data : "")).join("");
      length += css.length;
      if (length > MAX_STYLE_LENGTH) {
        this.isComplete = false;
        return;
      }
      for (const rule of rulesOf(plainCss(css))) {
        const declared = declarationsIn(rule.body);
        if (declared.size === 0) continue;
        order += 1;
        if (order > MAX_RULES) {
          this.isComplete = false;
          return;
        }
        this.#apply(all, rule, declared, order);
      }
    }
  }

  of(element: Element): Declarations {
    const ruled = this.#applied.get(element);
    const own = element.attribs["style"];
    if (own === undefined)
      return ruled === undefined ? NONE : new Map([...ruled].map(([name, { value }]) => [name, value]));
    const result = new Map([...(ruled ?? [])].map(([name, { value }]) => [name, value]));
    for (const [name, { value, isImportant }] of declarationsIn(plainCss(own))) {
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

  #apply(all: DocumentElements, rule: Rule, declared: Declared, order: number): void {
    const isHiding = hides(new Map([...declared].map(([name, { value }]) => [name, value])));
    // A rule that may apply counts only if it hides.
    if (!rule.isCertain && !isHiding) return;
    for (const written of rule.selectors) {
      const selector = usualState(written);
      if (!this.#mayMatch(selector)) continue;
      const list = parsed(selector, isHiding);
      if (list === undefined) continue;
      const compared = all.compared(list);
      if (compared > this.#left) {
        this.isComplete = false;
        continue;
      }
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

/** A selector in the state that a page has at first. */
function usualState(selector: string): string {
  return selector
    .replace(/:not\(\s*:(?:hover|focus[\w-]*|active|visited|target)\s*\)/gi, "")
    .replace(/:(checked|disabled)(?![\w-])/gi, "[$1]");
}

/** The parsed selector. Without the conditions that are not known if its rule hides, so that it hides too much. */
function parsed(selector: string, isHiding: boolean): SelectorList | undefined {
  const list = parseSelector(selector.trim());
  if (typeof list !== "string") return list;
  if (list === "invalid" || !isHiding) return undefined;
  const less = parseSelector(selector.replace(/:[\w-]+\([^()]*\)|:[\w-]+(?!\()/g, "").trim());
  return typeof less === "string" ? undefined : less;
}

/** States of elements and parts that are not elements. */
const STATE = /:(?:hover|focus|active|visited|target|before|after|placeholder|selection|marker|:)/i;

const NONE: Declarations = new Map();
/** Above the rank of any rule without `!important`. */
const IMPORTANT = 1e12;

function specificity(selector: string): number {
  const ids = (selector.match(/#[\w-]/g) ?? []).length;
  const classes = (selector.match(/[.[]|:(?!:)/g) ?? []).length;
  const tags = (selector.match(/(?:^|[\s>+~])[a-z]/gi) ?? []).length;
  return ids * 10_000 + classes * 100 + tags;
}

type Declared = ReadonlyMap<string, { readonly value: string; readonly isImportant: boolean }>;

function declarationsIn(body: string): Declared {
  const found = new Map<string, { value: string; isImportant: boolean }>();
  for (const written of body.split(";")) {
    const part = written.includes("\\") ? unescape(written) : written;
    const colon = part.indexOf(":");
    const name = part.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const text = part
      .slice(colon + 1)
      .trim()
      .toLowerCase();
    const marked = text.replace(/\s*!\s*important$/, "");
    const value = marked.replace(/^calc\(([^()]*)\)$/, "$1").trim();
    const property = hidingProperty(name, value);
    if (property !== undefined) found.set(property, { value, isImportant: marked !== text });
  }
  return found;
}
