import { type ChildNode } from "domhandler";
import { type DocumentContent } from "../../kinds/content.ts";
import { element, treeContent } from "../../kinds/tree-content.ts";
import { Budget } from "../budget.ts";
import { graphicsOf } from "../graphics.ts";
import { Blocks } from "../lists.ts";
import { Package, partOf } from "../package.ts";
import { childOf, elementsOf, type XmlElement } from "../read-xml.ts";
import { codeTextOf, hasContent } from "./marks.ts";
import { ParagraphReader } from "./paragraphs.ts";
import { type Numbering, Numberings, numberingOf, outlineOf, Styles, valueOf } from "./styles.ts";
import { cellsOf, rowsOf, tableOf } from "./tables.ts";
import { type ZipFile } from "../../zip/zip-file.ts";

/** Elements that only group blocks. */
const GROUPS = new Set([
  "w:sdt",
  "w:sdtContent",
  "w:customXml",
  "w:ins",
  "w:moveTo",
  "w:smartTag",
  "mc:AlternateContent",
  "mc:Choice",
]);

const NOTE_KINDS = { footnote: ["footnotes", "w:footnote"], endnote: ["endnotes", "w:endnote"] } as const;

/** Reads a text document of Office Open XML (ECMA-376-1 §17). Throws a FileError if it is damaged or too large. */
export async function docxContent(zip: ZipFile): Promise<DocumentContent> {
  const file = new Package(zip);
  const main = await file.main("word/document.xml");
  const relationships = await file.relationshipsOf(main);
  const styles = new Styles(await file.readIf(partOf(relationships, "styles")));
  const numberings = new Numberings(await file.readIf(partOf(relationships, "numbering")));
  const budget = new Budget();
  const referred: { kind: "footnote" | "endnote"; id: string }[] = [];
  const comments: string[] = [];
  const refer = (kind: "footnote" | "endnote" | "comment", id: string): number | undefined => {
    if (kind === "comment") comments.push(id);
    return kind === "comment" ? undefined : referred.push({ kind, id });
  };
  const body = new BlockReader(
    styles,
    numberings,
    budget,
    new ParagraphReader(styles, budget, { relationships, graphics: await graphicsOf(file, relationships), refer }),
  );
  const blocks = new Blocks();
  await file.read(main, new Map([["w:body", (child) => (budget.isSpent ? "stop" : body.block(child, blocks))]]));
  const aside = async (part: string | undefined, name: string): Promise<ReadonlyMap<string, readonly ChildNode[]>> => {
    const root = await file.readIf(part);
    if (root === undefined || part === undefined) return new Map();
    const links = { relationships: await file.relationshipsOf(part), graphics: new Map(), refer: () => undefined };
    const reader = new BlockReader(styles, numberings, budget, new ParagraphReader(styles, budget, links));
    return new Map(elementsOf(root, name).map((note) => [note.attributes["w:id"] ?? "", reader.all(note)]));
  };
  const notes = new Map<string, ReadonlyMap<string, readonly ChildNode[]>>();
  for (const [kind, [type, name]] of Object.entries(NOTE_KINDS)) {
    if (referred.some((note) => note.kind === kind)) notes.set(kind, await aside(partOf(relationships, type), name));
  }
  blocks.add(...notesOf(referred.map(({ kind, id }) => notes.get(kind)?.get(id) ?? [])));
  if (comments.length > 0) {
    const part = partOf(relationships, "comments");
    const made = elementsOf(await file.readIf(part), "w:comment");
    const authors = new Map(made.map(({ attributes }) => [attributes["w:id"], attributes["w:author"] ?? ""]));
    const read = await aside(part, "w:comment");
    blocks.add(...commentsOf(comments.map((id) => ({ author: authors.get(id) ?? "", content: read.get(id) ?? [] }))));
  }
  const { title, about } = await file.properties();
  return treeContent({ title, about, isPartial: budget.isSpent, blocks: blocks.nodes });
}

/** Notes of a text, after it. */
export function notesOf(notes: readonly (readonly ChildNode[])[]): ChildNode[] {
  const items = notes.map((note) => element("li", note));
  return items.length === 0 ? [] : [element("hr", []), element("ol", items)];
}

export interface Comment {
  readonly author: string;
  readonly content: readonly ChildNode[];
}

/** Comments of readers, after the text. */
export function commentsOf(comments: readonly Comment[]): ChildNode[] {
  const list = commentList("h2", comments);
  return list.length === 0 ? [] : [element("hr", []), ...list];
}

/** Comments of readers below a heading. */
export function commentList(heading: "h2" | "h3", comments: readonly Comment[]): ChildNode[] {
  const items = comments
    .filter(({ content }) => content.length > 0)
    .map(({ author, content }) =>
      element("li", author === "" ? content : [element("p", [element("strong", [author])]), ...content]),
    );
  return items.length === 0 ? [] : [element(heading, ["Comments"]), element("ul", items)];
}

class BlockReader {
  readonly #styles: Styles;
  readonly #numberings: Numberings;
  readonly #budget: Budget;
  readonly #paragraphs: ParagraphReader;
  /** The large first letter of the next paragraph, which is in a paragraph of its own. */
  readonly #dropCap: ChildNode[] = [];

  constructor(styles: Styles, numberings: Numberings, budget: Budget, paragraphs: ParagraphReader) {
    this.#styles = styles;
    this.#numberings = numberings;
    this.#budget = budget;
    this.#paragraphs = paragraphs;
  }

  all(parent: XmlElement): ChildNode[] {
    const blocks = new Blocks();
    for (const child of elementsOf(parent)) this.block(child, blocks);
    return blocks.nodes;
  }

  block(child: XmlElement, blocks: Blocks): void {
    if (this.#budget.isSpent) return;
    if (child.name === "w:p") this.#paragraph(child, blocks);
    else if (child.name === "w:tbl") {
      this.#budget.spend(0);
      const rows = rowsOf(child).map((row) => cellsOf(row, (cell) => this.all(cell)));
      if (rows.length > 0) blocks.add(tableOf(rows));
    } else if (GROUPS.has(child.name)) for (const inner of elementsOf(child)) this.block(inner, blocks);
  }

  #paragraph(paragraph: XmlElement, blocks: Blocks): void {
    const properties = childOf(paragraph, "w:pPr");
    const style = this.#styles.get(valueOf(childOf(properties, "w:pStyle")));
    const heading = outlineOf(properties) ?? style.heading;
    const { bold = false, italic = false, strike = false, code = false, hidden = false } = style;
    const nodes = this.#paragraphs.read(paragraph, {
      bold: bold && heading === undefined,
      italic: italic && heading === undefined,
      strike,
      code,
      hidden,
    });
    this.#budget.spend(0);
    const isDropCap = /^(?:drop|margin)$/.test(childOf(properties, "w:framePr")?.attributes["w:dropCap"] ?? "");
    if (isDropCap) this.#dropCap.push(...nodes);
    else if (hasContent(nodes))
      this.#place(
        [...this.#dropCap.splice(0), ...nodes],
        { ...style.numbering, ...numberingOf(properties) },
        heading,
        blocks,
      );
    for (const box of this.#paragraphs.boxes.splice(0)) blocks.add(...this.all(box));
    blocks.add(...this.#paragraphs.graphics.splice(0));
  }

  #place(nodes: readonly ChildNode[], numbering: Numbering, heading: number | undefined, blocks: Blocks): void {
    const level = numbering.level ?? 0;
    const counted = numbering.id === undefined ? undefined : this.#numberings.next(numbering.id, level);
    if (heading !== undefined) {
      const label = counted?.isNumbered === true && counted.label !== "" ? [`${counted.label} `] : [];
      return blocks.add(element(`h${heading}`, [...label, ...nodes]));
    }
    const code = codeTextOf(nodes);
    if (counted !== undefined && numbering.id !== undefined) {
      const { isNumbered, number, isBlank } = counted;
      if (isBlank && blocks.continueItem(element("p", nodes))) return;
      return blocks.addItem({ level, isNumbered, number, list: numbering.id }, element("p", nodes));
    }
    if (code === undefined) blocks.add(element("p", nodes));
    else blocks.addCode(code);
  }
}
