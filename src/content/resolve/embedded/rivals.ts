import { type Predication } from "../reading/clauses.ts";
import { isFunctionWord, type Reader } from "../reading/grammar.ts";
import { type Token } from "../reading/spans.ts";
import { WORDS } from "../reading/vocabulary.ts";
import { type Argument } from "../reading/noun-phrases.ts";

/** The place of an argument in a sentence, and the names of the question and the text. */
export interface Place {
  readonly reader: Reader;
  readonly predication: Predication;
  readonly near: ReadonlySet<string>;
  readonly isSubject: boolean;
  readonly names: ReadonlySet<string>;
  readonly terms: ReadonlySet<string>;
}

/** Whether the noun at `at` belongs to another noun phrase than the argument that it could stand for. */
export function isOfAnother(zone: readonly Token[], at: number, argument: Argument, place: Place): boolean {
  return (
    WORDS.partial.has(zone[at - 1]?.text) ||
    (WORDS.lesser.has(zone[at - 1]?.text) && !argument.words.has(zone[at - 1]?.stem ?? "")) ||
    hasOtherComplement(zone, at, argument, place) ||
    hasOtherPlace(argument, place)
  );
}

/** "In neighbouring Durne the nurses" for "the nurses of Halmont": the clause names another place, and not the question's. */
function hasOtherPlace(argument: Argument, { names, predication: { before, after } }: Place): boolean {
  const words = [...argument.words];
  const own = words.slice(1 + words.findIndex((word) => argument.heads.has(word))).filter((word) => names.has(word));
  const clause = [...before, ...after];
  if (own.length === 0 || own.some((name) => clause.some(({ stem }) => stem === name))) return false;
  return clause.some(
    (word, at) =>
      word.capital &&
      /^\p{L}{2}/u.test(word.text) &&
      !names.has(word.stem) &&
      clause.slice(Math.max(0, at - 2), at).some(({ text }) => WORDS.in.has(text)),
  );
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
  const end = rest.findIndex(
    ({ text, gap }, n) =>
      n > 0 &&
      (/[^\s\u00a0-]/u.test(gap) ||
        (grammar.preposition.has(text) && !OF_ONLY.test(text)) ||
        grammar.be.has(text) ||
        grammar.have.has(text)),
  );
  const phrase = rest.slice(0, end < 0 ? 6 : end);
  const own = [...words].filter((word) => names.has(word));
  const named = [...zone.slice(Math.max(0, head - 3), head + 1), ...phrase];
  const isMissing = own.some((name) => !named.some(({ stem }) => stem === name));
  const isForeign = (word: Token): boolean => word.capital && /^\p{L}{2}/u.test(word.text) && !words.has(word.stem);
  if (language !== "de" && isMissing && phrase.some(isForeign) && WORDS.of.has(next.text)) return true;
  const last = [...words].at(-1) ?? "";
  const noun = phrase.findLast(({ text }) => !isFunctionWord(text, grammar));
  return zone[head]?.stem !== last && !near.has(last) && noun !== undefined && noun.stem !== last;
}

const OF_ONLY = /^(?:de|d'|di|da|do|del|du)$/u;
