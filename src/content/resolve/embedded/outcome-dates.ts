import { inYear, type NamedDate } from "../reading/dates.ts";
import { boundedDate } from "../reading/deadline.ts";
import { EFFECT } from "../reading/phrases.ts";
import { isNear, isWithin } from "../reading/ranges.ts";
import { type Reading } from "./outcome-reading.ts";

/** The date of the outcome: the first one in its clause, or else the first one of the sentence. */
export function dateOf(text: string, dates: readonly NamedDate[], { part, isFigure }: Reading): NamedDate | undefined {
  const exact = dates.filter(
    (one) =>
      one.precision !== "year" &&
      !EFFECT.test(text.slice(0, one.start)) &&
      // "X resigned on 12 May, and the inquiry began on 3 June"
      !(part !== undefined && one.end <= part.start && AND.test(text.slice(one.end, part.start + LONGEST_AND))),
  );
  const told = exact.filter((one) => part !== undefined && !isInserted(text, one));
  // "X landed on 7 July; then, on 20 August, Y landed"
  const inside =
    told.find((one) => part !== undefined && isWithin(one, part)) ??
    told.findLast(
      (one) => part !== undefined && isNear(one, part, BESIDE) && !/;/u.test(text.slice(one.end, part.start)),
    );
  // "Zetalk had 112 million users, it said on Thursday"
  // "resigned on Friday, after the court had ruled": the date is that of the other event.
  const isOther = part !== undefined && CIRCUMSTANCE.test(text.slice(part.start));
  return inside ?? (isFigure === true || isOther ? undefined : exact.find((one) => !isInserted(text, one)));
}

/** The dates of a sentence of a past event: one without a year, in the clause of the event, is not after the day of publication. */
export function pastDates(dates: readonly NamedDate[], { part, isPast }: Reading, published: number): NamedDate[] {
  return dates.map((date) => {
    const isOf = part !== undefined && isPast === true && isNear(date, part, BESIDE);
    return isOf && !date.hasYear && date.from > published + MONTH ? inYear(date, -1) : date;
  });
}

const MONTH = 31 * 86_400_000;

/** "The bank, which first made an offer in May, completed the purchase": the date is that of the offer. */
function isInserted(text: string, { start, end }: NamedDate): boolean {
  return INSERTED.test(text.slice(0, start)) && /^[^,.;]*,/u.test(text.slice(end));
}

const INSERTED = /,\s(?:which|who|whose)\s[^,;]*$/u;

/** The time of the outcome: its date with the words that bound it, or its year. */
export function timeOf(
  text: string,
  dates: readonly NamedDate[],
  { reading, date }: { readonly reading: Reading; readonly date: NamedDate | undefined },
): NamedDate | undefined {
  if (date === undefined) return yearOf(text, dates, reading);
  return reading.isFigure === true ? date : boundedDate(text, date, dates);
}

/** The year of the outcome: "opened in 2026". Undefined for a figure, and for the year of a name. */
function yearOf(text: string, dates: readonly NamedDate[], { part, isFigure }: Reading): NamedDate | undefined {
  if (isFigure === true) return undefined;
  return dates.find(
    (date) =>
      date.precision === "year" &&
      IN_YEAR.test(text.slice(0, date.start)) &&
      (part === undefined || isNear(date, part, BESIDE)),
  );
}

const IN_YEAR = /(?<!\p{L})(?:in|im\sjahre?|en|em|nel|during|au\scours\sde|durante)\s$/iu;

const CIRCUMSTANCE = /^(?:after|before|since)\s/iu;

/** A conjunction behind a date, which ends the clause of the date. */
const AND =
  /^[,;]?\s(?:and|but|while|whereas|und|aber|während|et|mais|tandis|y|pero|mientras|e|ma|mentre|mas|enquanto)\s/iu;
const LONGEST_AND = 12;

/** Characters between a clause and a date that belongs to it. */
export const BESIDE = 4;
