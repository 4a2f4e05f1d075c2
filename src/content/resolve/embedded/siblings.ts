import { type Passage } from "../evidence/passages.ts";
import { conceptsIn } from "../reading/concepts.ts";
import { type NamedDate } from "../reading/dates.ts";
import { isFinite, type Token } from "../reading/spans.ts";
import { COMPARED, STAGE, YEAR_BEFORE } from "../reading/phrases.ts";
import { WORDS } from "../reading/vocabulary.ts";
import { type Grammar, GRAMMARS, isFunctionWord } from "../reading/grammar.ts";
import { type Language, type Word, wordsOf } from "../reading/words.ts";
import { GENERAL } from "./others-figures.ts";
import { type Asked, numberedIn, yearsOf } from "./question.ts";
import { isWithin } from "../reading/ranges.ts";
import { until } from "../reading/until.ts";

const TITLE = /["“«„]\s?([^"“”«»„]{2,60}?)\s?["”»“]/gu;

function titlesIn(text: string): string[] {
  return [...text.matchAll(TITLE)].map(([, title = ""]) => title.toLowerCase());
}

/** Whether a text names another title in quotation marks that has a word of the question's: "High Tide" for "Low Tide". */
function isOfOtherTitle(statement: string, text: string): boolean {
  const [asked, said] = [titlesIn(statement), titlesIn(text)];
  return asked.some((title) => {
    const stems = new Set(wordsOf(title).map(({ stem }) => stem));
    return !said.includes(title) && said.some((other) => wordsOf(other).some(({ stem }) => stems.has(stem)));
  });
}

/** "Thailand's SEC", if the question asks for the SEC. */
function isForeignBody(statement: string, text: string, inOwnNames: Asked["inOwnNames"]): boolean {
  return [...text.matchAll(OWNED_ACRONYM)].some(
    ([, owner = "", acronym = ""]) =>
      !statement.includes(owner) &&
      (inOwnNames(acronym) !== acronym || new RegExp(String.raw`(?<!\p{L})${acronym}(?!\p{L})`, "u").test(statement)),
  );
}

const OWNED_ACRONYM = /(?<!\p{L})(?!America)(\p{Lu}\p{L}+)['’]s?\s([A-Z]{2,6})(?!\p{L})/gu;

/** "The trailer for "Low Tide"", "the "Low Tide" soundtrack", "the first season of "Low Tide"": what belongs to a work. */
function isOfPartOfWork(text: string): boolean {
  const [work] = text.matchAll(TITLE);
  if (work === undefined) return false;
  const [before, behind] = [text.slice(0, work.index), text.slice(work.index + work[0].length)];
  return OF_WORK.test(before) || PART_OF_WORK.test(behind);
}

const OF_WORK =
  /(?:trailer|remake|sequel|prequel|soundtrack|season|series|episode|cast|star|director|viewers?|fans|rights|\d%)\s(?:\p{L}+\s)?(?:of|for|to|from)\s(?:the\s)?$/iu;
const PART_OF_WORK =
  /^\s(?:director|star|actor|actress|soundtrack|trailer|viewers?|creator|writer|producer|cast|crew|fans|podcast|sequel|spin-?off)(?!\p{L})/iu;

/**
 * Whether a sentence has another word where the question has one that the text does not have: "Coral Air" for "Reef Air",
 * "the law on water" for "the law on energy".
 */
export function isOfSibling(
  { plan, language, predicate, thresholds, inOwnNames }: Asked,
  { words, near, text }: Passage,
  own: Language | undefined,
): boolean {
  if (isOfOtherTitle(plan.statement, text)) return true;
  // "Paper Moons" took more than "Glass Harbour": the figure is of the first title.
  const [asks, [first]] = [titlesIn(plan.statement), titlesIn(text)];
  if (thresholds.length > 0 && asks.length > 0 && first !== undefined && !asks.includes(first)) return true;
  if ((asks.length > 0 && isOfPartOfWork(text)) || isForeignBody(plan.statement, text, inOwnNames)) return true;
  if (language === undefined || language !== own) return false;
  const grammar = GRAMMARS[language];
  const slots = slotsOf(wordsOf(plan.statement), grammar);
  const said = slotsOf(words, grammar);
  return slots.some(({ one, other, between }) =>
    [
      { missing: one, kept: other, isLeft: true },
      { missing: other, kept: one, isLeft: false },
    ].some(
      ({ missing, kept, isLeft }) =>
        plan.terms.includes(missing.stem) &&
        !(thresholds.length > 0 && GENERAL.has(missing.stem)) &&
        missing.stem !== predicate?.stem &&
        // "landed on Ganymede" for "land on Europa", and not "won the cup" for "win the league"
        (kept.stem !== predicate?.stem || (!isLeft && missing.capital && isPlaced(between, grammar))) &&
        !near.has(missing.stem) &&
        said.some((slot) => {
          const [rival, beside] = isLeft ? [slot.one, slot.other] : [slot.other, slot.one];
          return (
            slot.between === between &&
            beside.stem === kept.stem &&
            (rival.capital === missing.capital || WORDS.level.has(rival.text)) &&
            !WORDS.time.has(rival.text) &&
            !plan.terms.includes(rival.stem) &&
            // "the acquisition of Sillo" for "the takeover of Sillo"
            conceptsIn([rival]).isDisjointFrom(conceptsIn([missing])) &&
            // "inflation accelerated" for "the inflation rate"
            (isLeft || between !== "" || !isFinite(rival, language))
          );
        }),
    ),
  );
}

/** Whether a preposition tells where, and not by whom or for whom. */
function isPlaced(text: string, grammar: Grammar): boolean {
  return grammar.preposition.has(text) && !grammar.by.has(text) && !WORDS.to.has(text);
}

/** "flights over Corvale" for "flights to Corvale", "la plainte contre Orval": another way between the same words. */
export function hasOtherWay({ plan: { statement }, language = "en" }: Asked, words: readonly Word[]): boolean {
  const said = slotsOf(words, GRAMMARS[language]);
  return slotsOf(wordsOf(statement), GRAMMARS[language]).some(({ one, other, between }) => {
    const beside = said.filter((slot) => slot.one.stem === one.stem && slot.other.stem === other.stem);
    const asked = /^\d/u.test(other.text) ? undefined : wayOf(between);
    const ways = beside.flatMap((slot) => wayOf(slot.between) ?? []);
    // "approval of the drug" is approval for it.
    const isOther = asked === OF ? ways.includes(AGAINST) : ways.some((way) => way !== OF);
    return asked !== undefined && !ways.includes(asked) && isOther;
  });
}

const [OF, AGAINST] = [0, 1];
/** The first two are of all languages. */
const WAYS = [
  "of de d' du des von del della do da",
  "against gegen contre contra contro",
  "to into for towards",
  "from off",
  "over above across",
  "under below",
  "outside beyond",
  "with",
  "without",
];

function wayOf(between: string): number | undefined {
  const way = WAYS.findIndex((words) => words.split(" ").includes(between.split(" ", 1)[0] ?? ""));
  return way < 0 ? undefined : way;
}

interface Slot {
  readonly one: Word;
  readonly other: Word;
  /** The function words between them, without an article behind a preposition. */
  readonly between: string;
}

/** The pairs of neighbouring content words. */
function slotsOf(words: readonly Word[], grammar: Grammar): Slot[] {
  const content = words.flatMap((word, at) => (isFunctionWord(word.text, grammar) ? [] : [{ word, at }]));
  return content.flatMap(({ word, at }, n): Slot[] => {
    const next = content[n + 1];
    if (next === undefined) return [];
    const between = words.slice(at + 1, next.at).map(({ text }) => text);
    const plain = between.filter((text) => !grammar.determiner.has(text));
    return [{ one: word, other: next.word, between: (plain.length > 0 ? plain : between).join(" ") }];
  });
}

/** Whether a clause is about a part of the question's outcome, a stage before it, or another of several things with one name. */
export function isOfPart(
  { plan: { question }, joined, names, numbered, terms }: Asked,
  tokens: readonly Token[],
  { said, start, end }: { readonly said: string; readonly start: number; readonly end: number },
): boolean {
  const clause = tokens.filter((token) => isWithin(token, { start, end }));
  const stems = new Set(clause.map(({ stem }) => stem));
  if (joined.some(([one, other]) => stems.has(one) !== stems.has(other))) return true;
  if (STAGE.test(said) && !STAGE.test(question)) return true;
  // "as a Category 3 storm, after weakening from Category 4"
  const numbers = numberedIn(until(clause, ({ text }) => WORDS.circumstance.has(text)));
  if (hasOtherNumber({ names, numbered, terms }, clause)) return true;
  return numbered.some(
    ([name, number]) =>
      numbers.some(([other]) => other === name) && !numbers.some((one) => one[0] === name && one[1] === number),
  );
}

/** "Heron 2" for "Heron": whether a name has a number that the question does not give it. */
export function hasOtherNumber(
  { names, numbered, terms }: Pick<Asked, "names" | "numbered" | "terms">,
  clause: readonly Token[],
  fits = (_behind: Token | undefined): boolean => true,
): boolean {
  return clause.some(({ stem }, at) => {
    const [number, behind] = clause.slice(at + 1, at + 3);
    // "beat Chelsea 2-1"
    const isResult = behind !== undefined && (/^[-:–]/u.test(behind.gap) || AMOUNT.test(behind.text));
    const isNumber = /^\d{1,3}$/u.test(number?.text ?? "") && /^[\s-]$/u.test(number?.gap ?? "");
    // "The S&P 500 closed"
    if (number === undefined || terms.has(number.stem)) return false;
    return names.has(stem) && !isResult && isNumber && fits(behind) && !numbered.some(([own]) => own === stem);
  });
}

/** "fined Orbis 40 million euros" */
const AMOUNT = /^(?:thousand|million|billion|trillion|percent|per|euros?|dollars?|pounds?|crowns?)$/u;

/** Whether a sentence is about another year than the question. */
export function isOtherTime(
  asked: Asked,
  text: string,
  dates: readonly NamedDate[],
  part: { readonly start: number; readonly end: number } = { start: 0, end: text.length },
): boolean {
  const own = dates.filter((date) => date.hasYear && isWithin(date, part));
  const others = dates.filter(
    ({ hasYear, start }) => hasYear && start <= part.end + BESIDE && !/\([^)]*$/u.test(text.slice(0, start)),
  );
  const years = (own.length > 0 ? own : others)
    .filter(({ start }) => !COMPARED.test(text.slice(0, start)))
    .flatMap(yearsOf);
  if (asked.years.size > 0 && years.length > 0) return !years.some((year) => asked.years.has(year));
  return false;
}

/** Characters between a clause and a date that belongs to it. */
const BESIDE = 8;

/** Whether the outcome is of the year before the publication, and the question is of another: "who won the league last season". */
export function isOfYearBefore({ years }: Asked, said: string, published: number | undefined): boolean {
  if (published === undefined || years.size === 0) return false;
  return YEAR_BEFORE.test(said) && !years.has(new Date(published).getUTCFullYear() - 1);
}
