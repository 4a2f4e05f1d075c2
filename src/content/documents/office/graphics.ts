import { type ChildNode } from "domhandler";
import { element, textRow } from "../kinds/tree-content.ts";
import { type Budget } from "./budget.ts";
import { type Package, type Relationships } from "./package.ts";
import { allBelow, childOf, elementsOf, textOf, type XmlElement } from "./read-xml.ts";
import { formatOf, shownNumber } from "./number-formats.ts";

/** Charts and diagrams that one part may show. Further ones are missing. */
const MAX_GRAPHICS = 500;
/** Series of a chart, and points of a series. Further ones are missing. */
const MAX_SERIES = 100;
const MAX_POINTS = 2_000;

/** The values of a chart that the file keeps. The first row has the names of the series. */
export interface Chart {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

/** A chart or a diagram, with the number of its characters. Each call makes new nodes. */
export interface Graphic {
  readonly length: number;
  readonly blocks: () => ChildNode[];
}

/** By the ids of their relationships. */
export type Graphics = ReadonlyMap<string, Graphic>;

/** The charts and diagrams to which a part refers. */
export async function graphicsOf(file: Package, relationships: Relationships): Promise<Graphics> {
  const found = new Map<string, Graphic>();
  for (const [id, { type, target, isExternal }] of relationships) {
    if (!/^(?:chart|diagramData)$/.test(type) || isExternal || !file.has(target) || found.size >= MAX_GRAPHICS)
      continue;
    const root = await file.read(target);
    const graphic = type === "chart" ? chartGraphic(chartOf(root)) : diagramGraphic(root);
    if (graphic !== undefined) found.set(id, graphic);
  }
  return found;
}

/** The charts to which a drawing refers, in its order. */
export async function chartsOf(file: Package, relationships: Relationships): Promise<Chart[]> {
  const charts: Chart[] = [];
  for (const { type, target, isExternal } of relationships.values()) {
    if (type !== "chart" || isExternal || !file.has(target) || charts.length >= MAX_GRAPHICS) continue;
    const chart = chartOf(await file.read(target));
    if (chart !== undefined) charts.push(chart);
  }
  return charts;
}

/** The blocks of the charts and diagrams that a drawing shows, within a budget. */
export function shownGraphics(drawing: XmlElement, graphics: Graphics, budget: Budget): ChildNode[] {
  if (graphics.size === 0) return [];
  const charts = allBelow(drawing, "c:chart").map(({ attributes }) => attributes["r:id"]);
  const diagrams = allBelow(drawing, "dgm:relIds").map(({ attributes }) => attributes["r:dm"]);
  return [...charts, ...diagrams].flatMap((id) => {
    const graphic = graphics.get(id ?? "");
    if (graphic === undefined || budget.isSpent) return [];
    budget.spend(graphic.length);
    return graphic.blocks();
  });
}

function chartGraphic(chart: Chart | undefined): Graphic | undefined {
  if (chart === undefined) return undefined;
  const { title, rows } = chart;
  const table = () =>
    element(
      "table",
      rows.map((row, at) => textRow(at === 0 ? "th" : "td", row)),
    );
  return {
    length: rows.flat().join("").length + title.length,
    blocks: () => [...(title === "" ? [] : [element("p", [title])]), ...(rows.length < 2 ? [] : [table()])],
  };
}

function diagramGraphic(root: XmlElement): Graphic | undefined {
  const points = elementsOf(childOf(root, "dgm:ptLst"), "dgm:pt");
  const texts = points
    .map((point) => elementsOf(childOf(point, "dgm:t"), "a:p").map(textOf).join(" ").trim())
    .filter((text) => text !== "");
  if (texts.length === 0) return undefined;
  const list = () =>
    element(
      "ul",
      texts.map((text) => element("li", [text])),
    );
  return { length: texts.join("").length, blocks: () => [list()] };
}

/** A chart of DrawingML (ECMA-376-1 §21.2). Undefined if it keeps neither values nor a title. */
function chartOf(root: XmlElement): Chart | undefined {
  const chart = childOf(root, "c:chart");
  const title = titleOf(childOf(chart, "c:title"));
  const series = elementsOf(childOf(chart, "c:plotArea"))
    .flatMap((plot) => elementsOf(plot, "c:ser"))
    .slice(0, MAX_SERIES);
  const names = series.map((one, at) => titleOf(childOf(one, "c:tx")) || `Series ${at + 1}`);
  // Series of a scatter chart have places of their own.
  const rows = new Map<string, string[]>();
  for (const [at, one] of series.entries()) {
    const labels = pointsOf(childOf(one, "c:cat") ?? childOf(one, "c:xVal"));
    for (const [index, value] of pointsOf(childOf(one, "c:val") ?? childOf(one, "c:yVal"))) {
      const label = labels.get(index) ?? "";
      const row = rows.getOrInsertComputed(`${index} ${label}`, () => [label, ...names.map(() => "")]);
      row[at + 1] = value;
    }
  }
  if (rows.size === 0) return title === "" ? undefined : { title, rows: [] };
  return { title, rows: [["", ...names], ...rows.values()] };
}

/** A text with runs, or the stored text of a cell. */
function titleOf(title: XmlElement | undefined): string {
  const lines = allBelow(title, "a:p").map((line) => allBelow(line, "a:t").map(textOf).join(""));
  const kept = allBelow(title, "c:v").map(textOf);
  return (lines.length > 0 ? lines : kept).join(" ").trim();
}

/** The points that the file keeps, by their places. Outer levels of labels come before the inner one. */
function pointsOf(source: XmlElement | undefined): ReadonlyMap<number, string> {
  const levels = allBelow(source, "c:lvl");
  const [cache] = elementsOf(source)
    .flatMap((one) => [one, ...elementsOf(one)])
    .filter(({ name }) => /(?:Lit|Cache)$/.test(name));
  const [inner, ...outer] = (levels.length > 0 ? levels : [cache]).map((level) => levelOf(level));
  const points = new Map<number, string>();
  for (const [index, text] of inner ?? []) {
    const groups = outer.map((level) => [...level].findLast(([start]) => start <= index)?.[1] ?? "");
    points.set(index, [...groups.toReversed(), text].filter((part) => part !== "").join(" "));
  }
  return points;
}

function levelOf(level: XmlElement | undefined): Map<number, string> {
  const code = textOf(childOf(level, "c:formatCode"));
  const points = elementsOf(level, "c:pt").slice(0, MAX_POINTS);
  return new Map(
    points.map((point) => {
      const value = textOf(childOf(point, "c:v"));
      const { idx = "0", formatCode = code } = point.attributes;
      return [Number(idx), formatCode === "" ? value : shownNumber(value, formatOf(formatCode), false)];
    }),
  );
}
