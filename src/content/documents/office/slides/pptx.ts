import { type ChildNode } from "domhandler";
import { type DocumentContent } from "../../kinds/content.ts";
import { element, treeContent } from "../../kinds/tree-content.ts";
import { type ZipFile } from "../../zip/zip-file.ts";
import { Budget } from "../budget.ts";
import { graphicsOf } from "../graphics.ts";
import { Package, partOf } from "../package.ts";
import { childOf, elementsOf } from "../read-xml.ts";
import { commentList } from "../word/docx.ts";
import { authorsOf, commentsOn } from "./comments.ts";
import { ShapeReader } from "./shapes.ts";

/** Slides of a presentation. Further ones are missing. @operator */
const MAX_SLIDES = 2_000;

/** Reads a presentation of Office Open XML (ECMA-376-1 §19). Throws a FileError if it is damaged or too large. */
export async function pptxContent(zip: ZipFile): Promise<DocumentContent> {
  const file = new Package(zip);
  const main = await file.main("ppt/presentation.xml");
  const relationships = await file.relationshipsOf(main);
  const list = elementsOf(childOf(await file.read(main), "p:sldIdLst"), "p:sldId");
  const budget = new Budget();
  const authors = await authorsOf(file, relationships);
  const blocks: ChildNode[] = [];
  let hidden = 0;
  for (const { attributes } of list.slice(0, MAX_SLIDES)) {
    const part = relationships.get(attributes["r:id"] ?? "");
    if (budget.isSpent || part === undefined || part.isExternal || !file.has(part.target)) continue;
    const slide = await readSlide(file, part.target, { budget, authors });
    if (slide === undefined) hidden += 1;
    else blocks.push(...(blocks.length > 0 && slide.length > 0 ? [element("hr", [])] : []), ...slide);
  }
  if (hidden > 0) blocks.push(element("p", [`Hidden slides are left out: ${hidden}.`]));
  const { title, about } = await file.properties();
  return treeContent({ title, about, isPartial: budget.isSpent || list.length > MAX_SLIDES, blocks });
}

/** The parts of a file that all slides share. */
interface Shared {
  readonly budget: Budget;
  /** The authors of comments, by their ids. */
  readonly authors: ReadonlyMap<string, string>;
}

/** The title of a slide, its shapes in order, its notes and its comments. Undefined if the slide is hidden. */
async function readSlide(file: Package, part: string, { budget, authors }: Shared): Promise<ChildNode[] | undefined> {
  const root = await file.read(part);
  if (/^(?:0|false)$/.test(root.attributes["show"] ?? "")) return undefined;
  const relationships = await file.relationshipsOf(part);
  const reader = new ShapeReader(relationships, budget, await graphicsOf(file, relationships));
  const blocks = reader.slide(childOf(childOf(root, "p:cSld"), "p:spTree"));
  const said = await notesOf(file, partOf(relationships, "notesSlide"), budget);
  const comments = await commentsOn(file, relationships, { authors, budget });
  return [...blocks, ...(said.length === 0 ? [] : [element("h3", ["Notes"]), ...said]), ...commentList("h3", comments)];
}

async function notesOf(file: Package, part: string | undefined, budget: Budget): Promise<ChildNode[]> {
  const notes = await file.readIf(part);
  if (notes === undefined || part === undefined) return [];
  const reader = new ShapeReader(await file.relationshipsOf(part), budget, new Map());
  return reader.notes(childOf(childOf(notes, "p:cSld"), "p:spTree"));
}
