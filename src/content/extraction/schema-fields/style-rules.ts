import { type Element } from "domhandler";
import { parseSelector, unescape } from "../selectors/parse-selector.ts";
import { type SelectorList } from "../selectors/selector.ts";
import { type DocumentElements } from "../selectors/select-all.ts";
import { afterAnimations, type Frames } from "./animations.ts";
import { type Keyframes, keyframesOf, type Outer, plainCss, type Rule, rulesOf } from "./css-rules.ts";
import { CustomProperties } from "./custom-properties.ts";
import { isCovering } from "./covers.ts";
import { isColorless } from "./visibility.ts";
import { COVERED, type Declarations, hides, hidingProperty } from "./hiding-styles.ts";

/** Characters of all style sheets, and rules that may apply. Further ones are not read. */
const MAX_STYLE_LENGTH = 2_000_000;
const MAX_RULES = 6_000;
/** Elements that are compared with selectors. A selector of more than what is left of them is not read. */
const MAX_COMPARED = 1_500_000;

/** A style sheet, and the known facts about the conditions around it. */
export interface Sheet {
  readonly css: string;
  readonly outer: Outer;
}

/** The declarations of `style` attributes and style sheets that can hide text. */
export class StyleRules {
  readonly #applied = new Map<Element, Map<string, { readonly value: string; readonly rank: number }>>();
  readonly #known = new Map<Element, Declarations>();
  readonly #all: DocumentElements;
  readonly #custom = new CustomProperties();
  readonly #animations = new Map<string, Frames>();
  readonly #layers = new Map<string, number>();
  #left = MAX_COMPARED;
  #applying = 0;
  /** Whether all rules were read. Otherwise an element may be hidden that seems shown. */
  isComplete = true;

  /** `attributes` are the `style` attributes that declare custom properties. */
  constructor(all: DocumentElements, attributes: readonly string[], sheets: readonly Sheet[]) {
    this.#all = all;
    const rules = this.#rulesOf(sheets);
    for (const { selectors, body, isCertain } of rules) {
      if (!body.includes("--")) continue;
      const isForAll = isCertain && selectors.some((one) => /^\s*(?::root|html|body|\*)\s*$/i.test(one));
      if (selectors.some((one) => this.#mayMatch(one))) this.#custom.add(body, isForAll);
    }
    for (const attribute of attributes) this.#custom.add(attribute, false);
    for (const { css } of sheets) for (const one of keyframesOf(css)) this.#addAnimation(one);
    for (const [order, rule] of rules.entries()) {
      this.#layerOf(rule.layer);
      const declared = this.#declarationsIn(rule.body);
      if (declared.size > 0) this.#apply(rule, declared, order);
      if (this.isComplete && this.#applying <= MAX_RULES) continue;
      this.isComplete = false;
      if (this.#applying > MAX_RULES) return;
    }
  }

  of(element: Element): Declarations {
    return this.#known.getOrInsertComputed(element, () => this.#styleOf(element));
  }

  #styleOf(element: Element): Declarations {
    const ruled = this.#applied.get(element);
    const own = element.attribs["style"];
    if (own === undefined && ruled === undefined) return NONE;
    const result = new Map([...(ruled ?? [])].map(([name, { value }]) => [name, value]));
    const fixed = new Set([...(ruled ?? [])].flatMap(([name, { rank }]) => (rank >= IMPORTANT ? name : [])));
    for (const [name, { value, isImportant }] of own === undefined ? [] : this.#declarationsIn(plainCss(own))) {
      if (isImportant || !fixed.has(name)) result.set(name, value);
      if (isImportant) fixed.add(name);
    }
    if (!result.has("animation") && !result.has("animation-name")) return result;
    const after = new Map(afterAnimations(result, this.#animations));
    // An animation does not overrule what is important (CSS Cascade §6.1).
    for (const name of fixed) after.set(name, result.get(name) ?? "");
    return after;
  }

  #rulesOf(sheets: readonly Sheet[]): readonly Rule[] {
    const found: Rule[] = [];
    let length = 0;
    for (const { css, outer } of sheets) {
      length += css.length;
      if (length > MAX_STYLE_LENGTH) {
        this.isComplete = false;
        break;
      }
      for (const rule of rulesOf(css, outer)) found.push(rule);
    }
    return found;
  }

  #addAnimation({ name, frames }: Keyframes): void {
    const all = frames.map(({ body }) => valuesOf(this.#declarationsIn(body)));
    if (this.#animations.size < MAX_ANIMATIONS && all.some(({ size }) => size > 0)) {
      const first = joined(all.filter((_, at) => frames[at]?.isFirst === true));
      const last = joined(all.filter((_, at) => frames[at]?.isLast === true));
      this.#animations.set(name, { first, last, all });
    }
  }

  /** The place of a layer in the cascade. Rules outside of layers are above all of them. */
  #layerOf(layer: string): number {
    if (layer === "") return MAX_LAYERS;
    return this.#layers.getOrInsertComputed(layer, () => Math.min(this.#layers.size, MAX_LAYERS - 1));
  }

  /** False if the document has no element for a class or an id of the selector. */
  #mayMatch(selector: string): boolean {
    if (STATE.test(selector)) return false;
    if (/[:[\\]/.test(selector)) return true;
    return (selector.match(/[.#][\w-]+/g) ?? []).every((name) => this.#all.hasName(name));
  }

  #declarationsIn(body: string): Declared {
    return declarationsIn(this.#custom.resolve(body));
  }

  #apply(rule: Rule, declared: Declared, order: number): void {
    const isHiding = hides(afterAnimations(valuesOf(declared), this.#animations));
    const layer = this.#layerOf(rule.layer);
    // A rule that may apply counts only if it hides.
    if (!rule.isCertain && !isHiding) return;
    const isCover = isCovering(valuesOf(declared));
    const isUnseen = isHiding || isColorless(valuesOf(declared));
    for (const written of rule.selectors) {
      const isBehind = (isCover && PSEUDO.test(written)) || (isUnseen && FIRST_LINE.test(written));
      const selector = usualState(isBehind ? written.replace(PSEUDO, "").replace(FIRST_LINE, "") : written);
      if (!this.#mayMatch(selector)) continue;
      const list = parsed(selector, isHiding);
      if (list === undefined) continue;
      this.#applying += 1;
      const compared = this.#all.compared(list);
      if (compared > this.#left) {
        this.isComplete = false;
        continue;
      }
      this.#left -= compared;
      const specific = specificity(selector);
      for (const element of this.#all.matching(list)) {
        const known = this.#applied.getOrInsert(element, new Map());
        for (const [name, { value, isImportant }] of isBehind ? BEHIND : declared) {
          const rank =
            (isImportant ? IMPORTANT : 0) + layer * LAYER + Math.min(specific * MAX_ORDER + order, LAYER - 1);
          if ((known.get(name)?.rank ?? -1) < rank) known.set(name, { value, rank });
        }
      }
    }
  }
}

/** The style of an element that a browser has measured. An empty mark is on what a reader does not see. */
export function measuredStyle(mark: string | undefined): Declarations {
  if (mark === undefined) return NONE;
  return mark === "" ? UNSEEN : valuesOf(declarationsIn(mark));
}

/** A selector in the state that a page has at first. */
function usualState(selector: string): string {
  return selector
    .replace(/:not\(\s*:(?:hover|focus[\w-]*|active|visited|target)\s*\)/gi, "")
    .replace(/:(?:any-)?link(?![\w-])/gi, "[href]")
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
const STATE = /:(?:hover|focus|active|visited|target|before|after|placeholder|selection|marker|first-line|:)/i;

/** A box before or after the content of an element. */
const PSEUDO = /::?(?:before|after)\s*$/i;
const FIRST_LINE = /::?first-line\s*$/i;
const BEHIND: Declared = new Map([[COVERED, { value: "", isImportant: false }]]);

const NONE: Declarations = new Map();
const UNSEEN: Declarations = new Map([["display", "none"]]);
/** Layers and animations of a page. @bound */
const MAX_LAYERS = 500;
const MAX_ANIMATIONS = 1_000;
/** Above the number of any rule. */
const MAX_ORDER = 1e6;
/** Above the rank of any rule in an earlier layer, and without `!important`. */
const LAYER = 1e12;
const IMPORTANT = 1e15;

function specificity(selector: string): number {
  const ids = (selector.match(/#[\w-]/g) ?? []).length;
  const classes = (selector.match(/[.[]|:(?!:)/g) ?? []).length;
  const tags = (selector.match(/(?:^|[\s>+~])[a-z]/gi) ?? []).length;
  return ids * 10_000 + classes * 100 + tags;
}

function joined(some: readonly Declarations[]): Declarations {
  return new Map(some.flatMap((one) => [...one]));
}

type Declared = ReadonlyMap<string, { readonly value: string; readonly isImportant: boolean }>;

function valuesOf(declared: Declared): Declarations {
  return new Map([...declared].map(([name, { value }]) => [name, value]));
}

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
    const marked = text.replace(/(?<!\s)\s*!\s*important$/, "");
    const value = marked.replace(/^calc\(\s*(?:([^()\s]+)\s*)?\)$/, "$1").trim();
    const property = hidingProperty(name, value);
    if (property !== undefined) found.set(property, { value, isImportant: marked !== text });
  }
  return found;
}
