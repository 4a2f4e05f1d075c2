import { type Source, type Statement, type Support, type Threshold } from "../reading/analysis.ts";
import { type FirstNumber } from "../reading/date-order.ts";
import { datesAround, datesOf } from "../reading/dates.ts";
import { conceptsIn } from "../reading/concepts.ts";
import { GRAMMARS } from "../reading/grammar.ts";
import { describedIn, quantitiesOf } from "../reading/quantities.ts";
import { numberWord, numberWordPattern } from "../reading/number-words.ts";
import { LAST_YEAR } from "../reading/phrases.ts";
import { type ReadSentence, type Token, undatedTokensOf } from "../reading/spans.ts";
import { OUTCOMES, WORDS } from "../reading/vocabulary.ts";
import { hostOf } from "../reading/resolution-source.ts";
import { paraphraseOf } from "../reading/paraphrases.ts";
import { type Language, STOP_WORDS, type Word, wordsOf } from "../reading/words.ts";
import { coverageOf, type Passage } from "../evidence/passages.ts";
import { isExact } from "../evidence/voices.ts";
import { answerOf, factCheckOf } from "./checks.ts";
import { type Circumstance, circumstanceOf } from "./circumstances.ts";
import { delayOf } from "./delays.ts";
import { isQuestion } from "./kinds.ts";
import { isInMonths, isInOtherPlace, measured } from "./measures.ts";
import { boundStrengthOf, NOTHING, OTHER_ACTOR, type Reading, sharesOf, STATED } from "./outcome-reading.ts";
import { BESIDE, dateOf, pastDates, timeOf } from "./outcome-dates.ts";
import { KNOWN } from "./others-figures.ts";
import { outcomeOf } from "./outcomes.ts";
import { type Asked } from "./question.ts";
import { recorded } from "./records.ts";
import { hasOtherWay, isOfSibling, isOfYearBefore, isOtherTime } from "./siblings.ts";
import { asksSuperlative, NEXT, superlative } from "./superlatives.ts";
import { hasSurplus } from "./surplus.ts";
import { rowOf } from "./tables.ts";
import { inTime } from "./timing.ts";
import { isTurnable } from "./turning.ts";
import { isWithin } from "../reading/ranges.ts";
import { until } from "../reading/until.ts";

interface At {
  readonly source: Source;
  readonly index: number;
  readonly language: Language | undefined;
  readonly order: FirstNumber | undefined;
}

/** The statement that a passage makes. Undefined if the passage does not bear on the question. */
export function statementOf(asked: Asked, passage: Passage, at: At): Statement | undefined {
  const own = statementIn(asked, passage, at);
  const isRead = own !== undefined && own.supports !== "NEUTRAL" && own.strength >= STATED;
  const isSure = isRead && isExact(own);
  if (at.language !== "en" || asked.language !== "en" || isSure) return own;
  const named = ofOwner(asked, asked.inOwnNames(passage.text), at.source);
  const text = paraphraseOf(named, asked.outcomes, asked.plan.statement) ?? named;
  if (text === passage.text) return own;
  const words = wordsOf(text);
  const shared = new Set([...passage.shared, ...words.flatMap(({ stem }) => (asked.terms.has(stem) ? [stem] : []))]);
  const near = passage.near.union(shared);
  const shares = { coverage: coverageOf(shared, asked), context: coverageOf(near, asked) };
  const plain = statementIn(asked, { ...passage, ...shares, text, words, shared, near }, at);
  if (plain === undefined || plain.supports === "NEUTRAL") return own;
  if (isRead && (plain.supports !== own.supports || !isExact(plain))) return own;
  return { ...plain, quote: passage.text };
}

/** "We are releasing the model", on the site of the question's actor: its name stands for "we". */
function ofOwner({ agent, plan: { statement } }: Asked, text: string, { url, site = "" }: Source): string {
  if (agent === undefined || !WE.test(text)) return text;
  const own = new Set(wordsOf(`${site} ${(hostOf(url) ?? "").replace(/[.-]/gu, " ")}`).map(({ stem }) => stem));
  if (!agent.words.isSubsetOf(own)) return text;
  const words = wordsOf(statement).filter(({ stem, capital }) => capital && agent.words.has(stem));
  const name = words.map(({ start, end }) => statement.slice(start, end)).join(" ");
  return name === "" ? text : text.replaceAll(WE, (_, form = "") => `${name}${form === "" ? "" : VERBS[form]}`);
}

const WE = /(?<!\p{L})[Ww]e(?:['’](re|ve))?(?!\p{L})/gu;
const VERBS: Readonly<Record<string, string>> = { re: " are", ve: " have" };

function statementIn(asked: Asked, passage: Passage, at: At): Statement | undefined {
  const { published } = at.source;
  const named =
    published === undefined
      ? datesOf(passage.text, asked.now, at.order)
      : datesAround(passage.text, published, at.order);
  const sentence =
    at.language === undefined
      ? undefined
      : { language: at.language, dates: named, tokens: undatedTokensOf(passage.text, named, passage.words) };
  const { reading, circumstance, isDelay } = readingOf(asked, passage, sentence, at.language);
  if (reading.sign === 0 && passage.coverage < STATED) return undefined;
  // "as head coach until 2028": the end of a term is not the time of the event.
  const told = published === undefined ? named : pastDates(named, reading, published);
  const untermed = told.filter(({ start }) => !TERM.test(passage.text.slice(0, start)));
  const dates = reading.sign === 1 ? untermed : told;
  const turned = asked.plan.negated ? -reading.sign : reading.sign;
  const date = dateOf(passage.text, dates, reading);
  const base: Statement = {
    source: at.index,
    quote: passage.text,
    supports: "NEUTRAL",
    kind: reading.kind ?? (isQuestion(passage.text) ? "question" : "report"),
    strength: Math.min(0.3, passage.coverage * 0.3),
    date: date?.isAmbiguous === true ? undefined : date?.from,
    ...((reading.isPending === true || (reading.sign === -1 && reading.isAbsence)) && { isPending: true }),
  };
  if (reading.sign === 0 || (!isDelay && isOtherTime(asked, passage.text, untermed, reading.part))) return base;
  if (isOfOther(asked, passage, reading.part, { sentence, published, isFigure: reading.isFigure === true }))
    return base;
  const { part } = reading;
  return inTime(
    asked,
    {
      ...base,
      supports: sideOf(turned),
      strength: reading.strength * (base.kind === "fact-check" ? 0.9 : 1),
      isForeign: at.language !== asked.language,
      isLoose:
        reading.isLoose === true ||
        (circumstance !== undefined && circumstance !== "same") ||
        (reading.sign === 1 && saysLess(asked, passage, reading, at.language)) ||
        (at.language !== asked.language && leavesOblique(asked, passage)) ||
        // The other cells of a row do not qualify its figure.
        (asked.plan.known !== undefined && /(?<!\p{L})(?:or|oder|ou)(?!\p{L})/iu.test(passage.text)) ||
        (at.language === asked.language && hasOtherWay(asked, passage.words)) ||
        (sentence !== undefined &&
          part !== undefined &&
          passage.table === undefined &&
          saysOther(asked, passage.text, sentence, part)),
      isTurnable: isTurnable(asked, passage, reading, sentence),
    },
    {
      reading,
      date: timeOf(passage.text, dates, { reading, date }),
      isDated:
        reading.isDated === true ||
        isDatedTable(asked, passage.table) ||
        dates.some(({ to }) => to <= (asked.plan.deadline ?? to)) ||
        LAST_YEAR.test(passage.text),
      source: at.source,
    },
  );
}

/** Whether the caption of a table has a date in the time of the question: "Certified results, November 10, 2026". */
function isDatedTable({ now, plan: { from, deadline } }: Asked, table: Passage["table"]): boolean {
  if (table === undefined || from === undefined || deadline === undefined) return false;
  return datesOf(table.caption, now).some((date) => date.hasYear && date.from >= from && date.to <= deadline);
}

/** The reading of a sentence, the side of its circumstance, and whether the sentence puts the event off. */
function readingOf(
  asked: Asked,
  passage: Passage,
  sentence: ReadSentence | undefined,
  language: Language | undefined,
): { readonly reading: Reading; readonly circumstance: Circumstance | undefined; readonly isDelay: boolean } {
  const found = sentence === undefined ? NOTHING : read(asked, passage, sentence);
  // "The Rhode dam is the tallest" for "Is the Sable dam the tallest?"
  const isOther = found === NOTHING || (found.strength === OTHER_ACTOR && language === "en");
  const own = !isOther && isOfSibling(asked, passage, language) ? NOTHING : found;
  const delay = own.strength < STATED && sentence !== undefined ? delayOf(asked, passage, sentence) : undefined;
  const circumstance = own.sign === 1 && own.isFigure !== true ? circumstanceOf(asked, passage) : undefined;
  const reading: Reading = circumstance === "contrary" ? { ...own, sign: -1 } : (delay ?? own);
  return { reading, circumstance, isDelay: delay !== undefined };
}

/** Whether the clause of a reading is of the year before, or about a part or a member of the question's subject. */
function isOfOther(
  asked: Asked,
  { text }: Passage,
  part: Reading["part"],
  {
    sentence,
    published,
    isFigure,
  }: { sentence: ReadSentence | undefined; published: number | undefined; isFigure: boolean },
): boolean {
  if (part === undefined) return false;
  const { from, deadline } = asked.plan;
  return (
    // "beat Westmere in March", for a match in October
    (!isFigure && !isInMonths(text.slice(part.start, part.end + BESIDE), from, deadline)) ||
    (!isFigure && TIMES.test(text.slice(part.start, part.end)) && !TIMES.test(asked.plan.statement)) ||
    (!isFigure && isOfYearBefore(asked, text.slice(part.start, part.end), published)) ||
    (sentence !== undefined && hasSurplus(asked, text, sentence, { ...part, isSubjectOnly: true }))
  );
}

/** "has won the race eleven times": all the years before. */
const TIMES = new RegExp(
  `(?:(?<![\\p{L}\\d])(?:\\d+|several|many|mehrere|plusieurs|varias|diverse|várias)|${numberWordPattern()})\\s(?:times|mal|fois|veces|volte|vezes)(?!\\p{L})|(?<!\\p{L})(?:twice|thrice)(?!\\p{L})|(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)mal(?!\\p{L})`,
  "iu",
);

/** Whether a sentence that affirms leaves out a word of the question, or names one of what the question asks for all. */
function saysLess(asked: Asked, passage: Passage, { isFigure }: Reading, language: Language | undefined): boolean {
  return (
    (language === asked.language && leavesOut(asked, passage, isFigure === true)) ||
    WHOLES.some((whole) => whole.test(asked.plan.statement) && !whole.test(passage.text))
  );
}

/** Whether the part of a sentence with the outcome has words that make it another one, or take it back. */
function saysOther(
  asked: Asked,
  text: string,
  sentence: ReadSentence,
  part: { readonly start: number; readonly end: number },
): boolean {
  // A title in quotation marks does not end its clause.
  const isCounted = sentence.language !== "en" || asked.thresholds.length > 0 || asksSuperlative(asked);
  return (
    hasSurplus(asked, isCounted ? text : text.replace(/["“”„«»]/gu, " "), sentence, part) ||
    // "the largest service in Norway"
    ((asksSuperlative(asked) || leavesPlace(asked, sentence.tokens, part)) &&
      isInOtherPlace(asked, sentence.tokens, part)) ||
    isReversed(asked, text, part)
  );
}

/** Whether the question names where it happens, and a clause does not. */
function leavesPlace(
  { plan, names }: Asked,
  tokens: readonly Token[],
  part: { readonly start: number; readonly end: number },
): boolean {
  const words = wordsOf(plan.statement);
  const places = words
    .filter(({ stem }, at) => names.has(stem) && WORDS.in.has(words[at - 1]?.text))
    .map(({ stem }) => stem);
  const clause = tokens.filter((token) => isWithin(token, part));
  // "in Norvia, after it passed Coralia"
  const said = until(clause, ({ text }) => WORDS.circumstance.has(text));
  return places.some((place) => !said.some(({ stem }) => stem === place));
}

/**
 * Whether a word of the question beside its arguments is neither in the sentence nor near it: "won the cup" for "won the cup on
 * penalties". A figure must be of all the question's names.
 */
function leavesOut(asked: Asked, { words, after, ...passage }: Passage, isFigure: boolean): boolean {
  const { terms, names, predicate, phrase, agent, patient, language = "en" } = asked;
  // "Holm broke the record. The Storvik Marathon was fast": the next sentences go on with the names.
  const near = passage.near.union(new Set(wordsOf(after).flatMap(({ stem }) => (names.has(stem) ? [stem] : []))));
  const question = wordsOf(asked.plan.statement);
  // "adjusted earnings", "domestic opening weekend"
  const isKind = ({ text, stem }: Word): boolean => terms.has(stem) && stem !== predicate?.stem && KIND.test(text);
  if (isFigure) {
    // The caption of a table can have them.
    const counted = passage.table === undefined ? countedIn(asked) : [];
    const said = near.union(new Set(words.map(({ stem }) => stem)));
    return !names.isSubsetOf(near) || [...question.filter(isKind), ...counted].some(({ stem }) => !said.has(stem));
  }
  // "a loss" for "an annual loss"
  const heads = new Set([...(agent?.heads ?? []), ...(patient?.heads ?? [])]);
  const isModifier = ({ capital, text, stem }: Word, at: number): boolean =>
    language === "en" &&
    !capital &&
    !heads.has(stem) &&
    numberWord(text, language) === undefined &&
    heads.has(question[at + 1]?.stem ?? "");
  const modifiers = new Set(question.filter(isModifier).map(({ stem }) => stem));
  const nouns = new Set([...(agent?.words ?? []), ...(patient?.words ?? [])]).difference(modifiers);
  const core = new Set([...nouns, ...phrase, predicate?.stem]);
  const { denies } = GRAMMARS[language];
  // "the most new seats" for "the most seats"
  const isMost = question.some(
    ({ text }, at) =>
      text === "most" &&
      !words.some(
        (word, n) =>
          word.text === text && words[n + 1]?.stem === question[at + 1]?.stem && !NEXT.test(words[n - 1]?.text ?? ""),
      ),
  );
  if (isMost) return true;
  return [...terms].some(
    (term) => !core.has(term) && !near.has(term) && !WORDS.time.has(term) && !(asked.plan.negated && denies.has(term)),
  );
}

/** The words for the kind of what is counted: "gold" of "20 gold medals", "domestically" of "$100 million domestically". */
function countedIn({ thresholds }: Asked): readonly Word[] {
  return thresholds.flatMap(({ text, unit }) => [
    ...describedIn(text, { unit, start: 0, end: text.length }).filter(
      ({ stem, text: word }) => stem !== unit && !STOP_WORDS.has(word),
    ),
    ...wordsOf(text).filter((word) => EXTENT.test(word.text)),
  ]);
}

const EXTENT = /^(?:(?:domestic|glob|internation)ally|worldwide|nationwide)$/u;
const KIND = /ed$|^(?:domestic|global|worldwide|foreign|gross|net|core)$/u;

/** "wegen Mordes verurteilt" for "convicted of fraud": only a word of the same beginning is known to be the question's. */
function leavesOblique({ oblique }: Asked, { words }: Passage): boolean {
  if (oblique === undefined) return false;
  const beginnings = [...oblique.words].map((stem) => stem.slice(0, 4));
  return !words.some(
    ({ stem }, at) => beginnings.includes(stem.slice(0, 4)) && OBLIQUE.test(words[at - 1]?.text ?? ""),
  );
}

const OBLIQUE = /^(?:wegen|als|zu[mr]?|pour|de|por|como|per|come|di)$/u;

/** "by both parliaments", "all games": one of them is not enough. */
const WHOLES = [
  /(?<!\p{L})(?:both|beide[nr]?|les\sdeux|amb[oa]s|entramb[ie])(?!\p{L})(?!.*\s(?:and|und|et|y|e)\s)/iu,
  /(?<!\p{L})(?:all(?!\p{L})|every(?!\p{L})|each(?!\p{L})|alle[nr]?(?!\p{L})|tous(?!\p{L})|toutes|todos|todas|tutt[ie])/iu,
];

/** "had cancelled its order, but placed it again", "hätte gewonnen": the words of a clause held only for a time, or never. */
function isReversed(
  { outcomes }: Asked,
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): boolean {
  const [own, behind] = [text.slice(start, end), text.slice(end)];
  if (REVERSES.test(behind) || UNREAL.test(own)) return true;
  // "a result later annulled", "but the title was stripped"
  const later = [...conceptsIn(wordsOf(TURN.exec(behind)?.[0] ?? ""))];
  // "ended their strike, while dockers stayed out"
  if (later.some((one) => (OUTCOMES.undoing.has(one) || one === "persist") && !outcomes.has(one))) return true;
  // "quashed the ruling that had annulled the sentence", "threw out a verdict that found X liable"
  const isUndone = [...conceptsIn(wordsOf(text.slice(0, start)))].some((one) => OUTCOMES.undoing.has(one));
  return (HAD.test(own) && BUT.test(behind)) || (isUndone && (HAD.test(own) || own.startsWith("that ")));
}

const HAD = /(?<!\p{L})(?:had|hatten?|avai(?:t|ent)|había[ns]?|avevan?o?|tinham?|haviam?)\s/iu;
const UNREAL = /(?<!\p{L})(?:hätten?|wären?|würden?|aurai(?:t|ent)|habrían?|hubieran?|avrebber?o?|teriam?)(?!\p{L})/iu;
const BUT =
  /^[^,;.]{0,30}?,?\s(?:but|before|until|when|only\sto|bevor|ehe|aber|doch|jedoch|avant|mais|antes|pero|hasta|prima|ma|fino|mas|até)\s/iu;
const TURN = /(?:,\s(?:an?|which)\s|\s(?:but|before|only\sto|while|whereas|although)\s).*/isu;
const REVERSES =
  /^[^,;.]{0,30}?,?\s(?:(?:but|before|only\sto|and\s(?:was|were|is|are|has|have|then|later))\s(?:[^.;]*\s)?again|(?:(?:but|before|only\sto)\s(?:[^.;]*\s)?|and\s(?:(?-i:\p{Ll}+)\s){0,4}?)(?:revers\p{L}+|reinstat\p{L}+|restor\p{L}+|retract\p{L}+|took\sit\sback|(?:stayed|suspended|overturned|quashed)\s(?:the|that|its?|this)|resigned|quit|stepped\sdown|declined))(?!\p{L})/iu;

const TERM =
  /(?<![\p{L}])(?:until|till|through|bis|jusqu['’]\p{L}+|hasta|fino\sal?|até)\s(?:the\send\sof\s|ende\s|en\s)?$/iu;

function sideOf(sign: number): Support {
  return sign === 1 ? "YES" : sign === -1 ? "NO" : "NEUTRAL";
}

const UNCHANGED = /\b(?:unchanged|steady|on hold)\b/u;

/** "fewer than 5,000 people" */
function isUpperBound({ comparison, unit }: Threshold): boolean {
  return (comparison === "below" || comparison === "at most") && !KNOWN.has(unit);
}

/** The reading of a row of a table. */
function readingOfRow(asked: Asked, passage: Passage, sentence: ReadSentence): Reading {
  const row = rowOf(asked, passage, sentence);
  const { context } = sharesOf(asked, passage);
  return row === undefined
    ? NOTHING
    : { ...row, strength: boundStrengthOf(context, context), isAbsence: false, isFigure: asked.thresholds.length > 0 };
}

function read(asked: Asked, passage: Passage, sentence: ReadSentence): Reading {
  const { language, dates } = sentence;
  // Of two events, a sentence states one: each has its own plan.
  if (asked.language === undefined || asked.plan.parts !== undefined) return NOTHING;
  const answer = answerOf(asked, passage);
  if (answer.sign !== 0) return answer;
  const verdict = factCheckOf(passage);
  // "It is not true that the park had 874,200 visitors" does not deny a million.
  const figures = asked.thresholds.length === 0 ? [] : quantitiesOf(passage.text, language, dates);
  if (verdict.sign !== 0 && asked.thresholds.every(({ value }) => figures.some((one) => one.value === value)))
    return verdict;
  if (isQuestion(passage.text)) return NOTHING;
  if (passage.table !== undefined) return readingOfRow(asked, passage, sentence);
  if (asked.thresholds.length > 0) {
    // "the women's 400 metres" names a contest.
    const isContest = asked.thresholds.every(({ comparison, unit }) => comparison === "equal" && unit === "m");
    const measure = isContest ? undefined : measured(asked, passage, sentence);
    if (measure !== undefined) {
      // The noun that is counted is in the sentence too.
      const { coverage, context: near } = sharesOf(asked, passage);
      // A count does not fall again.
      const isOver = measure.sign === -1 && asked.thresholds.every(isUpperBound);
      const [covered, context] = [1 - 0.75 * (1 - coverage), 1 - 0.75 * (1 - near)];
      return {
        sign: measure.sign,
        strength: boundStrengthOf(Math.max(covered, 0.6), Math.max(covered, context)) * measure.factor,
        isAbsence: measure.sign === -1 && !isOver,
        isFinal: isOver,
        part: measure.part,
        kind: "report",
        isFigure: true,
      };
    }
    if (asked.thresholds.some(({ comparison }) => comparison !== "equal")) {
      // "left its rate unchanged" for "cut its rate by at least 50 basis points", "Y beat X" for "X beat Y by 5 points"
      const isDirected = [...asked.outcomes].some((one) => OUTCOMES.directed.has(one));
      // "left its rate unchanged" for "cut its rate below 3 percent"
      const isSteady =
        asked.patient !== undefined &&
        UNCHANGED.test(passage.text) &&
        ["rise", "fall"].some((one) => asked.outcomes.has(one));
      const isRead =
        asked.asksChange || isSteady || (isDirected && asked.patient?.words.isDisjointFrom(asked.names) === false);
      const outcome = isRead ? outcomeOf(asked, passage, sentence) : NOTHING;
      return outcome.sign === -1 ? outcome : NOTHING;
    }
    // "the second time" for "three times"
    if (!asked.thresholds.every(({ value }) => figures.some((one) => one.value === value))) return NOTHING;
  }
  const record = recorded(asked, passage, sentence);
  if (record === undefined) {
    const ranked = superlative(asked, passage, sentence);
    return ranked === undefined
      ? outcomeOf(asked, passage, sentence)
      : {
          ...ranked,
          strength: ranked.sign === -1 ? OTHER_ACTOR : boundStrengthOf(passage.context, passage.context),
          isAbsence: false,
          kind: "report",
          isFinal: true,
        };
  }
  const { context } = sharesOf(asked, passage);
  const strength = record.isOther ? OTHER_ACTOR : boundStrengthOf(context, context);
  return { ...record, strength, isAbsence: false, kind: record.sign === 0 ? "announcement" : "report", isFinal: true };
}
