import { ADVERB, type Token } from "./spans.ts";
import { type Grammar, GRAMMARS, isFunctionWord, type Reader } from "./grammar.ts";
import { WORDS } from "./vocabulary.ts";
import { isRomance } from "./words.ts";

/** An argument of the question's predicate: the stems of its words, and of the words that can stand for it. */
export interface Argument {
  readonly words: ReadonlySet<string>;
  /** The last word of its noun phrase; of both, if the argument joins two phrases. */
  readonly heads: ReadonlySet<string>;
  /** The nouns that describe it, by which a text can come back to it: "ferry" of "the ferry Aurora". */
  readonly kinds: ReadonlySet<string>;
  /** The name of its owner: "Aldine Bank" of "Aldine Bank's shareholders". */
  readonly owner?: readonly string[];
  /** The name behind "by": "Fenwick" of "the acquisition of Aldine by Fenwick". */
  readonly maker?: string | undefined;
  /** Whether a name stands behind its head and "of": "the son of Ivo Marsh". */
  readonly isOfName?: boolean;
  /** The outcomes that its heads name: of "the takeover of Sillo", that Sillo is acquired. */
  readonly outcomes?: ReadonlySet<string>;
}

/** The argument in a part of a question: its terms, its heads and the nouns that describe it. */
export function argumentOf(
  tokens: readonly Token[],
  terms: ReadonlySet<string>,
  { grammar, language }: Reader,
): Argument | undefined {
  const kept = tokens.filter((word) => terms.has(word.stem) && !ADVERB.test(word.text));
  const heads = new Set<string>();
  for (const [n, word] of tokens.entries()) {
    if (!terms.has(word.stem) || ADVERB.test(word.text)) continue;
    const next = tokens[n + 1];
    const before = tokens.slice(0, n).findLast((other) => !terms.has(other.stem) && !isModifier(other, grammar));
    const isInside = before !== undefined && grammar.preposition.has(before.text) && heads.size > 0;
    const isLast = next === undefined || !terms.has(next.stem) || grammar.and.has(next.text);
    const isOwner = next?.text === "s" && /['’]/u.test(next.gap);
    // "the result of the election was annulled": the election was.
    const isOfNext = heads.size === 0 && RESULT.test(word.text) && WORDS.of.has(next?.text);
    if (!isLast || isInside || isOwner || isOfNext) continue;
    // "le record national": a Romance noun stands before its adjectives. The last word of a name is its head.
    let head = n;
    while (
      isRomance(language) &&
      !word.capital &&
      terms.has(tokens[head - 1]?.stem ?? "") &&
      !WORDS.beforeNoun.has(tokens[head - 1]?.text)
    )
      head -= 1;
    heads.add(tokens[head]?.stem ?? word.stem);
  }
  // "Bank of Norvane governor Tarquin Hale": a title before a name.
  const isTitled = tokens.some(
    (word, n) => !word.capital && WORDS.title.has(word.text) && isNameTo(tokens.slice(n + 1)),
  );
  const last = tokens.at(-1);
  if (isTitled && last !== undefined) {
    heads.clear();
    heads.add(last.stem);
  }
  const kinds = tokens.filter(
    (word, n) =>
      !word.capital && !terms.has(word.stem) && !isFunctionWord(word.text, grammar) && tokens[n + 1]?.capital,
  );
  if (kept.length === 0) return undefined;
  const owner = ownersIn(tokens)[0]?.filter((stem) => terms.has(stem)) ?? [];
  return {
    owner,
    maker: makerIn(tokens, terms, grammar),
    isOfName: tokens.some(
      (word, n) =>
        heads.has(word.stem) &&
        !NAMED.test(word.text) &&
        !WORDS.standFor.has(word.text) &&
        WORDS.of.has(tokens[n + 1]?.text) &&
        tokens[n + 2]?.capital === true,
    ),
    words: new Set(kept.map((word) => word.stem)),
    heads,
    kinds: new Set(kinds.map(({ stem }) => stem)),
  };
}

/** The stem of the name behind "by". */
export function makerIn(tokens: readonly Token[], terms: ReadonlySet<string>, { by }: Grammar): string | undefined {
  // "der Landtag von Westmark"
  const isBy = (word: Token | undefined): boolean => by.has(word?.text) && !/^vo[nm]$/u.test(word?.text ?? "");
  return tokens.find((word, n) => word.capital && terms.has(word.stem) && isBy(tokens[n - 1]))?.stem;
}

/** The names before each mark of a possessive, as stems. */
export function ownersIn(tokens: readonly Token[]): string[][] {
  return tokens.flatMap(({ text, gap }, at) => {
    if (text !== "s" || !/['’]/u.test(gap)) return [];
    const start = tokens.slice(0, at).findLastIndex(({ capital }) => !capital) + 1;
    return [tokens.slice(start, at).map(({ stem }) => stem)];
  });
}

/** Nouns for which the name behind "of" can stand: "the city of South Tarn", "the sale of The Blue Ferry". */
const NAMED = /^(?:city|town|village|state|province|republic|kingdom|island|port|sale)$/u;
const RESULT = /^(?:results?|outcome|ergebnis\p{L}*|resultats?|resultados?|risultat[oi]|esito)$/u;

function isNameTo(tokens: readonly Token[]): boolean {
  return tokens[0] !== undefined && tokens.every(({ capital, text }) => capital && /^\p{L}/u.test(text));
}

function isModifier(word: Token, grammar: Grammar): boolean {
  return grammar.determiner.has(word.text) && !grammar.preposition.has(word.text);
}

/** Whether all words of an argument are in a part of a sentence. */
export function isWhole({ words }: Argument, zone: readonly Token[]): boolean {
  return [...words].every((word) => zone.some(({ stem }) => stem === word));
}

/** The first noun phrase: up to a preposition. Empty if a preposition is first. */
export function phraseFrom(tokens: readonly Token[], from: number, grammar: Grammar): readonly Token[] {
  const rest = tokens.slice(from);
  // "au public", "nel 2026" are adverbials; "al Madrid" is an object in Spanish.
  const end = rest.findIndex(
    (word, n) =>
      grammar.preposition.has(word.text) &&
      // "the by-election"
      rest[n + 1]?.gap !== "-" &&
      (!grammar.determiner.has(word.text) ||
        (n === 0 && WORDS.withArticle.has(word.text) && !(grammar === GRAMMARS.es && word.text === "al"))),
  );
  // "sign the Treaty of Oslo": the phrase goes on.
  if (end > 0 && WORDS.of.has(rest[end]?.text)) {
    const next = rest.findIndex((word, n) => n > end && grammar.preposition.has(word.text));
    return next === -1 ? rest : rest.slice(0, next);
  }
  return end === -1 ? rest : rest.slice(0, end);
}

/** The index at which the second noun phrase begins: an article that no preposition governs, or the preposition of a rival. */
export function secondPhrase(tokens: readonly Token[], grammar: Grammar): number {
  const found = tokens.findIndex(
    ({ text }, n) =>
      n > 0 &&
      ((RIVAL.test(text) && tokens[n - 1]?.capital === true) ||
        (grammar.determiner.has(text) &&
          !grammar.preposition.has(text) &&
          !grammar.preposition.has(tokens[n - 1]?.text) &&
          !grammar.determiner.has(tokens[n - 1]?.text))),
  );
  return found === -1 ? tokens.length : found;
}

/** The prepositions in "venció Velmoor a Ashcombe" and "ha vinto Velmoor contro Ashcombe". */
export const RIVAL = /^(?:al?|contr[ao])$/u;

/** In German, the subject of a question ends where the next article begins. */
export function nounPhraseEnd(tokens: readonly Token[], grammar: Grammar): number {
  const first = tokens.findIndex(
    (word) =>
      word.capital && !grammar.be.has(word.text) && !grammar.have.has(word.text) && !grammar.modal.has(word.text),
  );
  const next = tokens.findIndex(
    (word, n) =>
      n > first &&
      (grammar.determiner.has(word.text) || grammar.preposition.has(word.text)) &&
      !/^(?:der|des|von)$/u.test(word.text),
  );
  return next === -1 ? tokens.length : next;
}

/** The index of the first article or preposition behind `from`. */
export function firstBreak(tokens: readonly Token[], from: number, grammar: Grammar): number {
  const found = tokens.findIndex(
    (word, n) => n > from && (grammar.preposition.has(word.text) || grammar.determiner.has(word.text)),
  );
  return found === -1 ? tokens.length : found;
}
