import { childOf, elementsOf, textOf, type XmlElement } from "../read-xml.ts";

/** TeX of a formula in Office Math Markup (ECMA-376-1 §22.1). */
export function texOfFormula(formula: XmlElement): string {
  return elementsOf(formula).map(texOf).join("").trim();
}

function part(element: XmlElement, name: string): string {
  const found = childOf(element, name);
  return found === undefined ? "" : texOfFormula(found);
}

/** A property such as `<m:chr m:val="∑"/>` of an element. */
function property(element: XmlElement, name: string): string | undefined {
  return childOf(childOf(element, `${element.name}Pr`), name)?.attributes["m:val"];
}

function texOf(element: XmlElement): string {
  switch (element.name) {
    case "m:r":
      return escapeTex(elementsOf(element, "m:t").map(textOf).join(""));
    case "m:f":
      return `\\frac{${part(element, "m:num")}}{${part(element, "m:den")}}`;
    case "m:sSup":
      return `{${part(element, "m:e")}}^{${part(element, "m:sup")}}`;
    case "m:sSub":
      return `{${part(element, "m:e")}}_{${part(element, "m:sub")}}`;
    case "m:sSubSup":
      return `{${part(element, "m:e")}}_{${part(element, "m:sub")}}^{${part(element, "m:sup")}}`;
    case "m:rad": {
      const degree = part(element, "m:deg");
      return `\\sqrt${degree === "" ? "" : `[${degree}]`}{${part(element, "m:e")}}`;
    }
    case "m:nary":
      return `${property(element, "m:chr") ?? "∫"}_{${part(element, "m:sub")}}^{${part(element, "m:sup")}}${part(element, "m:e")}`;
    case "m:d": {
      const inner = elementsOf(element, "m:e").map(texOfFormula).join(", ");
      return `${escapeTex(property(element, "m:begChr") ?? "(")}${inner}${escapeTex(property(element, "m:endChr") ?? ")")}`;
    }
    case "m:func":
      return `${part(element, "m:fName")} ${part(element, "m:e")}`;
    case "m:limLow":
      return `${part(element, "m:e")}_{${part(element, "m:lim")}}`;
    case "m:limUpp":
      return `${part(element, "m:e")}^{${part(element, "m:lim")}}`;
    case "m:sPre":
      return `{}_{${part(element, "m:sub")}}^{${part(element, "m:sup")}}${part(element, "m:e")}`;
    case "m:acc":
      return `${ACCENTS[property(element, "m:chr") ?? "\u0302"] ?? "\\hat"}{${part(element, "m:e")}}`;
    case "m:bar":
      return `${property(element, "m:pos") === "top" ? "\\overline" : "\\underline"}{${part(element, "m:e")}}`;
    case "m:eqArr":
      return `\\begin{aligned}${rowsOf(elementsOf(element, "m:e").map((row) => [row]))}\\end{aligned}`;
    case "m:m":
      return `\\begin{matrix}${rowsOf(elementsOf(element, "m:mr").map((row) => elementsOf(row, "m:e")))}\\end{matrix}`;
    default:
      return element.name.endsWith("Pr") ? "" : texOfFormula(element);
  }
}

/** Marks above a letter, by the characters that combine with it. */
const ACCENTS: Readonly<Record<string, string>> = {
  "\u0302": "\\hat",
  "\u0303": "\\tilde",
  "\u0304": "\\bar",
  "\u0305": "\\overline",
  "\u0307": "\\dot",
  "\u0308": "\\ddot",
  "\u20d7": "\\vec",
};

function rowsOf(rows: readonly (readonly XmlElement[])[]): string {
  return rows.map((cells) => cells.map(texOfFormula).join(" & ")).join(" \\\\ ");
}

function escapeTex(text: string): string {
  return text.replace(/[\\{}$&#%_^~]/g, (mark) => (mark === "\\" ? "\\backslash " : `\\${mark}`));
}
