import { atPath, childOf, elementsOf, type XmlElement } from "../read-xml.ts";

/** Styles that a style may be based on, one on the other. Further ones have no effect. @bound */
const MAX_BASES = 20;

/** The look of a run of text. */
export interface Look {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  readonly hidden?: boolean;
  readonly raised?: "sup" | "sub" | undefined;
}

/** The numbering that a paragraph or its style names. */
export interface Numbering {
  readonly id?: string;
  readonly level?: number;
}

/** A style with the properties of the styles that it is based on. */
export interface Style extends Look {
  /** The level of a heading from 1 to 6. */
  readonly heading?: number;
  readonly numbering?: Numbering;
}

const MONOSPACED = /courier|consolas|mono|menlo|monaco|source code/i;

/** The value of an element such as `<w:b w:val="0"/>`, which is on without a value. */
function isOn(element: XmlElement | undefined): boolean | undefined {
  if (element === undefined) return undefined;
  return !/^(?:0|false|off|none)$/.test(element.attributes["w:val"] ?? "");
}

/** The value of an element such as `<w:start w:val="1"/>`. */
export function valueOf(element: XmlElement | undefined): string | undefined {
  return element?.attributes["w:val"];
}

/** The look that properties of a run state, without those that they do not mention. */
export function lookOf(properties: XmlElement | undefined): Look {
  if (properties === undefined) return {};
  const look: { -readonly [K in keyof Look]: Look[K] } = {};
  for (const child of elementsOf(properties)) {
    if (child.name === "w:b") look.bold = isOn(child) ?? true;
    else if (child.name === "w:i") look.italic = isOn(child) ?? true;
    else if (child.name === "w:strike" || child.name === "w:dstrike") look.strike = isOn(child) ?? true;
    else if (child.name === "w:vanish") look.hidden = isOn(child) ?? true;
    else if (child.name === "w:rFonts") look.code = MONOSPACED.test(child.attributes["w:ascii"] ?? "");
    else if (child.name === "w:vertAlign") {
      const value = valueOf(child);
      look.raised = value === "superscript" ? "sup" : value === "subscript" ? "sub" : undefined;
    }
  }
  return look;
}

/** The numbering in the properties of a paragraph. A style with only a level has the numbering of its base. */
export function numberingOf(properties: XmlElement | undefined): Numbering {
  const numbering = childOf(properties, "w:numPr");
  const level = valueOf(childOf(numbering, "w:ilvl"));
  const id = valueOf(childOf(numbering, "w:numId"));
  return { ...(id === undefined ? {} : { id }), ...(level === undefined ? {} : { level: Number(level) }) };
}

/** The level of a heading in `w:outlineLvl`, where 9 is body text. */
export function outlineOf(properties: XmlElement | undefined): number | undefined {
  const level = Number(valueOf(childOf(properties, "w:outlineLvl")) ?? "9");
  return level >= 0 && level < 9 ? Math.min(level + 1, 6) : undefined;
}

/** The styles of a document by their ids. */
export class Styles {
  readonly #elements = new Map<string, XmlElement>();
  readonly #styles = new Map<string, Style>();

  constructor(root: XmlElement | undefined) {
    for (const style of elementsOf(root, "w:style")) {
      const id = style.attributes["w:styleId"];
      if (id !== undefined) this.#elements.set(id, style);
    }
  }

  /** An unknown style is empty. */
  get(id: string | undefined, depth = 0): Style {
    const element = id === undefined ? undefined : this.#elements.get(id);
    if (id === undefined || element === undefined || depth > MAX_BASES) return {};
    return this.#styles.getOrInsertComputed(id, () => {
      const base = this.get(valueOf(childOf(element, "w:basedOn")), depth + 1);
      const properties = childOf(element, "w:pPr");
      const heading = headingOf(valueOf(childOf(element, "w:name")) ?? "") ?? outlineOf(properties) ?? base.heading;
      return {
        ...base,
        ...lookOf(childOf(element, "w:rPr")),
        ...(heading === undefined ? {} : { heading }),
        numbering: { ...base.numbering, ...numberingOf(properties) },
      };
    });
  }
}

/** Word writes the names of its own styles in English in every language. */
function headingOf(name: string): number | undefined {
  const level = /^heading (\d)$/i.exec(name)?.[1];
  if (level !== undefined) return Math.min(Math.max(Number(level), 1), 6);
  return /^title$/i.test(name) ? 1 : undefined;
}

export interface NumberingLevel {
  readonly format: string;
  readonly start: number;
  /** Such as `%1.%2`. */
  readonly text: string;
}

/** Levels of a numbering (ECMA-376-1 §17.9.6). */
const MAX_LEVELS = 9;

interface Counted {
  readonly isNumbered: boolean;
  readonly number: number;
  readonly label: string;
  /** Whether the bullet is a space: the paragraph continues an item. */
  readonly isBlank: boolean;
}

/** Counts the items of the numberings of a document. */
export class Numberings {
  readonly #levels = new Map<string, readonly (NumberingLevel | undefined)[]>();
  readonly #counters = new Map<string, number[]>();
  /** Numberings that share a definition also share their counters. */
  readonly #definitions = new Map<string, string>();

  constructor(root: XmlElement | undefined) {
    const definitions = new Map<string, readonly (NumberingLevel | undefined)[]>();
    for (const element of elementsOf(root, "w:abstractNum")) {
      definitions.set(element.attributes["w:abstractNumId"] ?? "", levelsOf(elementsOf(element, "w:lvl")));
    }
    for (const element of elementsOf(root, "w:num")) {
      const id = element.attributes["w:numId"] ?? "";
      const definition = valueOf(childOf(element, "w:abstractNumId")) ?? "";
      const overrides = elementsOf(element, "w:lvlOverride");
      const levels = [...(definitions.get(definition) ?? [])];
      for (const override of overrides) {
        const at = Number(override.attributes["w:ilvl"] ?? "0");
        if (!(at >= 0 && at < MAX_LEVELS)) continue;
        const own = levelsOf(elementsOf(override, "w:lvl"))[at] ?? levels[at];
        const start = valueOf(childOf(override, "w:startOverride"));
        if (own !== undefined) levels[at] = start === undefined ? own : { ...own, start: Number(start) };
      }
      this.#levels.set(id, levels);
      this.#definitions.set(id, overrides.length > 0 ? `own ${id}` : definition);
    }
  }

  /** Counts an item. Undefined if the numbering is not known or shows nothing. */
  next(id: string | undefined, level: number): Counted | undefined {
    const levels = id === undefined ? undefined : this.#levels.get(id);
    const own = levels?.[level];
    if (id === undefined || levels === undefined || own === undefined || own.format === "none") return undefined;
    const definition = this.#definitions.get(id) ?? id;
    const counters = this.#counters.getOrInsert(definition, []);
    const number = (counters[level] ?? own.start - 1) + 1;
    counters[level] = number;
    counters.length = level + 1;
    const label = own.text.replace(/%(\d)/g, (_all, digit: string) => {
      const at = Number(digit) - 1;
      return `${counters[at] ?? levels[at]?.start ?? 1}`;
    });
    const isNumbered = own.format !== "bullet";
    return { isNumbered, number, label, isBlank: !isNumbered && own.text !== "" && label.trim() === "" };
  }
}

function levelsOf(elements: readonly XmlElement[]): (NumberingLevel | undefined)[] {
  const levels: (NumberingLevel | undefined)[] = [];
  for (const element of elements) {
    const at = Number(element.attributes["w:ilvl"] ?? "0");
    if (!(at >= 0 && at < MAX_LEVELS)) continue;
    const start = Number(valueOf(childOf(element, "w:start")) ?? "1");
    levels[at] = {
      format:
        valueOf(childOf(element, "w:numFmt")) ??
        valueOf(atPath(element, "mc:AlternateContent", "mc:Fallback", "w:numFmt")) ??
        "decimal",
      start: Number.isSafeInteger(start) ? start : 1,
      text: valueOf(childOf(element, "w:lvlText")) ?? "",
    };
  }
  return levels;
}
