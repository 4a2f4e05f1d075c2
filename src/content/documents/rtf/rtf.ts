import { type ChildNode } from "domhandler";
import { FileError } from "../kinds/file-error.ts";
import { type DocumentContent } from "../kinds/content.ts";
import { element, treeContent, fieldLink } from "../kinds/tree-content.ts";
import { Budget } from "../office/budget.ts";
import { type Look } from "../office/word/styles.ts";
import { encodingOf, pageOfCharacterSet } from "./code-pages.ts";
import { CHARACTERS, DESTINATIONS, type Group, SKIPPED } from "./group.ts";
import { type ParagraphState, TextFlow } from "./paragraphs.ts";
import { type Token, tokensOf } from "./tokens.ts";

/** Groups of RTF in each other. A file with more is rejected. */
const MAX_GROUPS = 500;
/** Characters of a name, an instruction of a field or a label. Further ones are dropped. @bound */
const MAX_NAME = 10_000;
/** Fonts and styles that are known. Further ones are read as the default ones. @bound */
const MAX_NAMED = 10_000;

/** Reads Rich Text Format, version 1.9. Throws a FileError if it is nested too deep. */
export function rtfContent(bytes: Uint8Array): DocumentContent {
  return new RtfReader().read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1"));
}

const PLAIN: ParagraphState = { isInTable: false, heading: undefined, level: 0, list: undefined, label: "" };

class RtfReader {
  readonly #budget = new Budget();
  readonly #groups: Group[] = [
    {
      destination: "text",
      look: {},
      font: 0,
      fallback: 1,
      isDeleted: false,
      isNote: false,
      isField: false,
      isNew: false,
      isOptional: false,
    },
  ];
  /** The text, and a note in it while that is read. */
  readonly #flows = [new TextFlow(this.#budget)];
  readonly #notes: ChildNode[][] = [];
  readonly #fonts = new Map<number, number>();
  readonly #headings = new Map<number, number>();
  #state: ParagraphState = { ...PLAIN };
  /** The states of the text around a note. */
  readonly #outer: ParagraphState[] = [];
  #page = 1252;
  /** Bytes of text that are not decoded yet. */
  #pending = "";
  #skip = 0;
  #instruction = "";
  #name = "";
  #style = 0;
  #font = 0;
  #title = "";
  #author = "";
  #href: string | undefined;

  read(source: string): DocumentContent {
    for (const token of tokensOf(source)) {
      if (this.#budget.isSpent) break;
      this.#token(token);
    }
    this.#flush();
    const blocks = this.#flows[0]?.take(this.#state) ?? [];
    const notes = this.#notes.map((note) => element("li", note));
    const author = this.#author.trim();
    return treeContent({
      title: this.#title.trim(),
      ...(author === "" ? {} : { about: { byline: author } }),
      isPartial: this.#budget.isSpent,
      blocks: [...blocks, ...(notes.length === 0 ? [] : [element("hr", []), element("ol", notes)])],
    });
  }

  get #group(): Group {
    const group = this.#groups.at(-1);
    if (group === undefined) throw new Error("Cannot read RTF: the outermost group is closed");
    return group;
  }

  get #flow(): TextFlow {
    const flow = this.#flows.at(-1);
    if (flow === undefined) throw new Error("Cannot read RTF: the text has ended");
    return flow;
  }

  #token(token: Token): void {
    if (token.is === "text") return this.#bytes(token.text);
    if (token.is === "byte") return this.#bytes(token.byte);
    if (token.is === "word" && token.word === "u") return this.#unicode(token.number ?? 0);
    this.#flush();
    if (token.is === "symbol") return this.#symbol(token.symbol);
    if (token.is !== "word") return token.is === "open" ? this.#open() : this.#close();
    const { isNew } = this.#group;
    this.#group.isNew = false;
    this.#word(token.word, token.number, isNew);
  }

  #bytes(text: string): void {
    this.#group.isNew = false;
    const kept = text.slice(this.#skip);
    this.#skip = Math.max(0, this.#skip - text.length);
    this.#pending += kept;
  }

  #unicode(number: number): void {
    this.#flush();
    this.#text(String.fromCharCode(number & 0xffff));
    this.#skip = this.#group.fallback;
  }

  #flush(): void {
    if (this.#pending === "") return;
    const bytes = this.#pending;
    this.#pending = "";
    const page = this.#fonts.get(this.#group.font) ?? this.#page;
    // Most text is ASCII.
    const isPlain = /^[\x20-\x7e]*$/.test(bytes);
    // The name comes from this folder.
    const encoding = encodingOf(page) as Bun.Encoding;
    this.#text(isPlain ? bytes : new TextDecoder(encoding).decode(Buffer.from(bytes, "latin1")));
  }

  #text(text: string): void {
    const { destination, look, isDeleted } = this.#group;
    const add = (before: string): string => (before.length > MAX_NAME ? before : before + text);
    if (destination === "instruction") this.#instruction = add(this.#instruction);
    else if (destination === "styles") this.#name = add(this.#name);
    else if (destination === "label") this.#state.label = add(this.#state.label);
    else if (destination === "title") this.#title = add(this.#title);
    else if (destination === "author") this.#author = add(this.#author);
    else if (destination === "text" && !isDeleted && look.hidden !== true) {
      this.#budget.spend(text.length);
      this.#flow.runs.text(text, look, this.#href);
    }
  }

  #open(): void {
    if (this.#groups.length > MAX_GROUPS) throw new FileError(`it has more than ${MAX_GROUPS} nested groups`);
    this.#skip = 0;
    this.#groups.push({ ...this.#group, isNote: false, isField: false, isNew: true, isOptional: false });
  }

  #close(): void {
    this.#skip = 0;
    if (this.#groups.length === 1) return;
    const { isNote, isField, destination } = this.#group;
    if (destination === "styles") this.#endStyle();
    this.#groups.pop();
    if (isField) this.#href = undefined;
    if (isNote) this.#endNote();
  }

  #endStyle(): void {
    const level = /^\s*heading (\d)/i.exec(this.#name)?.[1];
    const heading =
      level === undefined ? (/^\s*title;/i.test(this.#name) ? 1 : undefined) : Math.max(1, Math.min(6, Number(level)));
    if (heading !== undefined && this.#headings.size < MAX_NAMED) this.#headings.set(this.#style, heading);
    this.#name = "";
    this.#style = 0;
  }

  #endNote(): void {
    const note = this.#flows.length > 1 ? this.#flows.pop() : undefined;
    if (note === undefined) return;
    const blocks = note.take(this.#state);
    this.#state = this.#outer.pop() ?? { ...PLAIN };
    const number = this.#notes.push(blocks);
    this.#flow.runs.add(element("sup", [element("a", [`[${number}]`], { href: `#note-${number}` })]), {});
  }

  #symbol(symbol: string): void {
    const group = this.#group;
    if (symbol === "*") {
      if (group.isNew) group.isOptional = true;
      return;
    }
    group.isNew = false;
    if (symbol === "~") this.#text(" ");
    else if (symbol === "_") this.#text("‑");
    else if (/[\\{}]/.test(symbol)) this.#bytes(symbol);
    else if (/[\r\n]/.test(symbol)) this.#word("par", undefined, false);
  }

  #word(word: string, number: number | undefined, isNew: boolean): void {
    const group = this.#group;
    if (isNew && this.#destination(word, group)) return;
    const text = CHARACTERS[word];
    if (text !== undefined && word !== "cell") return this.#text(text);
    if (group.destination === "fonts") return this.#fontWord(word, number ?? 0);
    if (group.destination === "styles") {
      if (word === "s") this.#style = number ?? 0;
      return;
    }
    if (group.destination !== "text") return;
    this.#characterWord(word, number, group);
    this.#paragraphWord(word, number);
  }

  /** Whether a control word at the beginning of a group says where its text goes. */
  #destination(word: string, group: Group): boolean {
    const destination = Object.hasOwn(DESTINATIONS, word) ? DESTINATIONS[word] : undefined;
    const isSkipped = group.destination === "skipped";
    if (isSkipped && !/^(?:title|author|shptxt)$/.test(word)) return true;
    if (destination !== undefined) {
      group.destination = destination;
      if (destination === "instruction") this.#instruction = "";
      return true;
    }
    if (word === "footnote") this.#beginNote(group);
    else if (word === "field") group.isField = true;
    else if (word === "fldrslt") this.#href = fieldLink(this.#instruction);
    else if (word === "shptxt" || word === "result") group.destination = "text";
    else if (
      SKIPPED.has(word) ||
      (group.isOptional && !/^(?:shppict|pn|pnseclvl)$/.test(word) && group.destination === "text")
    )
      group.destination = "skipped";
    else return false;
    return true;
  }

  #beginNote(group: Group): void {
    group.isNote = true;
    group.destination = "text";
    group.look = {};
    this.#flows.push(new TextFlow(this.#budget));
    this.#outer.push(this.#state);
    this.#state = { ...PLAIN };
  }

  #fontWord(word: string, number: number): void {
    if (word === "f") this.#font = number;
    const page = word === "fcharset" ? pageOfCharacterSet(number) : word === "cpg" ? number : undefined;
    if (page !== undefined && this.#fonts.size < MAX_NAMED) this.#fonts.set(this.#font, page);
  }

  #characterWord(word: string, number: number | undefined, group: Group): void {
    const isOn = number !== 0;
    const look = (change: Look): void => {
      group.look = { ...group.look, ...change };
    };
    switch (word) {
      case "b":
        return look({ bold: isOn });
      case "i":
        return look({ italic: isOn });
      case "strike":
      case "striked":
        return look({ strike: isOn });
      case "v":
        return look({ hidden: isOn });
      case "super":
        return look({ raised: isOn ? "sup" : undefined });
      case "sub":
        return look({ raised: isOn ? "sub" : undefined });
      case "nosupersub":
        return look({ raised: undefined });
      case "plain":
        group.look = {};
        return;
      case "deleted":
        group.isDeleted = isOn;
        return;
      case "f":
        group.font = number ?? 0;
        return;
      case "uc":
        group.fallback = Math.min(Math.max(number ?? 1, 0), 100);
        return;
      case "ansicpg":
        this.#page = number ?? 1252;
        return;
      case "mac":
        this.#page = 10000;
        return;
      default:
    }
  }

  #paragraphWord(word: string, number: number | undefined): void {
    const state = this.#state;
    switch (word) {
      case "par":
      case "sect":
      case "page":
        return this.#flow.endParagraph(state);
      case "line":
        return this.#flow.runs.add(element("br", []), {}, this.#href);
      case "pard":
        this.#state = { ...PLAIN, label: state.label };
        return;
      case "intbl":
        state.isInTable = true;
        return;
      case "cell":
      case "nestcell":
        return this.#flow.endCell(state);
      case "row":
      case "nestrow":
        return this.#flow.endRow();
      case "outlinelevel":
        state.heading = number !== undefined && number >= 0 && number < 9 ? Math.min(number + 1, 6) : undefined;
        return;
      case "s":
        state.heading = this.#headings.get(number ?? 0) ?? state.heading;
        return;
      case "ilvl":
        state.level = Math.min(Math.max(number ?? 0, 0), 8);
        return;
      case "ls":
        state.list = number;
        return;
      default:
    }
  }
}
