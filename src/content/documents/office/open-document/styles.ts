import { childOf, elementsOf, type XmlElement } from "../read-xml.ts";
import { type Look } from "../word/styles.ts";

/** Styles that a style may be based on, one on the other. @bound */
const MAX_BASES = 20;

/** The styles of an OpenDocument file. */
export class OpenStyles {
  readonly #elements = new Map<string, XmlElement>();
  readonly #looks = new Map<string, Look>();
  /** For each list style, its levels that have numbers, by their first number. */
  readonly #lists = new Map<string, ReadonlyMap<number, number>>();

  /** Later styles take the place of earlier ones. */
  add(styles: readonly XmlElement[]): void {
    for (const style of styles) {
      const name = style.attributes["style:name"] ?? "";
      if (style.name === "style:style") this.#elements.set(keyOf(style.attributes["style:family"], name), style);
      else if (style.name === "text:list-style") this.#lists.set(name, numberedLevels(style));
    }
  }

  /** The look of a text or a paragraph with the style. */
  look(family: string, name: string | undefined, depth = 0): Look {
    const key = keyOf(family, name ?? "");
    const element = this.#elements.get(key);
    if (element === undefined || depth > MAX_BASES) return {};
    return this.#looks.getOrInsertComputed(key, () => ({
      ...this.look(family, element.attributes["style:parent-style-name"], depth + 1),
      ...ownLook(element),
    }));
  }

  /** A property of a style in one of its groups, such as `style:table-properties`. */
  property(family: string, name: string | undefined, group: string, property: string): string | undefined {
    const element = this.#elements.get(keyOf(family, name ?? ""));
    return childOf(element, group)?.attributes[property];
  }

  /** The list style that a paragraph style names. */
  isTitle(name: string | undefined): boolean {
    const parent = this.#elements.get(keyOf("paragraph", name ?? ""))?.attributes["style:parent-style-name"];
    return name === "Title" || parent === "Title";
  }

  /** The first number of a level of a list, from 1 on. Undefined if it has bullets. */
  firstNumber(list: string | undefined, level: number): number | undefined {
    return this.#lists.get(list ?? "")?.get(level);
  }
}

function keyOf(family = "", name = ""): string {
  return `${family} ${name}`;
}

function numberedLevels(style: XmlElement): ReadonlyMap<number, number> {
  const numbered = elementsOf(style, "text:list-level-style-number").filter(
    ({ attributes }) => (attributes["style:num-format"] ?? "") !== "",
  );
  return new Map(
    numbered.map(({ attributes }) => [
      Number(attributes["text:level"]),
      Number(attributes["text:start-value"] ?? "1") || 1,
    ]),
  );
}

function ownLook(style: XmlElement): Look {
  const { attributes = {} } = childOf(style, "style:text-properties") ?? {};
  const position = attributes["style:text-position"];
  const look: { -readonly [K in keyof Look]: Look[K] } = {};
  const { "fo:font-weight": weight, "fo:font-style": slant, "style:text-line-through-style": line } = attributes;
  if (weight !== undefined) look.bold = weight === "bold" || Number(weight) >= 600;
  if (slant !== undefined) look.italic = slant !== "normal";
  if (line !== undefined) look.strike = line !== "none";
  if (attributes["text:display"] !== undefined) look.hidden = attributes["text:display"] === "none";
  if (position !== undefined)
    look.raised = /^(?:super|[1-9])/.test(position) ? "sup" : /^(?:sub|-)/.test(position) ? "sub" : undefined;
  const font = attributes["style:font-name"] ?? attributes["fo:font-family"];
  if (font !== undefined) look.code = /courier|consolas|mono|menlo|monaco/i.test(font);
  return look;
}
