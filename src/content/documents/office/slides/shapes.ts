import { type ChildNode } from "domhandler";
import { element, linkAddress } from "../../kinds/tree-content.ts";
import { type Budget } from "../budget.ts";
import { type Graphics, shownGraphics } from "../graphics.ts";
import { Blocks } from "../lists.ts";
import { type Relationships } from "../package.ts";
import { allBelow, atPath, childOf, elementsOf, textOf, type XmlElement } from "../read-xml.ts";
import { hasContent, Runs } from "../word/marks.ts";
import { pictureOf } from "../word/paragraphs.ts";
import { type Look } from "../word/styles.ts";
import { type GridCell, spanOf, tableOf } from "../word/tables.ts";

const TITLES = new Set(["title", "ctrTitle"]);
/** Placeholders that repeat on each slide. */
const FURNITURE = new Set(["dt", "ftr", "sldNum", "hdr"]);

const isTitle = (shape: XmlElement): boolean => TITLES.has(placeholderOf(shape)?.attributes["type"] ?? "");

/** Reads the shapes of a slide of PresentationML. */
export class ShapeReader {
  readonly #relationships: Relationships;
  readonly #budget: Budget;
  readonly #graphics: Graphics;

  constructor(relationships: Relationships, budget: Budget, graphics: Graphics) {
    this.#relationships = relationships;
    this.#budget = budget;
    this.#graphics = graphics;
  }

  /** The blocks of a slide, with its title first. */
  slide(tree: XmlElement | undefined): ChildNode[] {
    const shapes = elementsOf(tree);
    const titles = shapes.filter(isTitle).flatMap((shape) => {
      const lines = elementsOf(childOf(shape, "p:txBody"), "a:p").map((line) => this.#runs(line));
      const nodes = lines.filter(hasContent).flatMap((line, at) => (at === 0 ? line : [element("br", []), ...line]));
      return nodes.length === 0 ? [] : [element("h2", nodes)];
    });
    return [...titles, ...this.#shapes(shapes.filter((shape) => !isTitle(shape)))];
  }

  /** The text of the notes of a slide, without its picture and page number. */
  notes(tree: XmlElement | undefined): ChildNode[] {
    return this.#shapes(
      elementsOf(tree).filter((shape) => placeholderOf(shape)?.attributes["type"] === "body"),
      false,
    );
  }

  #shapes(shapes: readonly XmlElement[], hasBullets = true): ChildNode[] {
    return shapes.flatMap((shape): ChildNode[] => {
      if (this.#budget.isSpent || isHidden(shape)) return [];
      switch (shape.name) {
        case "p:sp":
          return this.#textShape(shape, hasBullets);
        case "p:grpSp":
          return this.#shapes(elementsOf(shape), hasBullets);
        case "p:graphicFrame":
          return this.#graphic(shape);
        case "p:pic":
          return this.#picture(shape);
        case "mc:AlternateContent":
          return this.#shapes(elementsOf(childOf(shape, "mc:Choice") ?? childOf(shape, "mc:Fallback")), hasBullets);
        default:
          return [];
      }
    });
  }

  #textShape(shape: XmlElement, hasBullets: boolean): ChildNode[] {
    const placeholder = placeholderOf(shape);
    const { type = "body" } = placeholder?.attributes ?? {};
    if (placeholder !== undefined && FURNITURE.has(type)) return [];
    const isBody = placeholder !== undefined && type === "body" && hasBullets;
    return this.#paragraphs(childOf(shape, "p:txBody"), isBody);
  }

  /** Paragraphs of a body placeholder have bullets, unless they say otherwise. */
  #paragraphs(body: XmlElement | undefined, isBody: boolean): ChildNode[] {
    const blocks = new Blocks();
    const paragraphs = elementsOf(body, "a:p").map((paragraph) => ({ paragraph, nodes: this.#runs(paragraph) }));
    const shown = paragraphs.filter(({ nodes }) => hasContent(nodes));
    const counts = new Map<number, number>();
    for (const { paragraph, nodes } of shown) {
      this.#budget.spend(0);
      const properties = childOf(paragraph, "a:pPr");
      const level = Math.min(8, Math.max(0, Math.trunc(Number(properties?.attributes["lvl"] ?? "0")) || 0));
      const numbered = childOf(properties, "a:buAutoNum");
      const hasBullet = childOf(properties, "a:buChar") !== undefined || childOf(properties, "a:buBlip") !== undefined;
      const isItem = numbered !== undefined || hasBullet || (isBody && shown.length > 1);
      if (!isItem || childOf(properties, "a:buNone") !== undefined) {
        blocks.add(element("p", nodes));
        counts.clear();
        continue;
      }
      for (const deeper of counts.keys()) if (deeper > level) counts.delete(deeper);
      const start = Number(numbered?.attributes["startAt"] ?? "1") || 1;
      const number = (counts.get(level) ?? start - 1) + 1;
      if (numbered !== undefined) counts.set(level, number);
      blocks.addItem({ level, isNumbered: numbered !== undefined, number, list: "" }, element("p", nodes));
    }
    return blocks.nodes;
  }

  #graphic(frame: XmlElement): ChildNode[] {
    const data = atPath(frame, "a:graphic", "a:graphicData");
    const table = childOf(data, "a:tbl");
    if (table !== undefined) return this.#table(table);
    return data === undefined ? [] : shownGraphics(data, this.#graphics, this.#budget);
  }

  #table(table: XmlElement): ChildNode[] {
    const rows = elementsOf(table, "a:tr").map((row): GridCell[] =>
      elementsOf(row, "a:tc").flatMap((cell): GridCell[] => {
        const { gridSpan, hMerge, vMerge } = cell.attributes;
        if (hMerge === "1" || hMerge === "true" || this.#budget.isSpent) return [];
        const continues = vMerge === "1" || vMerge === "true";
        const content = continues ? [] : this.#paragraphs(childOf(cell, "a:txBody"), false);
        // Each continuing cell is marked, so that the stated number of rows would count them twice.
        return [{ content, columns: spanOf(gridSpan), continues }];
      }),
    );
    return rows.length === 0 ? [] : [tableOf(rows)];
  }

  #picture(picture: XmlElement): ChildNode[] {
    const id = allBelow(picture, "a:blip")[0]?.attributes["r:embed"];
    const target = id === undefined ? undefined : this.#relationships.get(id)?.target;
    if (target === undefined) return [];
    const { descr, title = "" } = atPath(picture, "p:nvPicPr", "p:cNvPr")?.attributes ?? {};
    return [element("p", [pictureOf(target, descr ?? title)])];
  }

  #runs(paragraph: XmlElement): ChildNode[] {
    const runs = new Runs();
    for (const child of elementsOf(paragraph)) {
      if (this.#budget.isSpent) break;
      const properties = childOf(child, "a:rPr");
      const look = lookOf(properties);
      const link = this.#relationships.get(childOf(properties, "a:hlinkClick")?.attributes["r:id"] ?? "");
      const href = link?.isExternal === true ? linkAddress(link.target) : undefined;
      if (child.name === "a:br") runs.add(element("br", []), {});
      else if (child.name === "a:r" || child.name === "a:fld") {
        const text = textOf(childOf(child, "a:t"));
        this.#budget.spend(text.length);
        runs.text(text, look, href);
      } else if (child.name === "mc:AlternateContent") {
        runs.text(allBelow(child, "m:t").map(textOf).join(""), {});
      }
    }
    return runs.take();
  }
}

const isOn = (value: string | undefined): boolean => value === "1" || value === "true";

function lookOf(properties: XmlElement | undefined): Look {
  const { b, i, strike, baseline = "0" } = properties?.attributes ?? {};
  const raised = Number.parseInt(baseline, 10);
  return {
    bold: isOn(b),
    italic: isOn(i),
    strike: strike !== undefined && strike !== "noStrike",
    raised: raised > 0 ? "sup" : raised < 0 ? "sub" : undefined,
  };
}

/** The properties of a shape that are not shown: its name, whether it is hidden, and its placeholder. */
function plainOf(shape: XmlElement): XmlElement | undefined {
  return elementsOf(shape).find(({ name }) => name.startsWith("p:nv"));
}

function placeholderOf(shape: XmlElement): XmlElement | undefined {
  return atPath(plainOf(shape), "p:nvPr", "p:ph");
}

function isHidden(shape: XmlElement): boolean {
  return /^(?:1|true)$/.test(childOf(plainOf(shape), "p:cNvPr")?.attributes["hidden"] ?? "");
}
