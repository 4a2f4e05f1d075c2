import { type Passage } from "../evidence/passages.ts";
import { type NamedDate } from "../reading/dates.ts";
import { type Token } from "../reading/spans.ts";
import { COMPARED, STAGE, YEAR_BEFORE } from "../reading/phrases.ts";
import { CONTRASTS } from "../reading/vocabulary.ts";
import { wordsOf } from "../reading/words.ts";
import { type Asked, numberedIn, yearsOf } from "./question.ts";

/** Whether a sentence is about the other of two: the men's cup for the women's cup. */
export function isOfOthers({ plan }: Asked, { words }: Passage): boolean {
  const asked = wordsOf(plan.statement);
  return CONTRASTS.some((pair) => {
    const own = pair.filter((word) => asked.some(({ stem }) => stem === word));
    const said = pair.filter((word) => words.some(({ stem }) => stem === word));
    return own.length > 0 && said.length > 0 && !said.some((word) => own.includes(word));
  });
}

/** Whether a clause is about a part of the question's outcome, a stage before it, or another of several things with one name. */
export function isOfPart(
  { plan: { question }, joined, numbered }: Asked,
  tokens: readonly Token[],
  { said, start, end }: { readonly said: string; readonly start: number; readonly end: number },
): boolean {
  const clause = tokens.filter((token) => token.start >= start && token.end <= end);
  const stems = new Set(clause.map(({ stem }) => stem));
  if (joined.some(([one, other]) => stems.has(one) !== stems.has(other))) return true;
  if (STAGE.test(said) && !STAGE.test(question)) return true;
  const numbers = numberedIn(clause);
  return numbered.some(
    ([name, number]) =>
      numbers.some(([other]) => other === name) && !numbers.some((one) => one[0] === name && one[1] === number),
  );
}

/** Whether a sentence is about another year than the question. */
export function isOtherTime(
  asked: Asked,
  text: string,
  dates: readonly NamedDate[],
  part: { readonly start: number; readonly end: number } = { start: 0, end: text.length },
): boolean {
  const own = dates.filter(({ hasYear, start, end }) => hasYear && start >= part.start && end <= part.end);
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
