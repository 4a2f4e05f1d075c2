import { type ChildNode, type Element, isTag, isText, type Text } from "domhandler";
import { type LeafPlan } from "./field-plan.ts";
import { type Scalar, typedValue } from "./values.ts";
import { ENTITY_WORDS } from "./vocabulary.ts";
import { normalName } from "./names.ts";
import { SCALE } from "./scales.ts";
import { unitNamed } from "./units.ts";
import { dateIn } from "../reader/dates.ts";
import { type ShownPage } from "./shown-page.ts";
import { type FieldOrigin } from "../tree/page-fields.ts";

/** Characters of a label, of a line with a label, and pairs of a page. */
const MAX_LABEL = 48;
const MAX_LINE = 400;
const MAX_PAIRS = 20_000;
/** Nodes after a label in which its value is searched. */
const MAX_BESIDE = 60;
/** Elements of one class. The elements of a more frequent class are not fields. */
const MAX_OF_CLASS = 500;

/** A value beside its label. */
export interface Pair {
  readonly from: FieldOrigin;
  readonly element: Element;
  readonly text: string;
  /** The items of a value that is a list. */
  readonly items: readonly Element[];
  /** True if no mark separates the label from the value: `3 bedrooms`. Only numbers and dates are read then. */
  readonly isBare?: boolean;
}

type Part = Element | Text;

const LABEL_CLASS = /(?:^|[\s_-])(?:label|key|term|caption|heading|title|name|dt|th)(?:$|[\s_-])/i;
const LABEL_TAGS = new Set(["strong", "b", "label"]);
const HEADING = /^h[2-6]$/;
/** A label before a colon, as the beginning of a line. */
const LABELLED = /^([^:：]{2,48}?)\s*[:：]\s*(\S.*)$/u;
/** A number in a line before its label. */
const COUNTED = /^[$€£¥₹]?\s?[+-]?\d.*\n\D+$/u;
const BEGINS_WITH_NUMBER = /^[$€£¥₹]?\s?[+-]?\d/u;
/** A number before its label, as the whole line and in parentheses within it. */
const DIGITS = String.raw`\d(?:[\d.,'’ \u00a0\u202f]*\d)?(?:${SCALE})?`;
const COUNT = new RegExp(String.raw`^\(?([$€£¥₹]?\s?${DIGITS})\)?\s+(\p{L}[\p{L} '’-]{1,30})\.?$`, "u");
const COUNT_WITHIN = new RegExp(String.raw`\((${DIGITS})\s+(\p{L}[\p{L} '’-]{1,30})\)`, "u");
/** Characters of a line without a mark after its label, and words of that label. */
const MAX_BARE = 80;
const MAX_LABEL_WORDS = 4;
/** Marks between the pairs of one line. */
const BETWEEN = /\s+[|•·‧∙]\s+/u;

/** The labels of a page with their values, and its elements by the names of their classes. */
export class Labels {
  readonly #page: ShownPage;
  readonly #pairs = new Map<string, Pair[]>();
  readonly #classes = new Map<string, Element[]>();
  #count = 0;

  constructor(page: ShownPage) {
    this.#page = page;
    for (const element of page.elements) {
      this.#addClasses(element);
      if (this.#count > MAX_PAIRS) continue;
      const { name } = element;
      if (name === "dt") this.#definition(element);
      else if (name === "tr") this.#row(element);
      else if (HEADING.test(name)) this.#heading(element);
      else {
        this.#parts(element);
        this.#line(element);
      }
    }
  }

  of(label: string): readonly Pair[] {
    return this.#pairs.get(label) ?? [];
  }

  labelled(value: Scalar, leaf: LeafPlan): readonly string[] {
    return [...this.#pairs].flatMap(([label, pairs]) => {
      const values = pairs.map(({ text }) => typedValue(leaf, text, this.#page));
      return values.length > 0 && values.every((one) => one === value) ? [label] : [];
    });
  }

  /** The elements with a class, an id or a test id of this name. The innermost ones, if they are within each other. */
  named(name: string): readonly Element[] {
    const found = this.#classes.get(name) ?? [];
    if (found.length > MAX_OF_CLASS) return [];
    return this.#page.innermost(found);
  }

  #add(label: string, pair: Pair): void {
    const name = normalName(label);
    if (name === "" || label.length > MAX_LABEL || (pair.text === "" && pair.items.length === 0)) return;
    this.#count += 1;
    this.#pairs.getOrInsert(name, []).push(pair);
  }

  #pair(label: Part, value: Element, from: FieldOrigin): void {
    if (this.#page.lengthOf(label) > MAX_LABEL) return;
    const items = this.#itemsIn(value);
    this.#add(this.#page.text(label), { from, element: value, text: this.#page.text(value), items });
  }

  #itemsIn(element: Element): readonly Element[] {
    const list = /^[uo]l$/.test(element.name)
      ? element
      : this.#page.within(element).find(({ name }) => name === "ul" || name === "ol");
    return list === undefined ? [] : this.#shownChildren(list).filter(({ name }) => name === "li");
  }

  #shownChildren({ children }: Element): readonly Element[] {
    return children.filter((child): child is Element => isTag(child) && this.#page.isShown(child));
  }

  /** Whether a reader sees the node. */
  #isPart(node: ChildNode): node is Part {
    return isTag(node) ? this.#page.isShown(node) : isText(node) && node.data.trim() !== "";
  }

  *#after({ next }: Element): Generator<Part> {
    let at = next;
    for (let looked = 0; at !== null && looked < MAX_BESIDE; looked += 1, at = at.next) if (this.#isPart(at)) yield at;
  }

  #definition(term: Element): void {
    const values: Element[] = [];
    for (const at of this.#after(term)) {
      if (isTag(at) && at.name !== "dd") break;
      if (isTag(at)) values.push(at);
    }
    const [first] = values;
    if (first === undefined) return;
    const items = values.length === 1 ? this.#itemsIn(first) : values;
    const text = values.map((one) => this.#page.text(one)).join(", ");
    this.#add(this.#page.text(term), { from: "definition-list", element: first, text, items });
  }

  #row(row: Element): void {
    const cells = this.#shownChildren(row).filter(({ name }) => name === "td" || name === "th");
    if (cells.length !== 2 && cells.length !== 4) return;
    for (let at = 0; at < cells.length; at += 2) {
      const [label, value] = [cells[at], cells[at + 1]];
      if (label !== undefined && value !== undefined && value.name === "td") this.#pair(label, value, "table");
    }
  }

  #heading(heading: Element): void {
    const [next] = this.#after(heading);
    if (next === undefined || !isTag(next) || HEADING.test(next.name)) return;
    if (this.#page.lengthOf(next) <= 20 * MAX_LINE) this.#pair(heading, next, "label");
  }

  /** Labels without a mark behind them: `<span>Price</span><span>5</span>`, `Number <b>5</b>`, `<b>Size</b> 5 <b>Age</b> 2`. */
  #parts(element: Element): void {
    if (this.#page.lengthOf(element) > 20 * MAX_LINE || ROWS.has(element.name)) return;
    for (const line of this.#linesOf(element)) {
      const [first, second] = line;
      const isPair = line.length === 2 && first !== undefined && second !== undefined && isTag(second);
      if (isPair && COUNTED.test(line.map((part) => this.#page.text(part)).join("\n")))
        this.#bare(this.#page.text(second), this.#page.text(first), element);
      const labels = line
        .map((part, at) => ({ part, at }))
        .filter(({ part, at }) => this.#isLabel(part) || (isPair && at === 0));
      for (const [nth, { part, at }] of labels.entries()) {
        const next = labels[nth + 1]?.at === at + 1 ? labels[nth + 2] : labels[nth + 1];
        this.#beside(part, line.slice(at + 1, next?.at), element);
      }
    }
  }

  /** The shown elements and the texts of each line of an element. */
  #linesOf({ children }: Element): readonly (readonly Part[])[] {
    let line: Part[] = [];
    const lines = [line];
    for (const child of children) {
      // The value of a label can be in the next line.
      if (isTag(child) && child.name === "br" && line.length > 1) lines.push((line = []));
      else if (this.#isPart(child)) line.push(child);
    }
    return lines;
  }

  #isLabel(part: Part): boolean {
    if (!isTag(part) || this.#page.lengthOf(part) > MAX_LABEL) return false;
    if (LABEL_TAGS.has(part.name) || LABEL_CLASS.test(part.attribs["class"] ?? "")) return true;
    return /[:：]$/u.test(this.#page.text(part));
  }

  #beside(label: Part, parts: readonly Part[], element: Element): void {
    const [value] = parts;
    const isShort = parts.reduce((sum, part) => sum + this.#page.lengthOf(part), 0) <= MAX_LINE;
    if (value !== undefined && isTag(value) && parts.length === 1 && (isShort || isTag(label)))
      return this.#pair(label, value, "label");
    if (value === undefined || !isShort) return;
    const text = parts.map((part) => this.#page.text(part)).join(" ");
    this.#add(this.#page.text(label), { from: "label", element, text, items: [] });
  }

  #bare(label: string, text: string, element: Element): void {
    this.#add(label, { from: "label", element, text, items: [], isBare: true });
  }

  /** A number or a date beside its label without a mark between them: `3 bedrooms`, `Posted on 3 May 2026`. */
  #bareLine(line: string, element: Element): void {
    if (line.length > MAX_BARE || !/\d/.test(line)) return;
    const { locale } = this.#page;
    for (const [, digits = "", label = ""] of [COUNT.exec(line), COUNT_WITHIN.exec(line)].filter(
      (one) => one !== null,
    )) {
      if (unitNamed(label) === undefined) this.#bare(label, digits, element);
    }
    const words = line.split(" ");
    for (let at = 1; at <= MAX_LABEL_WORDS && at < words.length; at += 1) {
      const label = words.slice(0, at).join(" ");
      const rest = words.slice(at).join(" ");
      if (/\d/.test(label)) return;
      if (BEGINS_WITH_NUMBER.test(rest) || (/^\p{L}+\.? \d/u.test(rest) && dateIn(rest, locale) !== undefined)) {
        this.#bare(label, rest, element);
        return;
      }
    }
  }

  /** Lines of a block such as `Price: 5`. */
  #line(element: Element): void {
    const length = this.#page.lengthOf(element);
    if (length < 3 || length > 4 * MAX_LINE || !hasOwnText(element)) return;
    for (const line of this.#page.lines(element).flatMap((one) => one.split(BETWEEN))) {
      const [, label = "", text = ""] = line.length > MAX_LINE ? [] : (LABELLED.exec(line) ?? []);
      if (label === "") this.#bareLine(line, element);
      this.#add(label, { from: "label", element, text, items: [] });
    }
  }

  #addClasses(element: Element): void {
    const { attribs } = element;
    const found = new Set<string>();
    for (const token of tokensOf(attribs["class"])) {
      const name = bareName(token);
      if (!LAYOUT.has(name) || name !== normalName(token)) found.add(name);
    }
    for (const name of ["id", "data-testid", "data-test", "data-field"]) {
      for (const token of tokensOf(attribs[name])) found.add(bareName(token));
    }
    found.delete("");
    for (const name of found) {
      this.#classes.getOrInsert(name, []).push(element);
    }
  }
}

const ROWS = new Set(["tr", "table", "tbody", "thead", "html", "body", "dl", "select"]);

/** Words of a class that do not say what the element has. */
const GENERIC = new Set(
  (
    "main current value text content wrapper wrap box container block field details detail info inner outer row col column " +
    "single final js page entry card tile the meta data header sale now new p c o u l m is has"
  ).split(" "),
);

/** Names of classes that say how an element looks or where it stands. */
const LAYOUT = new Set(
  (
    "section size color colour text body content link position start end area host by source width height depth place model " +
    "stock make team role energy topic title name heading image cover photo picture method steps note score tags rooms start"
  ).split(" "),
);

function tokensOf(text = ""): readonly string[] {
  return text.slice(0, 500).split(/\s+/);
}

/** The words of a class without those for the kind of thing and for boxes. */
function bareName(token: string): string {
  const words = normalName(token).split(" ");
  const left = words.filter((word) => !GENERIC.has(word) && !ENTITY_WORDS.has(word));
  return left.join(" ");
}

function hasOwnText({ children }: Element): boolean {
  return children.some((child) => isText(child) && child.data.trim() !== "");
}
