import { type Document, type Element, type Text, isTag, isText } from "domhandler";
import { isBlock } from "../tree/display.ts";
import { holdsHeading } from "../tree/holds-heading.ts";
import { foldWhiteSpace } from "../tree/white-space.ts";
import { walkNodes } from "../tree/walk.ts";
import { DocumentElements } from "../selectors/select-all.ts";
import { type Sight } from "../../page/page.ts";
import { baseOf } from "../tree/addresses.ts";
import { coveredIn } from "./covers.ts";
import { type Declarations, OWN_TEXT } from "./hiding-styles.ts";
import { isSheetLink, sheetsOf } from "./page-sheets.ts";
import { measuredStyle, StyleRules } from "./style-rules.ts";
import { type Around, MEASURED, PLAIN, shownInside, UNKNOWN } from "./visibility.ts";

/** Characters of a text that is read as a value. */
const MAX_TEXT = 5_000;
/** Characters of the page's text in which declared values are searched. */
const MAX_PAGE_TEXT = 500_000;
/** Characters of the text that a language model may see. */
const MAX_MODEL_TEXT = 60_000;
/** Levels of elements in a selector. */
const MAX_STEPS = 600;

/** Parts of a page that are not about its main thing. */
const MINOR_NAMES = new Set(["nav", "footer", "aside"]);
const MINOR =
  /(?:^|[\s_-])(?:related|recommend\w*|similar|upsell|crosssell|cross-sell|sidebar|also-\w+|you-may|more-from|comments?|reviews?|breadcrumbs?|newsletter|footer|carousel|sponsored)(?:$|[\s_-])/i;
/** Advertisements, by the end of their names: of a site with classified advertisements, `ad-price` is content. */
const ADVERTISEMENT =
  /(?:^|[\s_-])(?:ads?|advert\w*)(?:$|[\s_-](?:slot|unit|banner|box|block|container|wrapper|label|zone|\d)|\s)/i;
/** Old prices, and texts that are struck out. */
const STRUCK =
  /(?:^|\s)(?:old|was|before)(?:$|\s)|(?:old|was|before|list|regular|previous|original|compare(?:[-_]at)?)[-_]?price|price[-_]{0,2}(?:old|was|before|list|regular|previous|original|compare)|strike|crossed|(?:^|[\s_-])(?:rrp|msrp|uvp)(?:$|[\s_-])/i;

interface Seen {
  /** Its place among all shown elements, in the document's order, and that of its last descendant. */
  readonly order: number;
  last: number;
  readonly isMinor: boolean;
  readonly isStruck: boolean;
  /** Characters of visible text. */
  length: number;
}

/** The facts of a page beside its elements. */
export interface PageAbout {
  readonly url: string;
  /** The language tag; empty if it is not known. */
  readonly locale: string;
  readonly sight: Sight | undefined;
}

type StyleOf = (element: Element) => Declarations;

/** A page as its reader sees it: what is hidden has no text. Decision 0932. */
export class ShownPage {
  readonly tree: Document;
  /** The address against which those of the page are resolved. */
  readonly base: string;
  /** The language tag; empty if it is not known. */
  readonly locale: string;
  /** The shown elements, in the document's order. */
  readonly elements: readonly Element[];
  /** Whether all style rules were read. Otherwise a reader may not see an element that seems shown. */
  isCertain = true;
  /** The addresses of style sheets that were not loaded. */
  unread: readonly string[] = [];
  readonly #seen = new Map<Element, Seen>();
  readonly #texts = new Map<Element | Text, string>();
  readonly #ids = new Map<string, number>();
  /** The selectors of elements among their siblings. */
  readonly #steps = new Map<Element, string>();
  #major: readonly Element[] | undefined;
  #words: string | undefined;

  constructor(tree: Document, { url, locale, sight }: PageAbout) {
    this.tree = tree;
    this.base = baseOf(tree, url);
    this.locale = locale;
    const { styleOf, around } = this.#styles(url, sight);
    this.elements = this.#walk(styleOf, around);
  }

  isShown(element: Element): boolean {
    return this.#seen.has(element);
  }

  /** Whether the element is in a part that is not about the main thing of the page. */
  isMinor(element: Element): boolean {
    return this.#seen.get(element)?.isMinor ?? true;
  }

  /** The shown elements outside of such parts. */
  get major(): readonly Element[] {
    this.#major ??= this.elements.filter((one) => !this.isMinor(one));
    return this.#major;
  }

  isStruck(element: Element): boolean {
    return this.#seen.get(element)?.isStruck ?? false;
  }

  orderOf(element: Element): number {
    return this.#seen.get(element)?.order ?? -1;
  }

  /** The shown elements inside of one, without itself. */
  within(element: Element): readonly Element[] {
    const seen = this.#seen.get(element);
    return seen === undefined ? [] : this.elements.slice(seen.order + 1, seen.last + 1);
  }

  /** Whether the first element is the second one or around it. Both are shown. */
  contains(outer: Element, inner: Element): boolean {
    const [around, own] = [this.#seen.get(outer), this.#seen.get(inner)];
    return around !== undefined && own !== undefined && around.order <= own.order && own.order <= around.last;
  }

  /** Of shown elements in the order of the document, those without one of the others inside. */
  innermost(elements: readonly Element[]): readonly Element[] {
    return elements.filter((one, at) => {
      const next = elements[at + 1];
      return next === undefined || !this.contains(one, next);
    });
  }

  /** The number of characters that an element or a text shows. */
  lengthOf(node: Element | Text): number {
    return isText(node) ? node.data.trim().length : (this.#seen.get(node)?.length ?? 0);
  }

  /** The visible text, with a space between blocks. A longer text is cut. */
  text(node: Element | Text): string {
    if (this.lengthOf(node) === 0) return "";
    return this.#texts.getOrInsertComputed(node, () => this.#read(node, MAX_TEXT).replaceAll("\n", " "));
  }

  lines(element: Element): readonly string[] {
    return this.#read(element, MAX_TEXT).split("\n");
  }

  /** The visible text by lines. A longer text is cut. */
  visibleText(): string {
    return this.#read(this.tree, MAX_MODEL_TEXT);
  }

  /** Whether a reader sees the words of a text somewhere in the page. */
  shows(text: string): boolean {
    const wanted = wordsOf(text);
    this.#words ??= ` ${wordsOf(this.#read(this.tree, MAX_PAGE_TEXT))} `;
    return wanted !== "" && this.#words.includes(` ${wanted} `);
  }

  selectorOf(element: Element): string {
    const steps: string[] = [];
    let at: Element | undefined = element;
    for (let level = 0; at !== undefined && level < MAX_STEPS; level += 1) {
      const id: string | undefined = at.attribs["id"];
      if (id !== undefined && /^[A-Za-z][\w-]*$/.test(id) && this.#ids.get(id) === 1) {
        steps.push(`#${id}`);
        break;
      }
      steps.push(this.#stepOf(at));
      at = at.parent !== null && isTag(at.parent) ? at.parent : undefined;
    }
    return steps.toReversed().join(" > ");
  }

  /** The element among its siblings. They are numbered once for each parent. */
  #stepOf(element: Element): string {
    const { name, parent } = element;
    if (!this.#steps.has(element) && parent !== null) {
      for (const [own, same] of Map.groupBy(parent.children.filter(isTag), (child) => child.name)) {
        for (const [at, child] of same.entries())
          this.#steps.set(child, same.length === 1 ? own : `${own}:nth-of-type(${at + 1})`);
      }
    }
    return this.#steps.get(element) ?? name;
  }

  /** The styles of the elements, and what is around the whole page. */
  #styles(url: string, sight: Sight = {}): { readonly styleOf: StyleOf; readonly around: Around } {
    const { mark, sheets: loaded = [] } = sight;
    if (mark !== undefined) return { styleOf: this.#measured(mark), around: MEASURED };
    const elements: Element[] = [];
    const attributes: string[] = [];
    walkNodes(this.tree, {
      enter(node) {
        if (!isTag(node)) return true;
        const { style = "" } = node.attribs;
        if (style.includes("--")) attributes.push(style);
        if (node.name === "style" || isSheetLink(node)) elements.push(node);
        return true;
      },
    });
    const { sheets, unread } = sheetsOf({ elements, url, base: this.base, loaded });
    const rules = new StyleRules(new DocumentElements(this.tree), attributes, sheets);
    this.isCertain = rules.isComplete && unread.length === 0;
    this.unread = unread;
    return { styleOf: (element) => rules.of(element), around: unread.length === 0 ? PLAIN : UNKNOWN };
  }

  /** The styles by the marks of a browser. Removes the texts of elements of which only inner elements are seen. */
  #measured(mark: string): StyleOf {
    const styleOf = (element: Element): Declarations => measuredStyle(element.attribs[mark]);
    walkNodes(this.tree, {
      enter(node) {
        if (!isTag(node) || !styleOf(node).has(OWN_TEXT)) return true;
        for (const child of node.children) if (isText(child)) child.data = "";
        return true;
      },
    });
    return styleOf;
  }

  #walk(styleOf: StyleOf, around: Around): Element[] {
    const shown: Element[] = [];
    const inside: Around[] = [around];
    const open: Seen[] = [];
    const covered = new Set<Element>();
    walkNodes(this.tree, {
      enter: (node) => {
        if (isText(node)) {
          const above = open.at(-1);
          if (above !== undefined) above.length += node.data.trim().length;
          return false;
        }
        if (!isTag(node)) return true;
        const id = node.attribs["id"];
        if (id !== undefined) this.#ids.set(id, (this.#ids.get(id) ?? 0) + 1);
        for (const one of coveredIn(node, styleOf)) covered.add(one);
        if (node.name === "head" || covered.has(node)) return false;
        const within = shownInside(node, styleOf(node), inside.at(-1) ?? UNKNOWN);
        if (within === undefined) return false;
        const above = open.at(-1);
        const seen = {
          order: shown.length,
          last: shown.length,
          isMinor: above?.isMinor === true || isMinor(node),
          isStruck: above?.isStruck === true || isStruck(node),
          length: 0,
        };
        shown.push(node);
        this.#seen.set(node, seen);
        open.push(seen);
        inside.push(within);
        return true;
      },
      leave: (node) => {
        const seen = this.#seen.get(node);
        if (seen === undefined) return;
        seen.last = shown.length - 1;
        open.pop();
        const above = open.at(-1);
        if (above !== undefined) above.length += seen.length;
        inside.pop();
      },
    });
    return shown;
  }

  #read(root: Element | Text | Document, most: number): string {
    let text = "";
    walkNodes(root, {
      enter: (node) => {
        if (text.length > most) return "stop";
        if (isText(node)) text += readable(node.data);
        if (!isTag(node)) return true;
        if (!this.#seen.has(node)) return false;
        text += apart(node);
        return true;
      },
      leave: (node) => {
        if (this.#seen.has(node)) text += apart(node);
      },
    });
    return text
      .split(LINE_END)
      .map((line) => foldWhiteSpace(line).replace(/ {2,}/g, " ").trim())
      .filter((line) => line !== "")
      .join("\n")
      .slice(0, most);
  }
}

/** A text as it is seen: without characters that show nothing. One whose letters are turned around is not read. */
function readable(text: string): string {
  return TURNED.test(text) ? "" : text.replace(UNSEEN, "");
}

/** Characters that turn the order of letters around, so that "12" is seen as "21". */
export const TURNED = /[\u202d\u202e]/u;
const UNSEEN = /[\u200b\u200e\u200f\u202a-\u202c\u2060-\u2069\ufeff\u{e0000}-\u{e0fff}]/gu;

/** A character that no text of a page has, since the parser replaces it. */
const LINE_END = "\0";

function apart(element: Element): string {
  const { name } = element;
  if (name === "td" || name === "th") return " ";
  return name === "br" || isBlock(element) ? LINE_END : "";
}

function isMinor(element: Element): boolean {
  const { name, attribs } = element;
  if (MINOR_NAMES.has(name) || attribs["role"] === "complementary" || attribs["role"] === "navigation") return true;
  if (name === "body" || name === "html" || name === "main" || name === "article") return false;
  const names = `${attribs["class"] ?? ""} ${attribs["id"] ?? ""}`.slice(0, 1_000);
  if (MINOR.test(names)) return !holdsHeading(element, /^h1$/);
  // A part with a heading is content, such as the years AD.
  return ADVERTISEMENT.test(names) && !holdsHeading(element);
}

function isStruck({ name, attribs }: Element): boolean {
  if (name === "del" || name === "s" || name === "strike") return true;
  if (/line-through/i.test(attribs["style"] ?? "")) return true;
  return STRUCK.test((attribs["class"] ?? "").slice(0, 1_000));
}

/** The words of a text, to compare it with another one. */
export function wordsOf(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
