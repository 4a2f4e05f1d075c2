import { type Clause, predicationOf } from "../reading/clauses.ts";
import { COMPARING } from "../reading/comparisons.ts";
import { areContrary, conceptsAt, conceptsIn } from "../reading/concepts.ts";
import { type Grammar, GRAMMARS, isFunctionWord } from "../reading/grammar.ts";
import { type Argument } from "../reading/noun-phrases.ts";
import { describedIn, quantitiesOf, type Quantity } from "../reading/quantities.ts";
import { type Reality } from "../reading/reality.ts";
import { type Token } from "../reading/spans.ts";
import { OUTCOMES, WORDS } from "../reading/vocabulary.ts";
import { isPast, type Language, wordsOf } from "../reading/words.ts";
import { type Passage } from "../evidence/passages.ts";
import { isForeign } from "./actors.ts";
import { doerOf } from "./arguments.ts";
import { type Asked } from "./question.ts";
import { standsIn } from "./standing.ts";
import { isWithin, overlap } from "../reading/ranges.ts";
import { until } from "../reading/until.ts";

/** Verbs and nouns that any figure can have. */
export const GENERAL = new Set(
  (
    "hav get earn make reach total number figur rate level cost take film company firm club country city averag " +
    "measur amount count sum year financial fiscal annual annually quarter month day end season last first week time period"
  ).split(" "),
);

/** Units whose quantities are of one measure, whatever is measured. */
export const KNOWN = new Set("percent usd eur gbp jpy cny inr m kg celsius fahrenheit s m/s".split(" "));

/** Whether a figure belongs to a name that the question does not name: "Rival Pavilion had 38 million". */
export function isOfAnother(asked: Asked, tokens: readonly Token[], clause: Clause, { start }: Quantity): boolean {
  // "Merrow's neighbour" is not Merrow.
  const isNamed = tokens.some(
    ({ stem }, at) =>
      asked.names.has(stem) && !(tokens[at + 1]?.text === "s" && !asked.terms.has(tokens[at + 2]?.stem ?? "")),
  );
  if (isOfOtherExtent(asked, tokens) || isOfNamesake(asked, tokens, clause)) return true;
  // "Zetalk's parent company"
  if (!isNamed && tokens.some(({ text }, at) => tokens[at - 1]?.text === "s" && RELATED.test(text))) return true;
  if (isNamed) return false;
  return tokens.some(
    (word, at) =>
      at > 0 &&
      word.start >= clause.start - 60 &&
      word.end <= start &&
      word.capital &&
      !asked.terms.has(word.stem) &&
      /^\p{L}{2}/u.test(word.text),
  );
}

const RELATED =
  /^(?:parents?|rivals?|owners?|subsidiar(?:y|ies)|sister|competitors?|founders?|partners?|suppliers?|predecessor|successor|neighbou?rs?|opponents?)$/u;

/** "Orwell group" for "Orwell Air": a clause with the question's name, but without its last word. */
function isOfNamesake({ agent, names }: Asked, tokens: readonly Token[], clause: Clause): boolean {
  const words = [...(agent?.words ?? [])];
  const own = words.slice(0, 1 + words.findIndex((word) => agent?.heads.has(word))).filter((word) => names.has(word));
  const last = own.at(-1);
  return (
    last !== undefined &&
    !clause.stems.has(last) &&
    tokens.some((token) => own.includes(token.stem) && isWithin(token, clause))
  );
}

/** "an option for 12 ferries", "repairs of 12 ferries": a noun that the question does not name governs what is counted. */
export function isOfOtherThing(
  { terms, predicate }: Asked,
  tokens: readonly Token[],
  { unit, start }: Quantity,
): boolean {
  if (KNOWN.has(unit) || unit === "") return false;
  const [noun, preposition] = tokens.filter(({ end }) => end <= start).slice(-2);
  return (
    noun !== undefined &&
    /^(?:of|for)$/u.test(preposition?.text ?? "") &&
    /s$|(?:ion|ment|an?)$/u.test(noun.text) &&
    !noun.capital &&
    !terms.has(noun.stem) &&
    noun.stem !== predicate?.stem &&
    !GENERAL.has(noun.stem) &&
    !WORDS.attendance.has(noun.text)
  );
}

/** "The wall at the river is 6 metres high": the clause is about a thing at the question's. */
export function isOfThingAt({ terms, language }: Asked, tokens: readonly Token[], clause: Clause): boolean {
  const grammar = GRAMMARS[language ?? "en"];
  const own = tokens.filter((token) => isWithin(token, clause));
  const [article] = own;
  const phrase = until(own, ({ text }) => grammar.preposition.has(text) && !grammar.determiner.has(text));
  const nouns = phrase.filter(({ text }) => !isFunctionWord(text, grammar));
  const [preposition, ...rest] = own.slice(phrase.length);
  const isKnown = ({ text, stem }: Token): boolean =>
    terms.has(stem) ||
    /^\d/u.test(text) ||
    GENERAL.has(stem) ||
    [WORDS.standFor, WORDS.attendance, WORDS.audience, WORDS.general, WORDS.time, WORDS.generic].some((words) =>
      words.has(text),
    );
  return (
    /^(?:the|an?)$/u.test(article?.text ?? "") &&
    AT.test(preposition?.text ?? "") &&
    nouns.length > 0 &&
    !nouns.some((noun) => isKnown(noun) || noun.capital || isPast(noun)) &&
    rest.slice(0, 3).some(({ stem }) => terms.has(stem))
  );
}

const AT = /^(?:at|in|on|near|beside|along|inside|under|by)$/u;

/** "sold 322,000 cars, a third of them electric", for electric cars: the kind is behind the clause of the figure. */
export function isOfKindLater(
  { plan, language }: Asked,
  { words }: Passage,
  clause: Clause,
  { unit }: Quantity,
): boolean {
  return quantitiesOf(plan.statement, language)
    .filter((one) => one.unit === unit)
    .flatMap((one) => describedIn(plan.statement, one))
    .filter(({ text }) => !COMPARING.test(text))
    .some(({ stem }) => !clause.stems.has(stem) && words.some((word) => word.stem === stem && word.start > clause.end));
}

/** Outcomes of a measure itself: "exceeded 40 degrees". */
const MEASURES = new Set(["break", "rise", "fall"]);

/** Whether people or things are counted of which the clause says something else than the question's outcome: injured for killed. */
export function isOfOtherOutcome(
  asked: Asked,
  {
    tokens,
    clause,
    language,
  }: { readonly tokens: readonly Token[]; readonly clause: Clause; readonly language: Language },
  { unit, start, end }: Quantity,
): boolean {
  const { agent, asksChange, outcomes, predicate, patient, thresholds } = asked;
  const own = tokens.filter((token) => isWithin(token, clause));
  const before = own.findLast((token) => token.end <= start)?.text;
  if (isOfAudience(asked))
    return (
      // "had room for 43,118 spectators"
      before === "for" ||
      // "A crowd of 43,118 watched"
      (!WORDS.attend.has(unit) && !own.some((token) => WORDS.attend.has(token.text) && !overlap(token, { start, end })))
    );
  const said = conceptsIn(own);
  const isContrary = [...outcomes].some(
    (one) => (asksChange || !MEASURES.has(one)) && [...said].some((other) => areContrary(one, other)),
  );
  if (isContrary && said.isDisjointFrom(outcomes)) return true;
  // "withdrew its report of 5.2 billion", "declared a dividend of 60 cents" for "paid"
  if ([...said].some((one) => OUTCOMES.undoing.has(one)) && said.isDisjointFrom(outcomes)) return true;
  if (outcomes.has("pay") && !said.has("pay")) return true;
  // "a perdu 43 sièges"
  if (said.has("lose") && !outcomes.has("lose") && !KNOWN.has(unit)) return true;
  // "valued at 62 million dollars" for "raise at least 50 million dollars"
  if (KNOWN.has(unit) && governsFigure(asked) && own.some(({ text }) => VALUES.test(text))) return true;
  // "ordered to pay 1.4 million dollars" for "awarded 1 million dollars"
  if (outcomes.has("win") && said.has("pay")) return true;
  // "traded at 124 dollars" for "close above 120 dollars"
  if (outcomes.has("close") && KNOWN.has(unit) && !said.has("close") && !own.some(({ text }) => ENDS.test(text)))
    return true;
  if (predicate === undefined || KNOWN.has(unit) || thresholds.every((one) => KNOWN.has(one.unit))) return false;
  // "ended the season with 27 goals"
  const ends = own.findIndex((token) => ENDS.test(token.text) && token.end <= start);
  const between = own.slice(ends + 1).filter((token) => token.end <= start);
  // "The team finished with 31 goals, and Jonah left"
  const isActor = agent === undefined || !clause.stems.isDisjointFrom(agent.words);
  const isAtEnd = isActor && between.every(({ text }) => (outcomes.has("close") ? OF_DAY : OF_SEASON).test(text));
  const isCounted = outcomes.size === 0 || ["score", "close"].some((one) => outcomes.has(one));
  if (isCounted && ends >= 0 && isAtEnd) return false;
  // "recalled 6,200 laid-off workers"
  const isSaid = own.some(({ stem }, at) => stem === predicate.stem && own[at + 1]?.gap !== "-");
  const isOpen = COMPARING.test(predicate.text) || GENERAL.has(predicate.stem) || isSaid;
  // "employs 1,400 people"
  const [verb, previous] = own.filter((token) => token.end <= start).toReversed();
  const isPresent = language === "en" && previous?.capital === true && /[^su]s$/u.test(verb?.text ?? "");
  if (outcomes.size === 0 && isPresent && !isOpen && verb !== undefined)
    return ![GENERAL, WORDS.attend, GRAMMARS.en.be, GRAMMARS.en.have].some(
      (words) => words.has(verb.stem) || words.has(verb.text),
    );
  if (outcomes.size === 0) return !isOpen && own.some((word, at) => isOtherVerb(word, own[at - 1], language));
  if ([...outcomes].every((one) => MEASURES.has(one))) return false;
  return (
    !clause.stems.has(predicate.stem) &&
    // In "nominated for seven awards", the word "awards" names the counted things and not an outcome.
    !own.some(
      ({ stem }, at) => patient?.words.has(stem) !== true && [...conceptsAt(own, at)].some((one) => outcomes.has(one)),
    )
  );
}

/** Whether the figure is the object of the question's predicate: "raise at least 50 million dollars". */
function governsFigure({ plan: { statement }, predicate, thresholds: [threshold] }: Asked): boolean {
  const start = threshold === undefined ? -1 : statement.indexOf(threshold.text);
  return predicate !== undefined && start > predicate.end && COMPARES.test(statement.slice(predicate.end, start));
}

const VALUES = /^(?:valu(?:e[ds]?|ing|ations?)|worth|owe[sd]?|sued|seek\p{L}*|sought|offer\p{L}*|borrow\p{L}*)$/u;
const COMPARES = /^\s(?:(?:at\s(?:least|most)|(?:more|less)\sthan|over|under|about|up\sto|exactly)\s)?[$€£¥]?$/iu;

/** "recalled", "zurückgerufen", "a embauché": a verb that not every figure can have. */
function isOtherVerb(word: Token, previous: Token | undefined, language: Language): boolean {
  const { text, stem, capital } = word;
  const { be, have, says } = GRAMMARS[language];
  const isVerb = language === "en" ? isPast(word) : language === "de" ? GERMAN.test(text) : have.has(previous?.text);
  return (
    !capital &&
    isVerb &&
    ![GENERAL, WORDS.attend, be, have, says].some((words) => words.has(stem) || words.has(text)) &&
    conceptsIn([word]).isDisjointFrom(MEASURES)
  );
}

/** A German participle. */
const GERMAN = /(?:^|\p{L}{2})ge\p{L}{2,}(?:t|en)$/u;

const ENDS = /^(?:end|finish|settl)(?:e?d|e?s)$/u;
/** Words between the verb of an end and its figure: "ended the day higher at", "finished the season with". */
const OF_DAY = /^(?:\d.*|percent|points|the|day|session|trading|higher|lower|up|down|at)$/u;
const OF_SEASON = /^(?:the|his|her|their|season|campaign|year|with|on)$/u;

/** Whether the question asks how many people came: "draw more than 50,000 visitors". */
export function isOfAudience({ predicate, thresholds }: Asked): boolean {
  return WORDS.attend.has(predicate?.text) && thresholds.every(({ unit }) => WORDS.audience.has(unit));
}

/**
 * Whether the question's predicate in a figure's clause says what may have happened, or is another's: "sixteen states want to join",
 * "the youth team of Halden won 40 games".
 */
export function isOfOtherPredicate(
  { agent, names, outcomes, patient, predicate, terms, thresholds }: Asked,
  { near }: Passage,
  { tokens, clause, language }: { tokens: readonly Token[]; clause: Clause; language: Language },
): boolean {
  const reader = { grammar: GRAMMARS[language], language };
  const named = patient?.words.isDisjointFrom(names) === false ? patient : undefined;
  const units = thresholds.map(({ unit }) => unit);
  return tokens.some((token, at) => {
    if (!isWithin(token, clause)) return false;
    if (token.stem !== predicate?.stem && [...conceptsAt(tokens, at)].every((one) => !outcomes.has(one))) return false;
    const predication = predicationOf(tokens, at, reader);
    const isInfinitive = reader.grammar.infinitive.test(token.text);
    if (UNREAL.has(predication.reality) || (predication.reality === "denied" && isInfinitive)) return true;
    const { isPassive, doer: actors } = doerOf(predication, reader);
    // "66 percent of voters approved"
    const share = actors.findIndex(({ text }, n) => PERCENT.test(text) && WORDS.of.has(actors[n + 1]?.text));
    const doer = share < 0 ? actors : actors.slice(share + 2);
    // "shipped 2.4 million units of its Lyra tablet"
    const { before, after: all } = predication;
    const counted = all.findIndex(({ text }, n) => WORDS.of.has(text) && units.includes(all[n - 1]?.stem ?? ""));
    const done = isPassive ? before : all.slice(counted + 1);
    const isOther = (one: Argument | undefined, zone: readonly Token[], isSubject: boolean): boolean =>
      one !== undefined &&
      zone.some(({ stem }) => one.heads.has(stem)) &&
      standsIn(one, zone, { reader, predication, near, names, terms, isSubject }) === undefined;
    // "The Bank of Canada cut its rate by 25 basis points, hours before the Fed"
    const isNamed = doer.some(
      (word) =>
        // "Solo 287 bambini": the first word of a sentence
        (language === "en" || word.start > 0) && /^\p{L}{2}/u.test(word.text) && isForeign(word, terms, reader.grammar),
    );
    const isActor = agent !== undefined && !agent.words.isDisjointFrom(names);
    if (isActor && isNamed && !doer.some(({ stem }) => agent.words.has(stem))) return true;
    // "Lindqvist beat Halden by 7 points" for "Halden beat Lindqvist by 5 points"
    if (hasHead(agent, done) && hasHead(named, doer) && !hasHead(agent, doer)) return true;
    return isOther(agent, doer, !isPassive) || isOther(named, done, isPassive);
  });
}

function hasHead(one: Argument | undefined, zone: readonly Token[]): boolean {
  return one !== undefined && zone.some(({ stem }) => one.heads.has(stem));
}

const PERCENT = /^(?:percent|cent|prozent|ciento|cento)$/u;

const UNREAL: ReadonlySet<Reality> = new Set(["absent", "view", "future"]);

/** "Greater Nordhaven", "core inflation": a word that makes of a measured thing a larger or a smaller one. */
const EXTENT =
  /^(?:night|day|morning|greater|metropolitan|grossraum|core|food|energy|youth|underlying|wholesale|subyacente|jacente|subjacente|kern|fondo|alimentari[ae])$/u;
const WITH_OTHERS = /^(?:and|und|et|y|e|with|mit|avec|con|com) (?:its|his|her|their|seine|ihre|ses|sus|suoi|seus)$/u;

/** "the 30-year jumbo mortgage rate" for "the 30-year mortgage rate": a noun between two words of the question's compound. */
function isInserted({ terms, plan }: Asked, tokens: readonly Token[], at: number, grammar: Grammar): boolean {
  const [last, word, next] = [tokens[at - 1], tokens[at], tokens[at + 1]];
  if (last === undefined || word === undefined || next === undefined) return false;
  const isCompound = terms.has(last.stem) && terms.has(next.stem) && !terms.has(word.stem);
  const isNoun = !word.capital && /^\p{L}+(?<!ly)$/u.test(word.text) && !isFunctionWord(word.text, grammar);
  // "Orbis posted revenue"
  const isPlain = (last.capital && isPast(word)) || WORDS.general.has(word.text) || WORDS.time.has(word.text);
  const words = wordsOf(plan.statement);
  return (
    isCompound &&
    isNoun &&
    !isPlain &&
    `${word.gap}${next.gap}` === "  " &&
    !/^(?:headline|average)$/u.test(word.text) &&
    words.some(({ stem }, n) => stem === last.stem && words[n + 1]?.stem === next.stem)
  );
}

/** Whether a sentence measures a whole of which the question names a part, or a part of it: "the party and its partners". */
function isOfOtherExtent(asked: Asked, tokens: readonly Token[]): boolean {
  const { names, terms, plan, language = "en" } = asked;
  const grammar = GRAMMARS[language];
  return tokens.some(({ text, stem, capital }, at) => {
    // "core annual inflation"
    const beside = tokens.slice(language === "en" ? at + 1 : Math.max(0, at - 2), at + 3);
    if (EXTENT.test(text) && beside.some((next) => terms.has(next.stem)))
      return !wordsOf(plan.statement).some((word) => word.text === text);
    if (isInserted(asked, tokens, at, grammar)) return true;
    const [and, next, behind] = tokens.slice(at + 1, at + 4);
    // "the Tarn Festival and the Denby Festival"
    const other = grammar.determiner.has(next?.text) ? behind : next;
    const isJoined = capital && terms.has(stem) && grammar.and.has(and?.text);
    if (isJoined && other?.capital === true && /^\p{L}/u.test(other.text) && !terms.has(other.stem)) return true;
    return names.has(stem) && WITH_OTHERS.test(`${and?.text} ${next?.text}`);
  });
}
