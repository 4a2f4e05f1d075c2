import { type ChildNode } from "domhandler";
import { type DocumentContent } from "../../kinds/content.ts";
import { element, treeContent } from "../../kinds/tree-content.ts";
import { type ZipFile } from "../../zip/zip-file.ts";
import { Budget } from "../budget.ts";
import { Package, partOf, type Relationships } from "../package.ts";
import { childOf, elementsOf, textOf } from "../read-xml.ts";
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
  const blocks: ChildNode[] = [];
  let hidden = 0;
  for (const { attributes } of list.slice(0, MAX_SLIDES)) {
    const part = relationships.get(attributes["r:id"] ?? "");
    if (budget.isSpent || part === undefined || part.isExternal || !file.has(part.target)) continue;
    const slide = await readSlide(file, part.target, budget);
    if (slide === undefined) hidden += 1;
    else blocks.push(...(blocks.length > 0 && slide.length > 0 ? [element("hr", [])] : []), ...slide);
  }
  if (hidden > 0) blocks.push(element("p", [`Hidden slides are left out: ${hidden}.`]));
  const { title, about } = await file.properties();
  return treeContent({ title, about, isPartial: budget.isSpent || list.length > MAX_SLIDES, blocks });
}

/** The title of a slide, its shapes in order, and its notes. Undefined if the slide is hidden. */
async function readSlide(file: Package, part: string, budget: Budget): Promise<ChildNode[] | undefined> {
  const root = await file.read(part);
  if (/^(?:0|false)$/.test(root.attributes["show"] ?? "")) return undefined;
  const relationships = await file.relationshipsOf(part);
  const diagrams = await diagramTexts(file, relationships);
  const reader = new ShapeReader(relationships, budget, diagrams);
  const blocks = reader.slide(childOf(childOf(root, "p:cSld"), "p:spTree"));
  const notesPart = partOf(relationships, "notesSlide");
  const notes = await file.readIf(notesPart);
  if (notes === undefined || notesPart === undefined) return blocks;
  const notesReader = new ShapeReader(await file.relationshipsOf(notesPart), budget, new Map());
  const said = notesReader.notes(childOf(childOf(notes, "p:cSld"), "p:spTree"));
  return said.length === 0 ? blocks : [...blocks, element("h3", ["Notes"]), ...said];
}

/** The texts of the diagrams of a slide, by the ids of their relationships. */
async function diagramTexts(
  file: Package,
  relationships: Relationships,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const [id, { type, target, isExternal }] of relationships) {
    if (type !== "diagramData" || isExternal || !file.has(target)) continue;
    const points = elementsOf(childOf(await file.read(target), "dgm:ptLst"), "dgm:pt");
    const texts = points.map((point) => elementsOf(childOf(point, "dgm:t"), "a:p").map(textOf).join(" ").trim());
    found.set(
      id,
      texts.filter((text) => text !== ""),
    );
  }
  return found;
}
