import { InsertionMode, type Parser, Token, type TreeAdapterTypeMap } from "parse5";

/** What ends a run of text in a page's body: a tag, a reference, and what the tokenizer reads as something else. */
const END_OF_TEXT = /[<&\0\r]/g;
/** The same within a script or a style. */
const END_OF_RAW_TEXT = /[<\0\r]/g;

const SPACE = 0x20;
const AMPERSAND = 0x26;
const LESS_THAN = 0x3c;
const MODES_OF_TEXT = new Set([InsertionMode.IN_BODY, InsertionMode.IN_CAPTION, InsertionMode.IN_CELL]);

/** What is the tokenizer's own by its types: a method for each state that reads text, which takes one character. */
interface TextStates {
  readonly currentCharacterToken: Token.CharacterToken | null;
  _emitCurrentCharacterToken(next: null): void;
  _stateData(character: number): void;
  _stateRawtext(character: number): void;
  _stateScriptData(character: number): void;
}

/**
 * Has a parser read text up to the next tag in one step. By itself it makes a token of each word and each space, which
 * takes half of the time of all parsing (`npm run bench -- markdown`); where it is in a body, a script or a style, one token
 * for all of them comes to the same (WHATWG HTML §13.2.6.4.7, "in body"; §13.2.6.4.8, "text").
 */
export function readTextInRuns<T extends TreeAdapterTypeMap>(parser: Parser<T>): void {
  const { tokenizer } = parser;
  const { preprocessor } = tokenizer;
  // Its types hide what is needed here.
  const states = tokenizer as unknown as TextStates;

  /** Hands on the text from the present character to `end`, and goes there; false where that is no more than a character. */
  const takeRun = (character: number, end: RegExp): boolean => {
    const { html } = preprocessor;
    const start = preprocessor.pos - (character > 0xffff ? 1 : 0);
    end.lastIndex = start;
    const stop = end.exec(html)?.index ?? html.length;
    if (stop - start < 2) return false;
    // oxlint-disable-next-line no-underscore-dangle -- the library names it so
    if (states.currentCharacterToken !== null) states._emitCurrentCharacterToken(null);
    parser.onCharacter({ type: Token.TokenType.CHARACTER, chars: html.slice(start, stop), location: null });
    preprocessor.pos = stop - 1;
    return true;
  };

  // oxlint-disable no-underscore-dangle -- the library names them so
  const data = states._stateData.bind(states);
  states._stateData = (character) => {
    const isText = character > SPACE && character !== LESS_THAN && character !== AMPERSAND;
    const inBody = MODES_OF_TEXT.has(parser.insertionMode) && !tokenizer.inForeignNode;
    if (isText && inBody && takeRun(character, END_OF_TEXT)) return;
    data(character);
  };
  const raw = (slow: (character: number) => void) => (character: number) => {
    const isText = character > SPACE && character !== LESS_THAN;
    if (isText && parser.insertionMode === InsertionMode.TEXT && takeRun(character, END_OF_RAW_TEXT)) return;
    slow(character);
  };
  states._stateRawtext = raw(states._stateRawtext.bind(states));
  states._stateScriptData = raw(states._stateScriptData.bind(states));
  // oxlint-enable no-underscore-dangle
}
