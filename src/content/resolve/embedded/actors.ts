import { type Predication } from "../reading/clauses.ts";
import { type Grammar, isFunctionWord, type Reader } from "../reading/grammar.ts";
import { ADVERB, type Token } from "../reading/spans.ts";
import { WORDS } from "../reading/vocabulary.ts";
import { BY_CONTEXT, type Fit } from "./fit.ts";
import { type Argument } from "../reading/noun-phrases.ts";
import { type Asked } from "./question.ts";
import { isOwner } from "./rivals.ts";
import { until } from "../reading/until.ts";
import { itemsBefore } from "../reading/ranges.ts";

/** "was elected mayor of X", for "won the mayoral election in X". Undefined if the office or the place is another. */
export function electedBy(
  { agent, patient, names }: Asked,
  predication: Predication,
  { reader, near }: { reader: Reader; near: ReadonlySet<string> },
): Fit | undefined {
  const { before, after, isPassive } = predication;
  if (agent === undefined || patient === undefined) return undefined;
  const office = [...patient.words].filter((word) => !names.has(word) && !ELECTION.test(word));
  const isOffice = office.every((word) =>
    [...before, ...after].some(({ stem }) => stem.slice(0, OFFICE_FAMILY) === word.slice(0, OFFICE_FAMILY)),
  );
  const others = [...names].filter((name) => !agent.words.has(name));
  if (office.length === 0 || !isOffice || !others.every((name) => near.has(name))) return undefined;
  const zone = isPassive ? before : after;
  if ([...agent.heads].every((head) => zone.some(({ stem }) => stem === head)))
    return { kind: "same", factor: BY_CONTEXT };
  const isKnown = zone.some(({ stem }) => agent.words.has(stem));
  return !isKnown &&
    zone.some(({ capital, stem }) => capital && !names.has(stem) && !reader.grammar.determiner.has(stem))
    ? { kind: "other-actor" }
    : undefined;
}

/** "elected Bellamy mayor of Veldt", for "Will Pruitt be elected mayor of Veldt?": an office with one holder went to another person. */
export function otherHolder(
  asked: Asked,
  { before, after, isPassive, reality }: Predication,
  { reader: { grammar }, near, outcome }: { reader: Reader; near: ReadonlySet<string>; outcome: string | undefined },
): Fit | undefined {
  const { names, role = asked.patient } = asked;
  const person = asked.role === undefined ? asked.agent : (asked.patient ?? asked.agent);
  if (role === undefined || person === undefined || reality !== "fact") return undefined;
  // "Ost left after Kern was elected leader": Ost may have been the leader before.
  if (asked.outcomes.has("become") && !asked.isFuture) return undefined;
  const isPerson = person.words.size > 1 && [...person.heads].every((word) => names.has(word));
  const isSole = [...role.heads].every((head) => SOLE.test(head));
  // "after beating Ilves", ", beating Ilves"
  const own = [...before, ...until(after, ({ text, gap }) => WORDS.circumstance.has(text) || gap.includes(","))];
  if (
    !isPerson ||
    !isSole ||
    own.some(({ stem, text }) => (person.words.has(stem) && !WORDS.title.has(text)) || text === "ago")
  )
    return undefined;
  const start = after.findIndex((word) => role.words.has(word.stem) && !names.has(word.stem));
  const behind = after.slice(Math.max(0, start));
  const missing = [...role.words.union(names.difference(person.words))].filter(
    (word) => ![...before, ...behind].some(({ stem }) => stem === word),
  );
  // "In Durne, Hale was elected mayor", "Durne elected Hale mayor", on a page about Veldt
  const isElsewhere = before.some(
    (word, at) =>
      isForeign(word, names, grammar) &&
      (!isPassive || itemsBefore(before, at, 2).some(({ text }) => OF_PLACE.test(text))),
  );
  if (missing.some((word) => !names.has(word) || !near.has(word) || isElsewhere)) return undefined;
  const left = after.slice(0, Math.max(0, start));
  const isModified =
    // "assistant head coach", "Co-Trainer", "adjoint au maire", "a director"
    after[start]?.gap === "-" ||
    ONE_OF.test(left.at(-1)?.text ?? "") ||
    left
      .slice(1 + left.findLastIndex(({ capital }) => capital))
      .some(({ text }) => !isFunctionWord(text, grammar) && !NEW.test(text));
  const zone = isPassive || outcome === "become" ? before : left;
  const isOther = zone.some((word) => isForeign(word, names, grammar));
  if (start < 0 || isModified || isOfOther(asked, behind, grammar) || !isOther) return undefined;
  return { kind: "other-actor", isLoose: missing.length > 0 };
}

/** Whether a word is a name that the question does not have. */
export function isForeign({ capital, stem, text }: Token, names: ReadonlySet<string>, grammar: Grammar): boolean {
  return capital && !names.has(stem) && !isFunctionWord(text, grammar) && !WORDS.time.has(text);
}

/** "mayor of Durne", "president of Corland's parliament": the office is another one. */
function isOfOther({ role, names }: Asked, behind: readonly Token[], grammar: Grammar): boolean {
  if (role === undefined) return false;
  const isEnd = ({ text, gap }: Token, at: number): boolean =>
    at > 0 && (/[,;:(]/u.test(gap) || (grammar.preposition.has(text) && !OF_PLACE.test(text)));
  return until(behind, isEnd).some(
    (word, at) =>
      !role.words.has(word.stem) &&
      !names.has(word.stem) &&
      !TEAM.test(word.text) &&
      ((!word.capital && !isFunctionWord(word.text, grammar) && isBehindOf(behind, at, grammar)) ||
        isOwnedAt(behind, at, role) ||
        (word.capital && !WORDS.time.has(word.text) && isInPhrase(behind, at, grammar))),
  );
}

/** "president of the student union of Corland" */
function isBehindOf(zone: readonly Token[], at: number, grammar: Grammar): boolean {
  const before = zone.slice(0, at).findLast(({ text }) => !grammar.determiner.has(text) || WORDS.of.has(text));
  return WORDS.of.has(before?.text);
}

/** The first consonants of a word. */
function bonesOf(word: string): string {
  return word.replace(/[aeiou]/gu, "").slice(0, 5);
}

/** "elected treasurer", "elected mayor of Durne", for "elected mayor of Veldt" */
export function hasOtherOffice(asked: Asked, { after }: Predication, { grammar, language }: Reader): boolean {
  const { role, names } = asked;
  if (role === undefined) return false;
  // "Präsidentin", "presidenta" for "president"
  const isOffice = ({ stem }: Token): boolean =>
    role.words.has(stem) ||
    (language !== asked.language && [...role.words].some((own) => bonesOf(own) === bonesOf(stem)));
  const start = after.findIndex((word) => isOffice(word) && !names.has(word.stem));
  // "named by the director"
  const isOfDoer = grammar.by.has(after.slice(0, Math.max(0, start)).findLast(({ text }) => !ARTICLE.test(text))?.text);
  if (start >= 0) return (language !== "de" && isOfDoer) || isOfOther(asked, after.slice(start), grammar);
  const isNoun = ({ text, capital, stem }: Token): boolean =>
    !capital || (language === "de" && !names.has(stem) && !WORDS.time.has(text) && !isFunctionWord(text, grammar));
  const office = after.find(
    (word) =>
      isNoun(word) && !grammar.determiner.has(word.text) && word.text !== "as" && (language !== "de" || word.capital),
  );
  return (
    office !== undefined &&
    !isFunctionWord(office.text, grammar) &&
    !WORDS.time.has(office.text) &&
    !ADVERB.test(office.text)
  );
}

/** "Corland's parliament": the office's place is the owner of another noun. */
function isOwnedAt(zone: readonly Token[], at: number, { words }: Argument): boolean {
  const [owner, mark] = [zone[at - 2], zone[at - 1]];
  return (
    owner !== undefined && mark !== undefined && words.has(owner.stem) && isOwner(mark) && mark.start === owner.end + 1
  );
}

/** Whether a name belongs to the noun before it: "of Durne", "at the Durne Bank". */
function isInPhrase(zone: readonly Token[], at: number, grammar: Grammar): boolean {
  const before = zone.slice(0, at).findLast(({ text }) => !grammar.determiner.has(text));
  return before !== undefined && (before.capital || OF_PLACE.test(before.text));
}

/** "coach of the first team" */
const TEAM = /^(?:team|side|squad|equip[aeo]|squadra|mannschaft)$/u;
const ARTICLE = /^(?:the|la|le|l'|il|el|[ao])$/u;
const NEW = /^(?:elected|new|next|\d{1,2}(?:st|nd|rd|th)|neue[nr]?|nouve\p{L}+|nuev[oa]|nuov[oa]|nov[oa])$/u;
const ONE_OF = /^(?:an?|une?|una|uno|uma?)$/u;
const OF_PLACE = /^(?:of|for|at|in|von|im|beim?|de|du|des|del|della|di|do|da|en|na|no)$/u;

/** Stems of the offices that one person holds. */
const SOLE =
  /^(?:mayor|president|premier|chancellor|governor|leader|captain|manager|coach|chair|chairman|chairwoman|chief|ceo|executiv|speaker|pope|king|director|head|prime|minist|trainer|burgermeist|kanzler|prasident|mair|entraineur|alcald|alcalde|alcaldesa|entrenador|sindac|allenator|prefeit|treinador|governator|gobernador|governador)/u;

/** "mayoral" and "mayor" have the same beginning of this length. */
const OFFICE_FAMILY = 4;

const ELECTION = /^(?:election|elect|wahl|elecc|elezion|eleic|vote|race|run)/u;

/** "lost", "lost the mayoral race", "lost to Bellamy": what is lost can be the election. */
export function isOfElection(zone: readonly Token[], { grammar }: Reader): boolean {
  const phrase = zone.filter(({ text }) => !isFunctionWord(text, grammar) && !WORDS.time.has(text));
  const [first, second] = phrase;
  if (first === undefined || first.capital) return true;
  return (
    ELECTION.test(first.text) || (OF_OFFICE.test(first.text) && (second === undefined || ELECTION.test(second.text)))
  );
}

const OF_OFFICE = /^(?:presidential|mayoral|gubernatorial|presidency|mayoralty|governorship|close|tight|snap)$/u;

/** "toppled by a lorry", if the question asks for protesters: an actor that the question does not name. */
export function namesActor(zone: readonly Token[], agent: Argument | undefined, { grammar }: Reader): boolean {
  const isEnd = ({ text, gap }: Token, n: number): boolean =>
    grammar.preposition.has(text) || (n > 0 && /[,;:(]/u.test(gap));
  const phrase = until(zone, isEnd).filter((word) => !isFunctionWord(word.text, grammar));
  return (
    phrase.length > 0 &&
    !phrase.some(({ text, stem }) => /^\d/u.test(text) || WORDS.manner.has(text) || agent?.words.has(stem) === true)
  );
}
