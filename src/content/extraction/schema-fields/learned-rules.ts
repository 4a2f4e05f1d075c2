import { type Element } from "domhandler";
import { textContent } from "domutils";
import { valueAt } from "../../../lib/json-schema/json.ts";
import { parseSelector } from "../selectors/parse-selector.ts";
import { DocumentElements } from "../selectors/select-all.ts";
import { type FieldRule } from "../tree/page-fields.ts";
import { tolerantJson } from "../tree/tolerant-json.ts";
import { type LeafPlan } from "./field-plan.ts";
import { type Found, isSame, type Scope } from "./found.ts";
import { type PageFacts } from "./page-facts.ts";
import { type Scalar, typedValue } from "./values.ts";
import { elementFound, onlyOne, pairFound } from "./visible-values.ts";

/** Characters of an element that can be the place of a field. */
const MAX_LENGTH = 300;
/** Rules of one field that are compared with those of other pages. */
const MAX_RULES = 60;
/** Attributes that name an element's meaning. */
const NAMING = ["itemprop", "property", "data-testid", "data-test", "data-field", "id"];

/** Finds the places of fields by rules, and the rules by which places are found. */
export class LearnedRules {
  readonly #facts: PageFacts;
  readonly #all: DocumentElements;

  constructor(facts: PageFacts) {
    this.#facts = facts;
    this.#all = new DocumentElements(facts.page.tree);
  }

  /** The value at the place of a rule. Undefined without a valid value, or if a reader does not see the place. */
  found(rule: FieldRule, leaf: LeafPlan, scope: Scope): Found | undefined {
    const { page, labels } = this.#facts;
    if ("label" in rule) {
      return onlyOne(labels.of(rule.label).flatMap((pair) => pairFound(leaf, pair, scope) ?? []));
    }
    const [element] = this.#matching(rule.selector);
    if (element === undefined) return undefined;
    if (rule.pointer !== undefined || rule.attribute !== undefined) return this.#declared(rule, element, leaf);
    return page.isShown(element) && page.lengthOf(element) <= MAX_LENGTH
      ? elementFound(leaf, element, "selector", page)
      : undefined;
  }

  /** The rules that find this value in the page, the ones that other pages most likely share first. */
  of(value: Scalar, leaf: LeafPlan, found: Found | undefined): readonly FieldRule[] {
    const { page, labels } = this.#facts;
    const rules: FieldRule[] = labels.labelled(value, leaf).map((label) => ({ label }));
    const elements = page.elements.filter((one) => page.lengthOf(one) > 0 && page.lengthOf(one) <= MAX_LENGTH);
    const places = elements.filter((element) => {
      const own = typedValue(leaf, page.text(element), page);
      return own !== undefined && isSame(own, value);
    });
    for (const element of page.innermost(places))
      rules.push(...this.#selectorsOf(element).map((selector) => ({ selector })));
    if (found !== undefined && isSame(found.value, value) && !found.isShown) {
      const { element, pointer, attribute } = found.place;
      rules.push({ selector: page.selectorOf(element), pointer, attribute });
    }
    return rules.slice(0, MAX_RULES);
  }

  /** Selectors whose first match is the element, the most robust first. */
  #selectorsOf(element: Element): readonly string[] {
    const { name, attribs, parent } = element;
    const own = namesOf(element);
    const outer = parent !== null && "attribs" in parent ? namesOf(parent).map((one) => `${one} > ${name}`) : [];
    const named = NAMING.flatMap((attribute) => {
      const value = attribs[attribute] ?? "";
      return /^[A-Za-z][\w-]{0,80}$/.test(value) && !/\d{3}/.test(value) ? [`[${attribute}="${value}"]`] : [];
    });
    const path = this.#facts.page.selectorOf(element);
    const all = [...named, ...own, ...own.map((one) => name + one), ...outer, path];
    return all.filter((selector) => this.#matching(selector)[0] === element);
  }

  #matching(selector: string): readonly Element[] {
    const list = parseSelector(selector);
    return typeof list === "string" ? [] : this.#all.matching(list);
  }

  #declared(rule: Extract<FieldRule, { selector: string }>, element: Element, leaf: LeafPlan): Found | undefined {
    const { page } = this.#facts;
    const { pointer, attribute } = rule;
    const text = pointer === undefined ? element.attribs[attribute ?? ""] : scalarIn(element, pointer);
    const value = text === undefined ? undefined : typedValue(leaf, text, page, true);
    if (value === undefined) return undefined;
    const place = { from: "selector", element, pointer, attribute } as const;
    return { value, quote: String(text), isShown: page.shows(String(value)), place };
  }
}

/** Selectors by the classes of an element, without names that tools make for each page. */
function namesOf({ attribs }: Element): readonly string[] {
  return (attribs["class"] ?? "")
    .slice(0, 500)
    .split(/\s+/)
    .filter((token) => /^[A-Za-z][\w-]{1,60}$/.test(token) && !/\d{3}/.test(token))
    .map((token) => `.${token}`);
}

function scalarIn(element: Element, pointer: string): Scalar | undefined {
  const at = valueAt(tolerantJson(textContent(element)), pointer);
  return typeof at === "string" || typeof at === "number" || typeof at === "boolean" ? at : undefined;
}
