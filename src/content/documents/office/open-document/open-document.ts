import { type ChildNode } from "domhandler";
import { FileError } from "../../kinds/file-error.ts";
import { type About, type DocumentContent } from "../../kinds/content.ts";
import { element, treeContent } from "../../kinds/tree-content.ts";
import { type ZipFile, piecesOf } from "../../zip/zip-file.ts";
import { Budget } from "../budget.ts";
import { Blocks } from "../lists.ts";
import { aboutOf } from "../package.ts";
import { allBelow, childOf, type Containers, elementsOf, readXml, textOf, type XmlElement } from "../read-xml.ts";
import { type Comment, commentList, commentsOf, notesOf } from "../word/docx.ts";
import { OpenStyles } from "./styles.ts";
import { OpenTextReader } from "./text.ts";

/** The parts of an OpenDocument file (ODF 1.3), or the one document of a flat file. */
export type OpenSource = ZipFile | Uint8Array;

/** An OpenDocument file. */
export class OpenDocument {
  readonly styles = new OpenStyles();
  readonly #source: OpenSource;
  /** The properties of a flat file. */
  #flat: XmlElement | undefined;

  constructor(source: OpenSource) {
    this.#source = source;
  }

  /** Reads the styles, then the content with these containers. Throws a FileError if the file needs a password. */
  async read(containers: Containers): Promise<void> {
    const source = this.#source;
    const style = (one: XmlElement) => this.styles.add([one]);
    const all: Containers = new Map([...containers, ["office:styles", style], ["office:automatic-styles", style]]);
    if (source instanceof Uint8Array) {
      this.#flat = await readXml(piecesOf(source), all);
      return;
    }
    const manifest = await readIf(source, "META-INF/manifest.xml");
    if (allBelow(manifest, "manifest:encryption-data").length > 0)
      throw new FileError("it requires a password", "unsupported-type");
    for (const group of elementsOf(await readIf(source, "styles.xml"))) this.styles.add(elementsOf(group));
    await readXml(source.pieces("content.xml"), all);
  }

  async properties(): Promise<{ readonly title: string; readonly about: About }> {
    const root = this.#source instanceof Uint8Array ? this.#flat : await readIf(this.#source, "meta.xml");
    const meta = childOf(root, "office:meta");
    const said = (name: string): string => textOf(childOf(meta, name)).trim();
    const author = said("dc:creator") || said("meta:initial-creator");
    return {
      title: said("dc:title"),
      about: aboutOf(author, said("dc:date") || said("meta:creation-date"), said("dc:language")),
    };
  }
}

async function readIf(zip: ZipFile, part: string): Promise<XmlElement | undefined> {
  return zip.has(part) ? await readXml(zip.pieces(part)) : undefined;
}

/** Reads an OpenDocument text. Throws a FileError if it is damaged or too large. */
export async function odtContent(source: OpenSource): Promise<DocumentContent> {
  const file = new OpenDocument(source);
  const budget = new Budget();
  const reader = new OpenTextReader(file.styles, budget);
  const blocks = new Blocks();
  await file.read(new Map([["office:text", (child) => (budget.isSpent ? "stop" : reader.block(child, blocks))]]));
  blocks.add(...notesOf(reader.aside.notes), ...commentsOf(reader.aside.comments));
  return treeContent({ ...(await file.properties()), isPartial: budget.isSpent, blocks: blocks.nodes });
}

/** Reads an OpenDocument presentation: its slides in order, with their notes. */
export async function odpContent(source: OpenSource): Promise<DocumentContent> {
  const file = new OpenDocument(source);
  const budget = new Budget();
  const reader = new OpenTextReader(file.styles, budget);
  const blocks: ChildNode[] = [];
  let hidden = 0;
  const slide = (page: XmlElement): void | "stop" => {
    if (budget.isSpent) return "stop";
    if (page.name !== "drawing:page") return undefined;
    const style = page.attributes["drawing:style-name"];
    const isHidden = file.styles.property(
      "drawing-page",
      style,
      "style:drawing-page-properties",
      "presentation:visibility",
    );
    if (isHidden === "hidden") hidden += 1;
    else {
      const made = slideOf(page, reader);
      blocks.push(...(blocks.length > 0 && made.length > 0 ? [element("hr", [])] : []), ...made);
    }
    return undefined;
  };
  await file.read(new Map([["office:presentation", slide]]));
  if (hidden > 0) blocks.push(element("p", [`Hidden slides are left out: ${hidden}.`]));
  blocks.push(...notesOf(reader.aside.notes), ...commentsOf(reader.aside.comments));
  return treeContent({ ...(await file.properties()), isPartial: budget.isSpent, blocks });
}

function slideOf(page: XmlElement, reader: OpenTextReader): ChildNode[] {
  const titles: ChildNode[] = [];
  const others: ChildNode[] = [];
  const notes: ChildNode[] = [];
  const comments: Comment[] = [];
  for (const shape of elementsOf(page)) {
    const kind = shape.attributes["presentation:class"];
    if (kind === "title") {
      const lines = allBelow(shape, "text:p").map((line) => reader.inline(line));
      const nodes = lines.flatMap((line, at) => (at === 0 ? line : [element("br", []), ...line]));
      if (nodes.length > 0) titles.push(element("h2", nodes));
    } else if (shape.name === "presentation:notes") {
      const texts = elementsOf(shape).filter(({ attributes }) => attributes["presentation:class"] === "notes");
      notes.push(...texts.flatMap((text) => reader.drawing(text)));
    } else if (shape.name === "office:annotation") comments.push(reader.comment(shape));
    else if (shape.name.startsWith("drawing:") && !/^(?:date-time|footer|header|page-number)$/.test(kind ?? ""))
      others.push(...reader.drawing(shape));
  }
  return [
    ...titles,
    ...others,
    ...(notes.length === 0 ? [] : [element("h3", ["Notes"]), ...notes]),
    ...commentList("h3", comments),
  ];
}
