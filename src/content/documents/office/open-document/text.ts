import { type ChildNode } from "domhandler";
import { element, linkAddress } from "../../kinds/tree-content.ts";
import { type Budget } from "../budget.ts";
import { Blocks } from "../lists.ts";
import { childOf, elementsOf, textOf, type XmlElement } from "../read-xml.ts";
import { codeTextOf, hasContent, Runs } from "../word/marks.ts";
import { type Comment } from "../word/docx.ts";
import { pictureOf } from "../word/paragraphs.ts";
import { type Look } from "../word/styles.ts";
import { type GridCell, spanOf, tableOf } from "../word/tables.ts";
import { type OpenStyles } from "./styles.ts";

/** Spaces that one element repeats, and cells and rows of a table in a text that one repeats. @bound */
const MAX_SPACES = 100;
const MAX_REPEATED = 100;

const LEFT_OUT = new Set([
  "text:tracked-changes",
  "text:note-citation",
  "text:hidden-text",
  "text:sequence-decls",
  "text:variable-decls",
  "text:user-field-decls",
  "text:ruby-text",
  "office:forms",
  "svg:title",
  "svg:desc",
]);

/** Groups of blocks, which have no look of their own. */
const INDEXES = /^text:(?:section|index-body|table-of-content|[a-z]+-index|bibliography|index-title)$/;

/** Notes and comments of a text, apart from it. */
export interface Aside {
  readonly notes: (readonly ChildNode[])[];
  readonly comments: Comment[];
}

/** Reads the text of OpenDocument files (ODF 1.3, part 3). */
export class OpenTextReader {
  readonly aside: Aside = { notes: [], comments: [] };
  readonly #styles: OpenStyles;
  readonly #budget: Budget;
  /** Content of text boxes, which comes after its paragraph. */
  #boxes: ChildNode[] = [];

  constructor(styles: OpenStyles, budget: Budget) {
    this.#styles = styles;
    this.#budget = budget;
  }

  all(parent: XmlElement): ChildNode[] {
    const blocks = new Blocks();
    for (const child of elementsOf(parent)) this.block(child, blocks);
    return blocks.nodes;
  }

  block(child: XmlElement, blocks: Blocks): void {
    const { name, attributes } = child;
    if (this.#budget.isSpent || LEFT_OUT.has(name)) return;
    if (name === "text:p" || name === "text:h") this.#paragraph(child, blocks);
    else if (name === "text:list") this.#list(child, blocks, { level: 0, style: undefined });
    else if (name === "table:table") {
      const table = this.#table(child);
      if (table !== undefined) blocks.add(table);
    } else if (INDEXES.test(name)) {
      const isHidden = attributes["text:display"] === "none";
      if (!isHidden) for (const inner of elementsOf(child)) this.block(inner, blocks);
    } else if (name.startsWith("drawing:")) blocks.add(...this.drawing(child));
  }

  comment(annotation: XmlElement): Comment {
    return { author: textOf(childOf(annotation, "dc:creator")), content: this.all(annotation) };
  }

  drawing(shape: XmlElement): ChildNode[] {
    const runs = new Runs();
    this.#drawing(shape, runs);
    const nodes = runs.take();
    return [...(hasContent(nodes) ? [element("p", nodes)] : []), ...this.#boxes.splice(0)];
  }

  inline(paragraph: XmlElement, look: Look = {}): ChildNode[] {
    const runs = new Runs();
    this.#inline(paragraph, look, runs, undefined);
    return runs.take();
  }

  #paragraph(paragraph: XmlElement, blocks: Blocks): void {
    const { attributes } = paragraph;
    const style = attributes["text:style-name"];
    const isTitle = this.#styles.isTitle(style);
    const isHeading = paragraph.name === "text:h" || isTitle;
    const look = this.#styles.look("paragraph", style);
    this.#budget.spend(0);
    const nodes = this.inline(paragraph, isHeading ? { ...look, bold: false, italic: false } : look);
    const level = isTitle ? 1 : Math.min(6, Math.max(1, Number(attributes["text:outline-level"] ?? "1") || 1));
    const code = isHeading ? undefined : codeTextOf(nodes);
    if (code !== undefined) blocks.addCode(code);
    else if (hasContent(nodes)) blocks.add(element(isHeading ? `h${level}` : "p", nodes));
    const boxes = this.#boxes.splice(0);
    if (boxes.length > 0) blocks.add(...boxes);
  }

  #list(list: XmlElement, blocks: Blocks, outer: { level: number; style: string | undefined }): void {
    const style = list.attributes["text:style-name"] ?? outer.style;
    const first = this.#styles.firstNumber(style, outer.level + 1);
    const items = elementsOf(list).flatMap((item) => this.#item(item, { level: outer.level + 1, style }));
    if (items.length === 0) return;
    const start = first === undefined || first === 1 ? {} : { start: `${first}` };
    const node = element(first === undefined ? "ul" : "ol", items, first === undefined ? {} : start);
    blocks.add(node);
  }

  #item(item: XmlElement, inner: { level: number; style: string | undefined }): ChildNode[] {
    if (item.name !== "text:list-item" && item.name !== "text:list-header") return [];
    const blocks = new Blocks();
    for (const child of elementsOf(item)) {
      if (child.name === "text:list") this.#list(child, blocks, inner);
      else this.block(child, blocks);
    }
    return blocks.nodes.length === 0 ? [] : [element("li", blocks.nodes)];
  }

  #table(table: XmlElement): ChildNode | undefined {
    const rows = this.#rows(table);
    return rows.length === 0 ? undefined : tableOf(rows);
  }

  #rows(parent: XmlElement): GridCell[][] {
    return elementsOf(parent).flatMap((child): GridCell[][] => {
      if (/^table:table-(?:header-rows|rows|row-group)$/.test(child.name)) return this.#rows(child);
      if (this.#budget.isSpent) return [];
      const cells = elementsOf(child).flatMap((cell) => this.#cells(cell));
      const count = repeats(child.attributes["table:number-rows-repeated"]);
      return cells.length === 0 ? [] : Array.from({ length: count }, () => cells);
    });
  }

  #cells(cell: XmlElement): GridCell[] {
    const { attributes, name } = cell;
    if (name !== "table:table-cell") return [];
    const content = this.all(cell);
    const columns = spanOf(attributes["table:number-columns-spanned"]);
    const made = { content, columns, continues: false, rows: spanOf(attributes["table:number-rows-spanned"]) };
    const count = repeats(attributes["table:number-columns-repeated"]);
    return Array.from({ length: count }, (_none, at) => (at === 0 ? made : { ...made, content: this.all(cell) }));
  }

  #inline(parent: XmlElement, look: Look, runs: Runs, href: string | undefined): void {
    for (const child of parent.children) {
      if (this.#budget.isSpent || look.hidden === true) return;
      if (typeof child === "string") {
        // White space in files is folded (ODF 1.3 §6.1.2).
        const text = child.replace(/[\t\r\n ]+/g, " ");
        this.#budget.spend(text.length);
        runs.text(text, look, href);
      } else if (!LEFT_OUT.has(child.name)) this.#part(child, look, runs, href);
    }
  }

  #part(part: XmlElement, look: Look, runs: Runs, href: string | undefined): void {
    const { name, attributes } = part;
    switch (name) {
      case "text:span":
        return this.#inline(part, { ...look, ...this.#styles.look("text", attributes["text:style-name"]) }, runs, href);
      case "text:a":
        return this.#inline(part, look, runs, linkAddress(attributes["xlink:href"] ?? "") ?? href);
      case "text:s":
        return runs.text(" ".repeat(Math.min(MAX_SPACES, Number(attributes["text:c"] ?? "1") || 1)), look, href);
      case "text:tab":
        return runs.text("\t", look, href);
      case "text:line-break":
        return runs.add(element("br", []), look, href);
      case "text:note":
        return this.#note(part, runs);
      case "office:annotation":
        this.aside.comments.push(this.comment(part));
        return;
      default:
        if (name.startsWith("drawing:")) this.#drawing(part, runs);
        else this.#inline(part, look, runs, href);
    }
  }

  #note(note: XmlElement, runs: Runs): void {
    const body = childOf(note, "text:note-body");
    const number = this.aside.notes.push([]);
    runs.add(element("sup", [element("a", [`[${number}]`], { href: `#note-${number}` })]), {});
    if (body !== undefined) this.aside.notes[number - 1] = this.all(body);
  }

  #drawing(shape: XmlElement, runs: Runs): void {
    // The picture of a frame with a table shows the table.
    const image = childOf(shape, "table:table") === undefined ? childOf(shape, "drawing:image") : undefined;
    const target = image?.attributes["xlink:href"] ?? "";
    if (target !== "") {
      const alt = textOf(childOf(shape, "svg:desc")) || textOf(childOf(shape, "svg:title"));
      return runs.add(pictureOf(target, alt), {});
    }
    for (const child of elementsOf(shape)) {
      if (child.name === "drawing:text-box") this.#boxes.push(...this.all(child));
      else if (child.name === "table:table") this.#boxes.push(...[this.#table(child) ?? []].flat());
      else if (child.name === "text:p" || child.name === "text:list") {
        const blocks = new Blocks();
        this.block(child, blocks);
        this.#boxes.push(...blocks.nodes);
      } else if (child.name === "drawing:a" || child.name.startsWith("drawing:")) this.#drawing(child, runs);
    }
  }
}

function repeats(value: string | undefined): number {
  return Math.min(MAX_REPEATED, Math.max(1, Number(value ?? "1") || 1));
}
