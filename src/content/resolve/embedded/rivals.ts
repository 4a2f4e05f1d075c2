import { until } from "../reading/until.ts";
import { type Predication } from "../reading/clauses.ts";
import { isFunctionWord, type Reader } from "../reading/grammar.ts";
import { type Token } from "../reading/spans.ts";
import { WORDS } from "../reading/vocabulary.ts";
import { type Argument } from "../reading/noun-phrases.ts";
import { itemsBefore } from "../reading/ranges.ts";

/** The place of an argument in a sentence, and the names of the question and the text. */
export interface Place {
  readonly reader: Reader;
  readonly predication: Predication;
  readonly near: ReadonlySet<string>;
  readonly isSubject: boolean;
  readonly names: ReadonlySet<string>;
  readonly terms: ReadonlySet<string>;
  /** The terms of both parts of a question. */
  readonly known?: readonly string[] | undefined;
}

/** Whether the noun at `at` belongs to another noun phrase than the argument that it could stand for. */
export function isOfAnother(zone: readonly Token[], at: number, argument: Argument, place: Place): boolean {
  return (
    WORDS.partial.has(zone[at - 1]?.text) ||
    isOwnerAt(zone, at, argument, place) ||
    (WORDS.lesser.has(zone[at - 1]?.text) && !argument.words.has(zone[at - 1]?.stem ?? "")) ||
    hasOtherComplement(zone, at, argument, place) ||
    hasOtherPlace(zone, at, argument, place)
  );
}

/** "The Senate of Corland's committee": the argument is the owner of the noun that follows. */
function isOwnerAt(zone: readonly Token[], at: number, { words }: Argument, { reader: { grammar } }: Place): boolean {
  const end = zone.findIndex(
    (word, n) =>
      n > at && !words.has(word.stem) && !grammar.preposition.has(word.text) && !grammar.determiner.has(word.text),
  );
  const owner = zone.findIndex((word, n) => n > at && (end < 0 || n <= end) && isOwner(word));
  return owner > at + 1 && words.has(zone[owner - 1]?.stem ?? "");
}

/** Whether a word begins with the mark of a possessive: "Velant's rival", "Motors' rival". */
export function isOwner(word: Token | undefined): boolean {
  return word !== undefined && (word.text === "s" ? /['’]/u : /^['’]\s/u).test(word.gap);
}

/**
 * "In neighbouring Durne the nurses", "Durne's nurses" for "the nurses of Halmont": the clause names another place, and not the
 * question's.
 */
function hasOtherPlace(zone: readonly Token[], head: number, argument: Argument, place: Place): boolean {
  const { names, predication } = place;
  const { before, after } = predication;
  const words = [...argument.words];
  const own = words.slice(1 + words.findIndex((word) => argument.heads.has(word))).filter((word) => names.has(word));
  const clause = [...before, ...after];
  if (own.length === 0 || own.some((name) => clause.some(({ stem }) => stem === name))) return false;
  const isPlace = (word: Token | undefined): boolean =>
    word?.capital === true && /^\p{L}{2}/u.test(word.text) && !names.has(word.stem);
  return (
    clause.some((word, at) => isPlace(word) && itemsBefore(clause, at, 2).some(({ text }) => WORDS.in.has(text))) ||
    isPlace(ownerBefore(zone, head, place))
  );
}

/** The first word before the noun at `at` that can name its owner: "Durne" in "Durne's central bank" and "the Durne parliament". */
function ownerBefore(zone: readonly Token[], at: number, { reader: { grammar, language } }: Place): Token | undefined {
  if (language !== "en") return undefined;
  const n = zone.findLastIndex(
    ({ text, capital }, index) => index < at && (capital || text === "s" || isFunctionWord(text, grammar)),
  );
  const word = zone[n]?.text === "s" ? zone[n - 1] : zone[n];
  return word === undefined || isFunctionWord(word.text, grammar) || WORDS.time.has(word.text) ? undefined : word;
}

/**
 * Whether the noun phrase goes on with another name or noun than the question's: "shareholders of Aldine Bank" for those of
 * Fenwick Bank, "the contract for new trams" for the one for the depot.
 */
function hasOtherComplement(
  zone: readonly Token[],
  head: number,
  { words }: Argument,
  { reader: { grammar, language }, near, names }: Place,
): boolean {
  const next = zone[head + 1];
  if (next === undefined || !WORDS.beforeComplement.has(next.text) || next.gap.trim() !== "") return false;
  const rest = zone.slice(head + 2);
  const phrase = until(
    rest,
    ({ text, gap }, n) =>
      n > 0 &&
      (/[^\s\u00a0-]/u.test(gap) ||
        (grammar.preposition.has(text) && !OF_ONLY.test(text)) ||
        grammar.be.has(text) ||
        grammar.have.has(text)),
  );
  const own = [...words].filter((word) => names.has(word));
  const named = [...itemsBefore(zone, head + 1, 4), ...phrase];
  const isMissing = own.some((name) => !named.some(({ stem }) => stem === name));
  const isForeign = (word: Token): boolean => word.capital && /^\p{L}{2}/u.test(word.text) && !words.has(word.stem);
  if (language !== "de" && isMissing && phrase.some(isForeign) && WORDS.of.has(next.text)) return true;
  // "the record of 2:02 by Sami Oduya"
  const [by, maker] = rest.slice(phrase.length);
  if (grammar.by.has(by?.text) && maker !== undefined && isMissing && isForeign(maker) && !WORDS.time.has(maker.text))
    return true;
  const last = [...words].at(-1) ?? "";
  const noun = phrase.findLast(({ text }) => !isFunctionWord(text, grammar));
  return zone[head]?.stem !== last && !near.has(last) && noun !== undefined && noun.stem !== last;
}

const OF_ONLY = /^(?:de|d'|di|da|do|del|du)$/u;
