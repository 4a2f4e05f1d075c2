import { type ChildNode, type Element, type ParentNode, isTag, isText } from "domhandler";
import { headingLevel, isBlock } from "../tree/display.ts";
import { mediaLabel } from "../tree/players.ts";
import { codeOf, fenced } from "./code.ts";
import { isList, writeDefinitions, writeItems, writeList } from "./lists.ts";
import { type Link, Marks } from "./marks.ts";
import { isDisplayed, texOfMath, texOfScript } from "./math.ts";
import { fold, imageMarkdown, optionsText } from "./media.ts";
import { Output } from "./output.ts";
import { CELL, HEADING, PARAGRAPH, Run, type RunStyle } from "./run.ts";
import { HAS_BLOCK, HAS_HEADING, survey } from "./survey.ts";
import { writeTable } from "./table.ts";
import { type Walker } from "./walker.ts";

/** Maximum number of cells that a page's tables may add for spans and short rows. */
const MAX_SPARE_CELLS = 100_000;

/** The marks of text in these elements. */
const MARKS = new Map<string, "strong" | "em" | "del" | "code" | "sup" | "sub">([
  ["b", "strong"],
  ["strong", "strong"],
  ["i", "em"],
  ["em", "em"],
  ["var", "em"],
  ["del", "del"],
  ["s", "del"],
  ["strike", "del"],
  ["code", "code"],
  ["kbd", "code"],
  ["samp", "code"],
  ["tt", "code"],
  ["sup", "sup"],
  ["sub", "sub"],
]);

const CODE_BLOCKS = new Set(["pre", "listing", "xmp", "plaintext"]);

/** GitHub-flavoured Markdown of a tree that prune.ts prepared, or of a part of it. */
export function markdownOf(root: ParentNode): string {
  return new Writer(survey(root)).write(root);
}

class Writer implements Walker {
  readonly output = new Output();
  readonly facts: ReadonlyMap<Element, number>;
  readonly spareCells = { left: MAX_SPARE_CELLS };
  readonly #run = new Run();
  #style: RunStyle = PARAGRAPH;
  /** The link around the next heading, which the heading receives. */
  #headingLink: Link | undefined;
  /** Number of texts, pictures and formulas that were written. */
  #written = 0;

  constructor(facts: ReadonlyMap<Element, number>) {
    this.facts = facts;
  }

  write(root: ParentNode): string {
    this.children(root, Marks.NONE);
    this.flush();
    return this.output.toString();
  }

  children(node: ParentNode, marks: Marks): void {
    const items: ChildNode[] = [];
    for (const child of node.children) {
      if (this.#style === PARAGRAPH && (isItem(child) || (items.length > 0 && isBlank(child)))) {
        items.push(child);
        continue;
      }
      if (items.length > 0) this.#items(items.splice(0), marks);
      this.child(child, marks);
    }
    if (items.length > 0) this.#items(items, marks);
  }

  child(node: ChildNode, marks: Marks): void {
    if (isText(node)) this.#text(node.data, marks);
    else if (isTag(node)) this.#element(node, marks);
  }

  flush(): void {
    const text = this.#run.take(PARAGRAPH);
    if (text !== "") this.output.block("paragraph", text);
  }

  inline(element: Element, marks: Marks, style: RunStyle): string {
    const outer = this.#style;
    this.#style = style;
    this.children(element, marks);
    const text = this.#run.take(style);
    this.#style = outer;
    return text;
  }

  #text(data: string, marks: Marks): void {
    if (this.#run.text(data, marks)) this.#written += 1;
  }

  #raw(markdown: string, marks: Marks): void {
    this.#run.raw(markdown, marks);
    this.#written += 1;
  }

  /** Items outside of a list form a list. */
  #items(items: readonly ChildNode[], marks: Marks): void {
    this.flush();
    writeItems(this, items, marks);
  }

  #element(element: Element, outer: Marks): void {
    const marks = this.#marksOf(element, outer);
    if (!isBlock(element)) return this.#inlineElement(element, marks);
    if (this.#style !== PARAGRAPH) return this.#flatBlock(element, marks);
    this.flush();
    this.#block(element, marks);
    this.flush();
  }

  #marksOf(element: Element, marks: Marks): Marks {
    const kind = MARKS.get(element.name);
    if (kind === undefined || (kind === "strong" && this.#style.isBold)) return marks;
    // The number of a footnote is already a link.
    if (kind === "sup" && element.children.some((child) => isTag(child) && child.name === "a")) return marks;
    return marks.with(kind);
  }

  #block(element: Element, marks: Marks): void {
    const { name } = element;
    const level = headingLevel(element);
    if (level !== undefined) return this.#heading(element, level, marks);
    if (isList(name)) return writeList(this, element, marks);
    if (CODE_BLOCKS.has(name)) return this.#code(element);
    switch (name) {
      case "hr":
        return this.output.block("other", this.output.isNested ? "***" : "---");
      case "blockquote":
        this.output.openQuote();
        this.children(element, marks);
        this.flush();
        return this.output.close();
      case "dl":
        return writeDefinitions(this, element, marks);
      case "table":
        return writeTable(this, element, marks);
      case "summary":
      case "dt":
        return this.#term(element, marks);
      default:
        return this.#inlineElement(element, marks);
    }
  }

  #heading(element: Element, level: number, marks: Marks): void {
    const link = this.#headingLink;
    this.#headingLink = undefined;
    const text = this.inline(element, (link === undefined ? marks : marks.withLink(link)).without("strong"), HEADING);
    if (text === "") {
      this.#headingLink = link;
      return;
    }
    // Number signs at the end of a heading would be read as its closing sequence (CommonMark 0.31 §4.2).
    this.output.block("other", `${"#".repeat(level)} ${text.replace(/(^| )(#+)$/, "$1\\$2")}`);
  }

  /** A summary, or a term outside of a list. */
  #term(element: Element, marks: Marks): void {
    if (((this.facts.get(element) ?? 0) & HAS_HEADING) !== 0) return this.children(element, marks);
    const text = this.inline(element, marks.with("strong"), HEADING);
    if (text !== "") this.output.block("paragraph", text);
  }

  #code(element: Element): void {
    const { text, language } = codeOf(element);
    if (text.trim() === "") return;
    this.#written += 1;
    this.output.block("code", fenced(text, language));
  }

  /** A block in a heading or a cell, which can contain no blocks. */
  #flatBlock(element: Element, marks: Marks): void {
    const { name } = element;
    const isCell = name === "td" || name === "th";
    const end = () => (isCell || this.#style.lineBreak !== CELL.lineBreak ? this.#run.space() : this.#run.lineBreak());
    end();
    if (name === "li" && this.#style.lineBreak === CELL.lineBreak) {
      this.#run.raw("•", Marks.NONE);
      this.#run.space();
    }
    if (CODE_BLOCKS.has(name)) this.#flatCode(element, marks.with("code"));
    else this.#inlineElement(element, marks);
    end();
  }

  #flatCode(element: Element, marks: Marks): void {
    for (const line of codeOf(element).text.split("\n")) {
      this.#text(line, marks);
      this.#lineBreak();
    }
  }

  #inlineElement(element: Element, marks: Marks): void {
    switch (element.name) {
      case "br":
        return this.#lineBreak();
      case "a":
        return this.#link(element, marks);
      case "img":
        return this.#image(element, marks);
      case "frame":
      case "audio":
      case "video":
        return this.#media(element, marks);
      case "math":
        return this.#math(texOfMath(element), isDisplayed(element), marks);
      case "script":
        return this.#math(texOfScript(element), isDisplayed(element), marks);
      case "input":
        return this.#input(element, marks);
      case "select":
        return this.#apart(() => this.#text(optionsText(element), marks));
      case "button":
        return this.#apart(() => this.children(element, marks));
      case "math-renderer":
        return this.#math(texOfScript(element).replace(/^(?:\\?\$)+|(?:\\?\$)+$/g, ""), false, marks);
      case "q":
        return this.#enclosed(element, marks, ["“", "”"]);
      case "rt":
        return this.#enclosed(element, marks, ["(", ")"]);
      case "head":
        return;
      default:
        return this.children(element, marks);
    }
  }

  #lineBreak(): void {
    if (this.#style.lineBreak === " ") this.#run.space();
    // Old pages separate their paragraphs with two breaks.
    else if (this.#style === PARAGRAPH && this.#run.endsWithBreak) this.flush();
    else this.#run.lineBreak();
  }

  #link(element: Element, marks: Marks): void {
    const { href, title = "" } = element.attribs;
    if (href === undefined || marks.link !== undefined) return this.children(element, marks);
    const has = this.#style === PARAGRAPH ? (this.facts.get(element) ?? 0) : 0;
    const link: Link = { href, title: fold(title), holdsBlocks: (has & HAS_BLOCK) !== 0, spent: false };
    const before = this.#written;
    if ((has & HAS_HEADING) === 0) this.children(element, marks.withLink(link));
    else {
      this.#headingLink = link;
      this.children(element, marks);
      this.#headingLink = undefined;
    }
    if (this.#written > before) return;
    this.#text(element.attribs["aria-label"] ?? title, marks.withLink({ ...link, title: "" }));
  }

  #image(element: Element, marks: Marks): void {
    const { class: names = "", alt = "" } = element.attribs;
    if (isEmoji(names, alt)) return this.#text(alt, marks);
    this.#raw(imageMarkdown(element), marks);
  }

  #media(element: Element, marks: Marks): void {
    const href = element.attribs["src"];
    if (href === undefined || marks.link !== undefined) return;
    const label = mediaLabel(element) || href;
    this.#text(label, marks.withLink({ href, title: "", holdsBlocks: false, spent: false }));
    if (element.name === "frame") this.flush();
  }

  #math(tex: string, displayed: boolean, marks: Marks): void {
    if (tex === "") return;
    this.#written += 1;
    if (!displayed || this.#style !== PARAGRAPH) return this.#run.math(tex, marks);
    this.flush();
    this.output.block("other", `$$\n${tex}\n$$`);
  }

  /** The checkbox of a task. Other inputs are not content. */
  #input({ attribs }: Element, marks: Marks): void {
    if (attribs["type"]?.toLowerCase() !== "checkbox" || this.#run.size > 0 || !this.output.beginsItem) return;
    this.#run.raw(attribs["checked"] === undefined ? "[ ]" : "[x]", marks);
    this.#run.space();
  }

  /** Adds spaces around an element that browsers draw as a box, such as a button. */
  #apart(write: () => void): void {
    this.#run.space();
    write();
    this.#run.space();
  }

  #enclosed(element: Element, marks: Marks, [open, close]: readonly [string, string]): void {
    this.#text(open, marks);
    this.children(element, marks);
    this.#text(close, marks);
  }
}

/**
 * Whether a picture is written as its alternative text: its class says that it is an emoji, or the text is one emoji.
 */
function isEmoji(names: string, alt: string): boolean {
  if (alt.trim() === "") return false;
  if (EMOJI.test(alt.trim()) || /(?:^|\s)(?:emoji|wp-smiley|twemoji|emote)(?:\s|$)/.test(names)) return true;
  // Forums give such pictures a text such as ":D" or "Smile". As a word, it would look like a part of the sentence.
  return /(?:^|\s)smil(?:ie|ey)(?:\s|$)/.test(names) && !/^[\p{L}\s]+$/u.test(alt);
}

const EMOJI =
  /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator})[\p{Extended_Pictographic}\p{M}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d]{0,6}$/u;

function isItem(node: ChildNode): boolean {
  return isTag(node) && node.name === "li";
}

function isBlank(node: ChildNode): boolean {
  return isText(node) && node.data.trim() === "";
}
