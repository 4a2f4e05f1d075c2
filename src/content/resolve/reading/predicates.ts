import { COMPARING } from "./comparisons.ts";
import { conceptsAt } from "./concepts.ts";
import { type Grammar, GRAMMARS, isFunctionWord } from "./grammar.ts";
import { ADVERB, FINITE, type Token } from "./spans.ts";
import { WORDS } from "./vocabulary.ts";
import { isPast, type Language, STOP_WORDS } from "./words.ts";
import { itemsBefore } from "./ranges.ts";

/** The index of the predicate: the first outcome in the form of a verb, or the word where a verb must be. */
export function predicateOf(tokens: readonly Token[], grammar: Grammar, language: Language): number | undefined {
  // "refuse to sign": the event is the deed that is denied.
  const denied = tokens.findIndex((_, at) => isDeniedInfinitive(tokens, at));
  if (denied >= 0) return denied;
  const named = tokens.flatMap((word, at) =>
    conceptsAt(tokens, at).size > 0 && !isFunctionWord(word.text, grammar) && canBeVerb(tokens, at, grammar, language)
      ? [at]
      : [],
  );
  if (language !== "en") return named[0] ?? verbBySyntax(tokens, grammar, language);
  const asBe = tokens[0] !== undefined && grammar.be.has(tokens[0].text);
  const fitting = named.filter((at) => {
    const form = tokens[at]?.text ?? "";
    const previous = tokens[at - 1];
    if (previous !== undefined && previous.text !== "to" && grammar.preposition.has(previous.text)) return false;
    const isParticiple = /(?:ed|en|n|t|ng|uck)$/u.test(form) && !/(?:[ts]ion|ment)$/u.test(form);
    return at > 0 && (!asBe || isParticiple || WORDS.result.has(form));
  });
  // "Was the power cut caused by a storm"
  const done = asBe
    ? tokens.findLastIndex(
        ({ text, capital }, n) => !capital && text.endsWith("ed") && grammar.by.has(tokens[n + 1]?.text),
      )
    : -1;
  if (done > (fitting[0] ?? 0)) return done;
  // "Will there be a strike by Corran Ferries crews": a word behind a name is not the verb.
  const isThere = tokens.slice(0, 2).some(({ text }) => text === "there");
  // "Will the metro extension open": a noun of a deed is the verb only without another one.
  const verb = fitting.find((at) => !DEED.test(tokens[at]?.text ?? "")) ?? fitting[0];
  return verb ?? (isThere ? undefined : englishVerb(tokens, grammar, asBe)) ?? (asBe ? undefined : named[0]);
}

function isDeniedInfinitive(tokens: readonly Token[], at: number): boolean {
  const [governor, to] = itemsBefore(tokens, at, 2);
  return to?.text === "to" && GOVERNS.test(governor?.text ?? "");
}

const GOVERNS = /^(?:fail|refuse|decline|unable)/u;

const DEED = /(?:[ts]ion|ment)$/u;

function canBeVerb(tokens: readonly Token[], at: number, grammar: Grammar, language: Language): boolean {
  const [word, previous] = [tokens[at], tokens[at - 1]];
  if (word === undefined || (word.capital && at > (language === "en" ? 0 : 1))) return false;
  if (previous === undefined || language === "de") return true;
  // "receive its final permit"
  const [and, owner] = itemsBefore(tokens, at - 1, 2);
  if (OWNS.test(owner?.text ?? "") && !grammar.and.has(and?.text) && !isFunctionWord(previous.text, grammar))
    return false;
  return !grammar.determiner.has(previous.text);
}

const OWNS = /^(?:its|his|her|their)$/u;

/** The first word that can be a verb: in lower case, and best right after a name. */
function englishVerb(tokens: readonly Token[], grammar: Grammar, asBe: boolean): number | undefined {
  const candidates = tokens.flatMap((word, at) => {
    const previous = tokens[at - 1];
    if (
      at < 2 ||
      word.capital ||
      previous === undefined ||
      isFunctionWord(word.text, grammar) ||
      ADVERB.test(word.text) ||
      ADJECTIVE.test(word.text)
    )
      return [];
    if (asBe && !/(?:ed|en|wn|ght|ilt|old|ound|put|set|cut|led|aid|won|held|made|sent|lost|sung|run)$/u.test(word.text))
      return [];
    if (STOP_WORDS.has(word.text) || grammar.determiner.has(previous.text)) return [];
    return grammar.preposition.has(previous.text) && previous.text !== "to" ? [] : [at];
  });
  // "Will Halloran not attend the climate conference"
  const denied = candidates.find((at) => tokens[at - 1]?.text === "not");
  if (denied !== undefined) return denied;
  // A part of a question is a statement: its verb has the form of the past.
  const isQuestion =
    tokens[0] !== undefined && isFunctionWord(tokens[0].text, grammar) && !grammar.determiner.has(tokens[0].text);
  const past = isQuestion ? undefined : candidates.find((at) => isPast(tokens[at]));
  if (past !== undefined) return past;
  // "be listed on the Corland stock exchange"
  const passive = candidates.find(
    (at) => grammar.be.has(tokens[at - 1]?.text) && /(?:ed|en)$/u.test(tokens[at]?.text ?? ""),
  );
  if (passive !== undefined) return passive;
  const afterName = candidates.find((at) => tokens[at - 1]?.capital === true);
  // "Did the Petrel mission deploy": two words that can be verbs are a noun and its verb.
  const behindName =
    afterName !== undefined &&
    candidates.includes(afterName + 1) &&
    (grammar.determiner.has(tokens[afterName + 2]?.text) ||
      /^(?:more|less|fewer)$/u.test(tokens[afterName + 2]?.text ?? ""))
      ? afterName + 1
      : afterName;
  const beforePhrase = candidates.find((at) => {
    const next = tokens[at + 1];
    return next === undefined || grammar.determiner.has(next.text) || grammar.preposition.has(next.text);
  });
  // "Did the regulator fine Tecnova over the leak"
  const beforeName = candidates.find((at) => {
    const next = tokens.find(({ capital }, n) => n > at && !capital);
    return tokens[at + 1]?.capital === true && (next === undefined || grammar.preposition.has(next.text));
  });
  return behindName ?? beforeName ?? beforePhrase;
}

/** "mayoral", "municipal", and not "total" and "repeal". */
const ADJECTIVE = /^(?!(?:sign|tot|equ|riv|tri)al$)\p{L}+(?:[^e]al|ous)$/u;

/** German questions end with the verb, Romance ones have it after an auxiliary, or first. */
function verbBySyntax(tokens: readonly Token[], grammar: Grammar, language: Language): number | undefined {
  const isContent = (word: Token): boolean =>
    !word.capital &&
    !isFunctionWord(word.text, grammar) &&
    !STOP_WORDS.has(word.text) &&
    !ADVERB.test(word.text) &&
    !COMPARING.test(word.text);
  if (language === "de") {
    const last = tokens.findLastIndex(isContent);
    // "Schießt Ana Rehm 20 Tore": a question without an auxiliary begins with its verb.
    return last >= 0 ? last : /t(?:en?)?$/u.test(tokens[0]?.text ?? "") ? 0 : undefined;
  }
  if (
    tokens[1] !== undefined &&
    grammar.determiner.has(tokens[1].text) &&
    tokens[0] !== undefined &&
    !isFunctionWord(tokens[0].text, grammar)
  )
    return 0;
  // "La population dépasse-t-elle": a French verb before its pronoun.
  const inverted = tokens.findIndex(
    (word, at) =>
      isContent(word) && tokens[at + 1]?.gap === "-" && /^(?:t|il|elle|ils|elles)$/u.test(tokens[at + 1]?.text ?? ""),
  );
  if (inverted >= 0) return inverted;
  const behind = tokens.findIndex(
    (word, at) =>
      isContent(word) &&
      itemsBefore(tokens, at, 3).some(({ text }) =>
        [grammar.be, grammar.have, grammar.modal].some((one) => one.has(text)),
      ) &&
      /(?:[iau]?[tds][oaie]s?|e|ee|es|u|ue|i|is|t|s)$/u.test(word.text),
  );
  if (behind >= 0) return behind;
  const first = tokens.findIndex((word, at) => {
    const previous = tokens[at - 1];
    return previous?.capital === true && !grammar.determiner.has(previous.text) && isContent(word);
  });
  if (first >= 0) return first;
  // "Recibió Ana el premio": the verb before a name
  return tokens[1]?.capital === true &&
    FINITE.test(tokens[0]?.text ?? "") &&
    !isFunctionWord(tokens[0]?.text ?? "", grammar)
    ? 0
    : undefined;
}

const ELECTION = /^(?:elect|wahl|\p{L}+wahl$|seat|vote|elecc|elezion|eleic)/u;

const HOLDS = /^(?:hold|keep|leave|maintain)$/u;
/** The states of what is held: "hold rates steady". */
export const STEADY = /^(?:steady|unchanged)$/u;

/** The outcomes of a predicate and the words with it. The winner of an election is elected. */
export function outcomesOf(tokens: readonly Token[], at: number): Set<string> {
  const found = new Set(conceptsAt(tokens, at));
  const verb = tokens[at]?.text ?? "";
  const behind = tokens.slice(at);
  // "confirm X as governor"
  if (verb.startsWith("confirm") && behind.some(({ text }) => text === "as")) return new Set(["approve"]);
  if (HOLDS.test(verb) && behind.some(({ text }) => STEADY.test(text))) return new Set(["unchanged"]);
  // "Will the regatta be held": "held" has other senses in sentences.
  if (verb === "held" && GRAMMARS.en.be.has(tokens[at - 1]?.text)) return new Set(["occur"]);
  if (found.has("win") && tokens.some(({ text }) => ELECTION.test(text))) found.add("elect");
  // "released from prison" is not the release of a film.
  if (found.has("free") && tokens.some(({ text }) => WORDS.prison.has(text))) found.delete("release");
  return found;
}
