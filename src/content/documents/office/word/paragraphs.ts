import { type ChildNode } from "domhandler";
import { element, linkAddress, fieldLink } from "../../kinds/tree-content.ts";
import { type Budget } from "../budget.ts";
import { type Graphics, shownGraphics } from "../graphics.ts";
import { type Relationships } from "../package.ts";
import { allBelow, childOf, elementsOf, textOf, type XmlElement } from "../read-xml.ts";
import { texOfFormula } from "./formula.ts";
import { Runs } from "./marks.ts";
import { type Look, lookOf, type Styles, valueOf } from "./styles.ts";

/** Elements whose content is not shown: deleted and moved text, and what other programs show instead. */
const LEFT_OUT = new Set([
  "w:del",
  "w:moveFrom",
  "mc:Fallback",
  "w:rPr",
  "w:pPr",
  "w:sdtPr",
  "w:sdtEndPr",
  "w:instrText",
]);

/** A field such as a link, whose instruction comes before its result. */
interface Field {
  instruction: string;
  isInstruction: boolean;
}

/** The parts and notes that a text refers to. */
export interface References {
  readonly relationships: Relationships;
  readonly graphics: Graphics;
  /** Called with each note or comment that a text refers to. Returns the number of a note. */
  readonly refer: (kind: "footnote" | "endnote" | "comment", id: string) => number | undefined;
}

/** Reads the content of paragraphs of WordprocessingML. */
export class ParagraphReader {
  readonly #styles: Styles;
  readonly #budget: Budget;
  readonly #references: References;
  /** Fields that are open. They may span paragraphs. */
  #fields: Field[] = [];
  /** Content of text boxes, and charts and diagrams, which come after the paragraph of their anchor. */
  readonly boxes: XmlElement[] = [];
  readonly graphics: ChildNode[] = [];

  constructor(styles: Styles, budget: Budget, references: References) {
    this.#styles = styles;
    this.#budget = budget;
    this.#references = references;
  }

  read(paragraph: XmlElement, base: Look): ChildNode[] {
    const runs = new Runs();
    this.#inline(paragraph, base, runs, undefined);
    return runs.take();
  }

  #inline(parent: XmlElement, base: Look, runs: Runs, href: string | undefined): void {
    for (const child of elementsOf(parent)) {
      if (LEFT_OUT.has(child.name) || this.#budget.isSpent) continue;
      if (child.name === "w:r") this.#run(child, base, runs, href);
      else if (child.name === "w:hyperlink") this.#inline(child, base, runs, this.#addressOf(child) ?? href);
      else if (child.name === "w:fldSimple") {
        this.#inline(child, base, runs, fieldLink(child.attributes["w:instr"] ?? "") ?? href);
      } else if (child.name === "m:oMath" || child.name === "m:oMathPara") this.#formula(child, runs);
      else this.#inline(child, base, runs, href);
    }
  }

  #addressOf({ attributes }: XmlElement): string | undefined {
    const found = this.#references.relationships.get(attributes["r:id"] ?? "");
    return found?.isExternal === true ? linkAddress(found.target) : undefined;
  }

  #formula(formula: XmlElement, runs: Runs): void {
    const tex = texOfFormula(formula);
    const type = formula.name === "m:oMathPara" ? "math/tex; mode=display" : "math/tex";
    if (tex !== "") runs.add(element("script", [tex], { type }), {});
    this.#budget.spend(tex.length);
  }

  #run(run: XmlElement, base: Look, runs: Runs, href: string | undefined): void {
    const properties = childOf(run, "w:rPr");
    const style = this.#styles.get(valueOf(childOf(properties, "w:rStyle")));
    const look = { ...base, ...style, ...lookOf(properties) };
    const address = this.#fields.flatMap((field) => fieldLink(field.instruction) ?? []).at(-1) ?? href;
    for (const child of elementsOf(run)) {
      if (child.name === "w:fldChar") this.#field(child);
      else if (child.name === "w:instrText") {
        const field = this.#fields.at(-1);
        if (field?.isInstruction === true) field.instruction += textOf(child);
      } else if (look.hidden !== true && !this.#fields.some(({ isInstruction }) => isInstruction))
        this.#part(child, look, runs, address);
    }
  }

  #field({ attributes }: XmlElement): void {
    const type = attributes["w:fldCharType"];
    const field = this.#fields.at(-1);
    if (type === "begin") this.#fields.push({ instruction: "", isInstruction: true });
    else if (type === "separate" && field !== undefined) field.isInstruction = false;
    else if (type === "end") this.#fields.pop();
  }

  #part(part: XmlElement, look: Look, runs: Runs, href: string | undefined): void {
    const text = (data: string): void => {
      this.#budget.spend(data.length);
      runs.text(data, look, href);
    };
    switch (part.name) {
      case "w:t":
        return text(textOf(part));
      case "w:tab":
      case "w:ptab":
        return text("\t");
      case "w:br":
      case "w:cr":
        return part.attributes["w:type"] === "page" ? text(" ") : runs.add(element("br", []), look, href);
      case "w:noBreakHyphen":
        return text("‑");
      case "w:sym":
        return text(symbolOf(part));
      case "w:footnoteReference":
        return this.#note("footnote", part, runs);
      case "w:endnoteReference":
        return this.#note("endnote", part, runs);
      case "w:commentReference":
        this.#references.refer("comment", part.attributes["w:id"] ?? "");
        return;
      case "w:drawing":
      case "w:pict":
      case "w:object":
        return this.#drawing(part, runs, href);
      case "mc:AlternateContent":
        for (const inner of elementsOf(childOf(part, "mc:Choice") ?? childOf(part, "mc:Fallback")))
          this.#part(inner, look, runs, href);
        return;
      case "w:ruby":
        this.#inline(childOf(part, "w:rubyBase") ?? part, look, runs, href);
        return;
      default:
    }
  }

  #note(kind: "footnote" | "endnote", { attributes }: XmlElement, runs: Runs): void {
    const number = this.#references.refer(kind, attributes["w:id"] ?? "");
    if (number === undefined) return;
    runs.add(element("sup", [element("a", [`[${number}]`], { href: `#note-${number}` })]), {});
  }

  #drawing(drawing: XmlElement, runs: Runs, href: string | undefined): void {
    this.boxes.push(...boxesOf(drawing));
    this.graphics.push(...shownGraphics(drawing, this.#references.graphics, this.#budget));
    const image = allBelow(drawing, "a:blip")[0] ?? allBelow(drawing, "v:imagedata")[0];
    const { attributes = {} } = image ?? {};
    const id = attributes["r:embed"] ?? attributes["r:link"] ?? attributes["r:id"];
    const target = id === undefined ? undefined : this.#references.relationships.get(id)?.target;
    if (target === undefined) return;
    const about = allBelow(drawing, "wp:docPr")[0]?.attributes ?? {};
    const shape = allBelow(drawing, "v:shape")[0]?.attributes ?? {};
    const alt = about["descr"] ?? about["title"] ?? shape["alt"] ?? attributes["o:title"] ?? "";
    runs.add(pictureOf(target, alt), {}, href);
    this.#budget.spend(alt.length);
  }
}

/** The text boxes of a drawing, which may be a group. A box in a box is read with the outer one. */
function boxesOf(drawing: XmlElement): XmlElement[] {
  return elementsOf(drawing).flatMap((child) => {
    if (child.name === "w:txbxContent") return [child];
    return child.name === "mc:Fallback" && childOf(drawing, "mc:Choice") !== undefined ? [] : boxesOf(child);
  });
}

/** A picture in a file, by its name there. */
export function pictureOf(target: string, alt: string): ChildNode {
  return element("img", [], { src: target.slice(target.lastIndexOf("/") + 1), alt: alt.trim() });
}

/** A character of a font. Those of private use have no meaning without the font. */
function symbolOf({ attributes }: XmlElement): string {
  const code = Number.parseInt(attributes["w:char"] ?? "", 16);
  if (!(code >= 0x20 && code <= 0xffff)) return "";
  if (code < 0xf000) return String.fromCharCode(code);
  const low = code - 0xf000;
  return CHECKS.get(low) ?? (/symbol/i.test(attributes["w:font"] ?? "") && low < 0x80 ? String.fromCharCode(low) : "•");
}

/** Check boxes of Wingdings. */
const CHECKS = new Map([
  [0xa8, "☐"],
  [0xfc, "✓"],
  [0xfe, "☑"],
  [0xfd, "☒"],
  [0xe0, "→"],
]);
