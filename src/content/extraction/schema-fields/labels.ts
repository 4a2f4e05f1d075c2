import { type Element, isTag, isText } from "domhandler";
import { type LeafPlan } from "./field-plan.ts";
import { type Scalar, typedValue } from "./values.ts";
import { ENTITY_WORDS } from "./vocabulary.ts";
import { normalName } from "./names.ts";
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
  /** The value's text. */
  readonly text: string;
  /** The items of a value that is a list. */
  readonly items: readonly Element[];
  /** True if no mark separates the label from the value: `3 bedrooms`. Only numbers and dates are read then. */
  readonly isBare?: boolean;
}

const LABEL_CLASS = /(?:^|[\s_-])(?:label|key|term|caption|heading|title|name|dt|th)(?:$|[\s_-])/i;
const LABEL_TAGS = new Set(["strong", "b", "label"]);
const HEADING = /^h[2-6]$/;
/** A label before a colon, as the beginning of a line. */
const LABELLED = /^([^:：]{2,48}?)\s*[:：]\s*(\S.*)$/u;
const BEGINS_WITH_NUMBER = /^[$€£¥₹]?\s?[+-]?\d/u;
/** A number before its label, as the whole line and in parentheses within it. */
const COUNT = /^\(?([$€£¥₹]?\s?\d[\d.,'’ \u00a0\u202f]*)\)?\s+(\p{L}[\p{L} '’-]{1,30})\.?$/u;
const COUNT_WITHIN = /\((\d[\d.,'’ \u00a0\u202f]*)\s+(\p{L}[\p{L} '’-]{1,30})\)/u;
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
        this.#twoParts(element);
        this.#ownLabel(element);
        this.#inline(element);
        this.#line(element);
      }
    }
  }

  /** The values beside a label. */
  of(label: string): readonly Pair[] {
    return this.#pairs.get(label) ?? [];
  }

  /** The labels beside which this value stands. */
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
    const known = this.#pairs.get(name);
    if (known === undefined) this.#pairs.set(name, [pair]);
    else known.push(pair);
  }

  #pair(label: Element, value: Element, from: FieldOrigin): void {
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

  #definition(term: Element): void {
    const values: Element[] = [];
    let looked = 0;
    for (let at = term.next; at !== null && looked < MAX_BESIDE; at = at.next) {
      looked += 1;
      if (!isTag(at) || !this.#page.isShown(at)) continue;
      if (at.name !== "dd") break;
      values.push(at);
    }
    const [first] = values;
    if (first === undefined) return;
    if (values.length === 1) this.#pair(term, first, "definition-list");
    else {
      const text = values.map((one) => this.#page.text(one)).join(", ");
      this.#add(this.#page.text(term), { from: "definition-list", element: first, text, items: values });
    }
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
    const next = this.#nextOf(heading);
    if (next === undefined || HEADING.test(next.name) || this.#page.lengthOf(next) > 20 * MAX_LINE) return;
    this.#pair(heading, next, "label");
  }

  #nextOf(element: Element): Element | undefined {
    let looked = 0;
    for (let at = element.next; at !== null && looked < MAX_BESIDE; at = at.next) {
      looked += 1;
      if (isTag(at) && this.#page.isShown(at)) return at;
      if (isText(at) && at.data.trim() !== "") return undefined;
    }
    return undefined;
  }

  /** A row of two elements without other text, such as `<div><span>Price</span><span>5</span></div>`. */
  #twoParts(element: Element): void {
    if (this.#page.lengthOf(element) > 20 * MAX_LINE || ROWS.has(element.name)) return;
    const [label, value, ...more] = this.#shownChildren(element);
    if (label === undefined || value === undefined || more.length > 0 || hasOwnText(element)) return;
    this.#pair(label, value, "label");
    const [first, second] = [this.#page.text(label), this.#page.text(value)];
    if (BEGINS_WITH_NUMBER.test(first) && !/\d/.test(second)) this.#bare(second, first, label);
  }

  /** A label that is the text before the only element of a line, such as `<p>Number <b>5</b></p>`. */
  #ownLabel(element: Element): void {
    const [before, value, ...more] = element.children.filter((one) => !isText(one) || one.data.trim() !== "");
    if (before === undefined || value === undefined || more.length > 0 || !isText(before) || !isTag(value)) return;
    if (!this.#page.isShown(value) || before.data.length > 2 * MAX_LABEL) return;
    if (this.#page.lengthOf(value) > MAX_LINE) return;
    const items = this.#itemsIn(value);
    this.#add(before.data.trim(), { from: "label", element: value, text: this.#page.text(value), items });
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
      const label = words
        .slice(0, at)
        .join(" ")
        .replace(/ (?:on|le|am|il|el|op|em)$/u, "");
      const rest = words.slice(at).join(" ");
      if (/\d/.test(label)) return;
      if (BEGINS_WITH_NUMBER.test(rest) || (/^\p{L}+\.? \d/u.test(rest) && dateIn(rest, locale) !== undefined)) {
        this.#bare(label, rest, element);
        return;
      }
    }
  }

  /** A label that is an element before its value, such as `<b>Price:</b> 5`. */
  #inline(label: Element): void {
    const { parent } = label;
    if (parent === null || !isTag(parent) || this.#page.lengthOf(label) > MAX_LABEL) return;
    if (label.name === "th" || label.name === "dt" || this.#page.lengthOf(label) === 0) return;
    const isMarked = LABEL_TAGS.has(label.name) || LABEL_CLASS.test(label.attribs["class"] ?? "");
    if (label.children.length === 0 || (!isMarked && label.name !== "span" && label.name !== "em")) return;
    const text = this.#page.text(label);
    let rest = "";
    let beside: Element | undefined;
    let looked = 0;
    for (let at = label.next; at !== null && rest.length <= MAX_LINE && looked < MAX_BESIDE; at = at.next) {
      looked += 1;
      if (isText(at)) rest += at.data;
      if (!isTag(at) || !this.#page.isShown(at)) continue;
      if (at.name === label.name && at.attribs["class"] === label.attribs["class"] && rest.trim() !== "") break;
      if (at.name === "br" && rest.trim() !== "") break;
      rest += ` ${this.#page.text(at)}`;
      beside ??= at;
    }
    const hasColon = /[:：]\s*$/u.test(text) || /^\s*[:：]/u.test(rest);
    if (!hasColon && !isMarked) return;
    const value = rest
      .replace(/^\s*[:：]/u, "")
      .replace(/\s+/g, " ")
      .trim();
    if (value === "" || value.length > MAX_LINE) return;
    const isWhole = beside !== undefined && value === this.#page.text(beside);
    this.#add(text, {
      from: "label",
      element: isWhole && beside !== undefined ? beside : parent,
      text: value,
      items: [],
    });
  }

  /** Lines of a block such as `Price: 5`. */
  #line(element: Element): void {
    const length = this.#page.lengthOf(element);
    if (length < 3 || length > 4 * MAX_LINE || !hasOwnText(element)) return;
    for (const line of this.#page.lines(element).flatMap((one) => one.split(BETWEEN))) {
      const [, label = "", text = ""] = line.length > MAX_LINE ? [] : (LABELLED.exec(line) ?? []);
      // "https://…" and "10:30" have no label.
      if (label === "") this.#bareLine(line, element);
      if (label === "" || text.startsWith("//") || /\d$/.test(label)) continue;
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
      const known = this.#classes.get(name);
      if (known === undefined) this.#classes.set(name, [element]);
      else known.push(element);
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
