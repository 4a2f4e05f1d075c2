import { InsertionMode, type Parser, Token, type TreeAdapterTypeMap } from "parse5";
import { TagReader } from "./tag-runs.ts";

/** The end of a text run in a page's body: a tag, a reference, or a character that the tokenizer handles specially. */
const END_OF_TEXT = /[<&\0\r]/g;
/** The same inside a script or a style. */
const END_OF_RAW_TEXT = /[<\0\r]/g;

const SPACE = 0x20;
const AMPERSAND = 0x26;
const LESS_THAN = 0x3c;
const MODES_OF_TEXT = new Set([InsertionMode.IN_BODY, InsertionMode.IN_CAPTION, InsertionMode.IN_CELL]);

/**
 * The tokenizer's private methods that are used: one for each state that reads text, with one character as its
 * argument.
 */
interface TextStates {
  readonly currentCharacterToken: Token.CharacterToken | null;
  _emitCurrentCharacterToken(next: null): void;
  _stateData(character: number): void;
  _stateRawtext(character: number): void;
  _stateScriptData(character: number): void;
}

/**
 * Makes a parser read the text up to the next tag in one step, and a tag or a comment in one step. Without this, the
 * parser makes a token of each word and each space, and calls a method for each character of a tag. That takes two
 * thirds of the time of all parsing (`npm run bench -- markdown`). In a body, a script or a style, one token for all
 * text has the same effect (WHATWG HTML §13.2.6.4.7, "in body"; §13.2.6.4.8, "text").
 */
export function readInRuns<T extends TreeAdapterTypeMap>(parser: Parser<T>): void {
  const { tokenizer } = parser;
  // The library's types hide the members that are needed here.
  const states = tokenizer as unknown as TextStates;
  const runs = new RunReader(parser, states);
  // The whole page is present from the beginning, so cutting off processed text saves nothing.
  tokenizer.preprocessor.bufferWaterline = Number.POSITIVE_INFINITY;
  // oxlint-disable no-underscore-dangle -- the library names them so
  const data = states._stateData.bind(states);
  states._stateData = (character) => {
    if (character === LESS_THAN) {
      if (runs.takeTag()) return;
    } else if (isWhite(character)) {
      if (runs.takeWhite()) return;
    } else if (character > SPACE && character !== AMPERSAND) {
      const inBody = MODES_OF_TEXT.has(parser.insertionMode) && !tokenizer.inForeignNode;
      if (inBody && runs.takeText(character, END_OF_TEXT)) return;
    }
    data(character);
  };
  const raw = (slow: (character: number) => void) => (character: number) => {
    const isText = character > SPACE && character !== LESS_THAN;
    if (isText && parser.insertionMode === InsertionMode.TEXT && runs.takeText(character, END_OF_RAW_TEXT)) return;
    slow(character);
  };
  states._stateRawtext = raw(states._stateRawtext.bind(states));
  states._stateScriptData = raw(states._stateScriptData.bind(states));
  // oxlint-enable no-underscore-dangle
}

/** Gives a parser whole runs of its input. */
class RunReader<T extends TreeAdapterTypeMap> {
  readonly #parser: Parser<T>;
  readonly #states: TextStates;
  readonly #reader = new TagReader();

  constructor(parser: Parser<T>, states: TextStates) {
    this.#parser = parser;
    this.#states = states;
  }

  /** Emits the text from the current character to `end` and moves there. False if the run is one character or less. */
  takeText(character: number, end: RegExp): boolean {
    const { preprocessor } = this.#parser.tokenizer;
    const { html } = preprocessor;
    const start = preprocessor.pos - (character > 0xffff ? 1 : 0);
    end.lastIndex = start;
    const stop = end.exec(html)?.index ?? html.length;
    if (stop - start < 2) return false;
    this.#emitWaiting();
    this.#parser.onCharacter({ type: Token.TokenType.CHARACTER, chars: html.slice(start, stop), location: null });
    preprocessor.pos = stop - 1;
    return true;
  }

  /** Emits white space up to the next tag as one token, as the library would. False if other text follows. */
  takeWhite(): boolean {
    // Checked first: the library reads white space before text character by character, and comes here for each.
    if (this.#states.currentCharacterToken !== null) return false;
    const { preprocessor } = this.#parser.tokenizer;
    const { html, pos } = preprocessor;
    let stop = pos;
    while (isWhite(html.charCodeAt(stop))) stop += 1;
    if (html.charCodeAt(stop) !== LESS_THAN) return false;
    const chars = html.slice(pos, stop);
    preprocessor.pos = stop - 1;
    this.#parser.onWhitespaceCharacter({ type: Token.TokenType.WHITESPACE_CHARACTER, chars, location: null });
    return true;
  }

  /** Emits a tag or a comment. False if the library must read it. */
  takeTag(): boolean {
    const parser = this.#parser;
    const { tokenizer } = parser;
    const { html, pos } = tokenizer.preprocessor;
    const tag = this.#reader.tag(html, pos);
    const comment = tag === undefined ? this.#reader.comment(html, pos) : undefined;
    if (tag === undefined && comment === undefined) return false;
    this.#emitWaiting();
    tokenizer.preprocessor.pos = this.#reader.end;
    if (comment !== undefined) parser.onComment(comment);
    else if (tag?.type === Token.TokenType.START_TAG) {
      tokenizer.lastStartTagName = tag.tagName;
      parser.onStartTag(tag);
    } else if (tag !== undefined) parser.onEndTag(tag);
    return true;
  }

  #emitWaiting(): void {
    // oxlint-disable-next-line no-underscore-dangle -- the library names it so
    if (this.#states.currentCharacterToken !== null) this.#states._emitCurrentCharacterToken(null);
  }
}

function isWhite(code: number): boolean {
  return code === SPACE || code === 0x0a || code === 0x09 || code === 0x0c;
}
