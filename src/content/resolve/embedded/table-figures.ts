import { conceptsIn } from "../reading/concepts.ts";
import { datesOf, type NamedDate } from "../reading/dates.ts";
import { meets, quantitiesOf, type Quantity } from "../reading/quantities.ts";
import { WORDS } from "../reading/vocabulary.ts";
import { type Language, wordsOf } from "../reading/words.ts";
import { KNOWN } from "./others-figures.ts";
import { type Asked, yearsOf } from "./question.ts";
import { type Cell, isInterim, isOfQuestion, RANK, type Row, subjectOf, type Table } from "./table.ts";
import { isWithin } from "../reading/ranges.ts";

/** The column that says in which place a row is, if the question is about the winner: "Did the winner finish in under two hours?" */
function placeOfWinner({ asked, head, row }: Table): number {
  const rank = head.findIndex(({ text }) => RANK.test(text));
  const isAsked = conceptsIn(wordsOf([...(asked.agent?.heads ?? [])].join(" "))).has("win");
  return isAsked && row[rank]?.text === "1" ? rank : -1;
}

/** Whether a date is the time that the question asks for. */
function isTimeOf({ years, now, plan: { statement, from, deadline } }: Asked, date: NamedDate): boolean {
  // "in the 2026 census"
  if (from === undefined && deadline === undefined)
    return date.precision === "year" && [...years].join() === [...new Set(yearsOf(date))].join();
  // "close above 5,000 on 31 December"
  if (from === undefined && date.precision === "day")
    return datesOf(statement, now).some((one) => one.precision === "day" && one.from === date.from);
  if (from === undefined || deadline === undefined || date.from < from || date.to > deadline) return false;
  return date.to - date.from >= 0.9 * (deadline - from);
}

interface MonthFormats {
  readonly month: Intl.DateTimeFormat;
  readonly monthOfYear: Intl.DateTimeFormat;
}

/** By language, since making one takes longer than reading a row. */
const FORMATS = new Map<Language, MonthFormats>();

/** The names, in lower case, of the month that the question asks for. */
function monthsOf({ plan: { from, deadline } }: Asked, language: Language): readonly string[] {
  if (from === undefined || deadline === undefined) return [];
  const formats = FORMATS.get(language) ?? {
    month: new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" }),
    monthOfYear: new Intl.DateTimeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" }),
  };
  FORMATS.set(language, formats);
  const first = formats.monthOfYear.format(from);
  const isMonth = first === formats.monthOfYear.format(deadline);
  return isMonth ? [first, formats.month.format(from)].map((name) => name.toLowerCase()) : [];
}

/** The label of a row that a figure needs: the subject, the time, or what is measured. Undefined if the row is of another thing or time. */
function labelOf(table: Table): { readonly key: number; readonly isTime: boolean } | undefined {
  const { asked, dates, row, language } = table;
  const subject = subjectOf(table);
  if (subject >= 0) return { key: subject, isTime: false };
  const winner = placeOfWinner(table);
  if (winner >= 0) return { key: winner, isTime: false };
  const months = monthsOf(asked, language);
  const time = row.findIndex((cell) =>
    dates.some((date) => isWithin(date, cell) && date.end - date.start > 0.6 * cell.text.length),
  );
  const isOwn = dates.some((date) => isTimeOf(asked, date) && date.start >= (row[time]?.start ?? Infinity));
  const named = row.findIndex(({ text }) => months.includes(text.toLowerCase()));
  if (named >= 0 || (time >= 0 && isOwn)) return { key: Math.max(named, time), isTime: true };
  const [first] = row;
  const isRevenue = REVENUE.test(first?.text ?? "") && /\brevenues?\b|\bsales\b/iu.test(asked.plan.statement);
  const isMeasure =
    first !== undefined &&
    time < 0 &&
    !OTHER_PERIOD.test(first.raw) &&
    (isRevenue || isOfQuestion(first, table, isGeneral));
  return isMeasure ? { key: 0, isTime: false } : undefined;
}

const REVENUE = /^(?:total\s|net\s){0,2}(?:operating\s)?(?:revenues?|sales)$/iu;

/** A change over another time than a year: "1-month change". */
const OTHER_PERIOD =
  /(?:month|week|quarter)ly|(?<!\d)(?:one|\d)[\s-](?:month|week|quarter)|(?:month|quarter|week)[\s-](?:on|over)|[mq]\/[mq]/iu;

function isGeneral(word: string): boolean {
  return /^\d/u.test(word) || [WORDS.time, WORDS.standFor, WORDS.general].some((words) => words.has(word));
}

/** Compares one cell with the threshold: the one whose labels share the most words with the question. */
export function figureIn(table: Table): Row | undefined {
  const { asked, head, row } = table;
  const [threshold] = asked.thresholds;
  const label = labelOf(table);
  if (threshold === undefined || asked.thresholds.length > 1 || label === undefined) return undefined;
  const times = head.map(({ raw }) => datesOf(raw, asked.now));
  const hasTimes = !label.isTime && times.some((dates) => dates.length > 0);
  // "more than five gold medals" is in the column "Gold".
  const unit = new Set([threshold.unit, ...wordsOf(`${threshold.unit} ${threshold.text}`).map(({ stem }) => stem)]);
  const scored = row.flatMap((cell, at) => {
    const isLate = hasTimes && times[at]?.some((date) => isTimeOf(asked, date)) !== true;
    if (at === label.key || isLate) return [];
    const own = hasTimes ? [row[label.key]] : [head[at]];
    const quantity = amountIn(cell, [head[at], row[label.key], head[label.key]], table);
    const isOther = quantity !== undefined && quantity.unit !== threshold.unit;
    const isPrice = PRICE.test(head[at]?.text ?? "");
    if (quantity === undefined || (isOther && (quantity.unit !== "" || (KNOWN.has(threshold.unit) && !isPrice))))
      return [];
    const stems = own.flatMap((one) => [...(one?.stems ?? [])]);
    const isSum = TOTAL.test(head[at]?.text ?? "") && wordsOf(table.caption).some(({ stem }) => unit.has(stem));
    const shared = stems.filter((stem) => unit.has(stem) || asked.terms.has(stem)).length + (isSum ? 0.9 : 0);
    const score = shared + (quantity.unit === "" ? 0 : 0.5);
    return score === 0 ? [] : [{ cell, score, isBare: isOther, result: meets(quantity, threshold) }];
  });
  const [best, next] = scored.toSorted((a, b) => b.score - a.score);
  if (best === undefined || best.score === next?.score || best.result === "open") return undefined;
  return {
    sign: best.result === "yes" ? 1 : -1,
    part: best.cell,
    isDated: label.isTime || hasTimes,
    // A price without its currency
    isLoose: isInterim(table) || (best.isBare && KNOWN.has(threshold.unit)),
  };
}

/** Verbs of questions that one price in their time settles: "trade above $5,000 before 15 November". */
const TOUCHES = /\b(?:trade|reach|hit|touch|climb|rise|fall|drop|go|get|exceed|top|surpass|dip)\b/iu;
const HIGH = /^(?:(?:day['’]?s?|intraday|daily|session)\s)?(?:high(?:est)?|max(?:imum)?|peak)(?:\sprice)?$/iu;
const LOW = /^(?:(?:day['’]?s?|intraday|daily|session)\s)?(?:low(?:est)?|min(?:imum)?)(?:\sprice)?$/iu;

/** The highest or the lowest price of a day in the time of the question. One day that does not meet the threshold decides nothing. */
export function extremeIn(table: Table): Row | undefined {
  const { asked, dates, head, row, caption } = table;
  const { from = Number.NEGATIVE_INFINITY, deadline, statement } = asked.plan;
  const [threshold] = asked.thresholds;
  if (threshold === undefined || deadline === undefined || !TOUCHES.test(statement)) return undefined;
  const isBelow = threshold.comparison === "below" || threshold.comparison === "at most";
  const column = head.findIndex(({ text }) => (isBelow ? LOW : HIGH).test(text));
  const cell = row[column];
  const isInTime = dates.some(
    (date) => date.precision === "day" && date.hasYear && date.from >= from && date.to <= deadline,
  );
  const quantity = cell === undefined ? undefined : amountIn(cell, [head[column]], table);
  if (cell === undefined || quantity === undefined || !isInTime) return undefined;
  if (meets({ ...quantity, unit: threshold.unit }, threshold) !== "yes") return undefined;
  const isBare = quantity.unit !== threshold.unit && !MONEY.test(caption);
  return { sign: 1, part: cell, isDated: true, isLoose: isInterim(table) || isBare };
}

const PRICE = /^(?:open|close|closing|last|high|low|price|settlement)(?:\sprice)?$/iu;
const TOTAL = /^(?:total\p{L}?|overall|sum|gesamt|insgesamt|summe)$/iu;
const PERCENT = /%|per\s?cent|\bshare\b|prozent|anteil|pour\s?cent|ciento|cento/iu;
const MONEY = /[$€£¥]|\b(?:usd|eur|gbp|dollars?|euros?)\b/iu;
const SCALE =
  /(?<!\p{L})(?:thousand|k|million(?:s|en)?|m|mn|mio|billion|bn|milliarden?|mrd|millones|milliards?|milioni|miliardi|milhões)(?!\p{L})/iu;

/** The amount in a cell. Its labels may give its unit: "Revenue ($ million)", "Share". */
function amountIn(cell: Cell, labels: readonly (Cell | undefined)[], { language }: Table): Quantity | undefined {
  const text = labels.map((label) => label?.raw ?? "").join(" ");
  const [plain] = quantitiesOf(cell.text, language, []);
  if (plain === undefined || plain.unit !== "") return plain;
  if (PERCENT.test(labels[0]?.raw ?? "")) return quantitiesOf(`${cell.text}%`, language, [])[0];
  const [measured] = labels.flatMap((label) => quantitiesOf(`${cell.text} ${label?.note ?? ""}`, language, []));
  if (measured !== undefined && measured.unit !== "") return measured;
  const [money] = MONEY.exec(text) ?? [];
  const [scale] = SCALE.exec(text) ?? [];
  if (money === undefined && scale === undefined) return plain;
  const isSign = money !== undefined && /^\p{S}/u.test(money);
  const amount = `${isSign ? money : ""}${cell.text} ${scale ?? ""} ${isSign ? "" : (money ?? "")}`;
  return quantitiesOf(amount.trim(), language, [])[0] ?? plain;
}
