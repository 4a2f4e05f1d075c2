import { type FirstNumber, firstNumberOf } from "./date-order.ts";
import { FIRST_OF_FOUR, type Period, periodForms } from "./periods.ts";
import { overlap } from "./ranges.ts";

/** A span of time that a text names. */
export interface NamedDate {
  /** The first instant, in Unix milliseconds. An ambiguous date has two readings; this is the start of the earlier one. */
  readonly from: number;
  /** The last instant, in Unix milliseconds; of an ambiguous date, the end of its later reading. */
  readonly to: number;
  /** True for "03/04/2026", which may be 3 April or 4 March, if the text does not show which. True for "mid-June" too. */
  readonly isAmbiguous: boolean;
  readonly start: number;
  readonly end: number;
  readonly precision: "day" | "month" | "quarter" | "year";
  readonly hasYear: boolean;
  /** The time that certainly belongs to a vague period, such as "mid-June". */
  readonly core?: { readonly from: number; readonly to: number };
}

/** Days of the week from Sunday, and days beside today, in the languages that are read. */
const WEEKDAYS: readonly (readonly string[])[] = [
  ["sunday", "sonntag", "dimanche", "domingo", "domenica"],
  ["monday", "montag", "lundi", "lunes", "lunedì", "lunedi", "segunda-feira"],
  ["tuesday", "dienstag", "mardi", "martes", "martedì", "martedi", "terça-feira"],
  ["wednesday", "mittwoch", "mercredi", "miércoles", "mercoledì", "mercoledi", "quarta-feira"],
  ["thursday", "donnerstag", "jeudi", "jueves", "giovedì", "giovedi", "quinta-feira"],
  ["friday", "freitag", "vendredi", "viernes", "venerdì", "venerdi", "sexta-feira"],
  ["saturday", "samstag", "sonnabend", "samedi", "sábado", "sabato"],
];
const WEEKDAY_OF = new Map(WEEKDAYS.flatMap((names, day) => names.map((name): [string, number] => [name, day])));
const BESIDE_TODAY = new Map<string, number>([
  ...["today", "heute", "aujourd'hui", "aujourd’hui", "hoy", "oggi", "hoje"].map((name): [string, number] => [name, 0]),
  ...["yesterday", "gestern", "hier", "ayer", "ieri", "ontem"].map((name): [string, number] => [name, -1]),
  ...["tomorrow", "demain", "mañana", "domani", "amanhã"].map((name): [string, number] => [name, 1]),
]);
const RELATIVE = new RegExp(
  `(?<![\\p{L}])(?:((?:next|coming|nächsten|kommenden|próxim[oa]|prossim[oa])\\s)?(${[...WEEKDAY_OF.keys()].join("|")})(?:(?<=tag)(?:abend|morgen|mittag|vormittag|nachmittag|nacht))?(?:\\s(prochain|próxim[oa]|prossim[oa]|que\\sviene))?|(${[...BESIDE_TODAY.keys()].join("|")}))(?![\\p{L}])`,
  "giu",
);

const MONTHS: readonly (readonly string[])[] = [
  ["january", "jan", "januar", "janner", "janvier", "enero", "gennaio", "janeiro"],
  ["february", "feb", "februar", "fevrier", "février", "febrero", "febbraio", "fevereiro"],
  ["march", "mar", "märz", "marz", "mars", "marzo", "março"],
  ["april", "apr", "avril", "abril", "aprile"],
  ["may", "mai", "mayo", "maggio", "maio"],
  ["june", "jun", "juni", "juin", "junio", "giugno", "junho"],
  ["july", "jul", "juli", "juillet", "julio", "luglio", "julho"],
  ["august", "aug", "août", "aout", "agosto"],
  ["september", "sep", "sept", "septembre", "septiembre", "settembre", "setembro"],
  ["october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre", "outubro"],
  ["november", "nov", "novembre", "noviembre", "novembro"],
  ["december", "dec", "dezember", "dez", "décembre", "decembre", "diciembre", "dicembre", "dezembro"],
];
const MONTH_OF = new Map(MONTHS.flatMap((names, month) => names.map((name): [string, number] => [name, month])));
const NAMES = [...MONTH_OF.keys()].toSorted((a, b) => b.length - a.length).join("|");
const YEAR = "(?:19|20)\\d{2}";

/** "in April", without a day and a year. Short names are words of other senses. */
const BARE_MONTH = new RegExp(
  `(?<!\\p{L})(?:in|im|en|em|a|for|für|pour|para|per)\\s(may|mai|${[...MONTH_OF.keys()].filter((name) => name.length > 3).join("|")})(?!\\p{L}|\\.?\\s\\d)`,
  "giu",
);

const BARE_QUARTER = new RegExp(`${FIRST_OF_FOUR}(?:quarter|quartal|trimestre)`, "giu");

/** The months, from 0, that a text names without a day and a year, also by a quarter of the year. */
export function bareMonthsIn(text: string): number[] {
  const months = [...text.matchAll(BARE_MONTH)].flatMap(([, name = ""]) => MONTH_OF.get(name.toLowerCase()) ?? []);
  const quarters = [...text.matchAll(BARE_QUARTER)].flatMap(([, ...names]) => {
    const first = 3 * names.findIndex((name) => name !== undefined);
    return [first, first + 1, first + 2];
  });
  return [...months, ...quarters];
}

type Groups = readonly (string | undefined)[];

const FORMS: readonly (readonly [RegExp, (groups: Groups, order: FirstNumber | undefined) => Parts | undefined])[] = [
  ...periodForms(NAMES, monthOf).map(
    ([pattern, read]) =>
      [
        pattern,
        (groups: Groups) => {
          const period = read(groups);
          return period === undefined ? undefined : { year: period.year, period };
        },
      ] as const,
  ),
  [new RegExp(`\\b(${YEAR})-(\\d{2})-(\\d{2})\\b`, "g"), ([y, m, d]) => parts(y, Number(m) - 1, d)],
  [
    new RegExp(`(${YEAR})\\s?年\\s?(\\d{1,2})\\s?月\\s?(\\d{1,2})\\s?日`, "g"),
    ([y, m, d]) => parts(y, Number(m) - 1, d),
  ],
  [new RegExp(`(${YEAR})\\s?年\\s?(\\d{1,2})\\s?月`, "g"), ([y, m]) => parts(y, Number(m) - 1, undefined)],
  [new RegExp(`(?<!\\d)(\\d{1,2})\\s?月\\s?(\\d{1,2})\\s?日`, "g"), ([m, d]) => parts(undefined, Number(m) - 1, d)],
  [new RegExp(`(${YEAR})\\s?年`, "g"), ([y]) => parts(y, undefined, undefined)],
  [
    new RegExp(
      `\\b(\\d{1,2})(?:st|nd|rd|th|er|º|\\.)?\\s(?:of\\s|de\\s)?(${NAMES})\\.?,?(?:\\s(?:de\\s|del\\s)?(${YEAR}))?(?![\\p{L}\\d])`,
      "giu",
    ),
    ([d, m, y]) => parts(y, monthOf(m), d),
  ],
  [
    new RegExp(`\\b(${NAMES})\\.?\\s(\\d{1,2})(?:st|nd|rd|th)?(?!\\d)(?:,?\\s(${YEAR}))?`, "giu"),
    ([m, d, y]) => parts(y, monthOf(m), d),
  ],
  [
    new RegExp(`\\b(${NAMES})\\.?,?\\s(?:of\\s|de\\s)?(${YEAR})\\b`, "giu"),
    ([m, y]) => parts(y, monthOf(m), undefined),
  ],
  [
    new RegExp(`(?<=\\b(?:in|im|en|em|since|last|until)\\s)(${NAMES})(?![\\p{L}\\d.])`, "giu"),
    ([m]) => parts(undefined, monthOf(m), undefined),
  ],
  [new RegExp(`\\b(\\d{1,2})\\.(\\d{1,2})\\.(${YEAR})\\b`, "g"), (groups) => numeric(groups, "day")],
  [new RegExp(`\\b(\\d{1,2})/(\\d{1,2})/(${YEAR})\\b`, "g"), numeric],
  [
    new RegExp(`(?<![\\d.,$€£-])\\b(${YEAR})[/–-](?:\\d{2}|${YEAR})\\b(?![.,/-]?\\d)`, "g"),
    ([y]) => ({ year: Number(y), isSeason: true }),
  ],
  [new RegExp(`(?<![\\d.,$€£-])\\b(${YEAR})\\b(?![.,]?\\d|%)`, "g"), ([y]) => parts(y, undefined, undefined)],
];

const DAY = 86_400_000;
/** Dates of one text that are read. */
const MAX_DATES = 40;

interface Parts {
  readonly year?: number | undefined;
  readonly month?: number | undefined;
  readonly day?: number | undefined;
  readonly period?: Period;
  /** "2025/26": from July to June. */
  readonly isSeason?: boolean;
  /** The first number may also be the month. */
  readonly isAmbiguous?: boolean;
}

function monthOf(name: string | undefined): number | undefined {
  return MONTH_OF.get((name ?? "").toLowerCase());
}

function parts(year: string | undefined, month: number | undefined, day: string | undefined): Parts | undefined {
  if (month !== undefined && !(month >= 0 && month <= 11)) return undefined;
  if (day !== undefined && !(Number(day) >= 1 && Number(day) <= 31)) return undefined;
  return {
    year: year === undefined ? undefined : Number(year),
    month,
    day: day === undefined ? undefined : Number(day),
  };
}

/** "13/5/2026" certainly has the day first. `order` decides for "5/6/2026". */
function numeric([first, second, year]: Groups, order: FirstNumber | undefined): Parts | undefined {
  const [a, b] = [Number(first), Number(second)];
  const isDayFirst = a > 12 || (b <= 12 && order !== "month");
  const read = isDayFirst ? parts(year, b - 1, first) : parts(year, a - 1, second);
  const isAmbiguous = order === undefined && a <= 12 && b <= 12 && a !== b;
  return read === undefined ? undefined : { ...read, isAmbiguous };
}

/**
 * The dates in a text, in order, without overlaps. A date without a year gets the year that is nearest to `near` (Unix
 * ms). Days are UTC days. `order` is the order of numeric dates in the text, undefined if it is not known.
 */
export function datesOf(text: string, near: number, order = firstNumberOf(text)): NamedDate[] {
  const found: NamedDate[] = [];
  const isFree = (start: number, end: number): boolean => !found.some((other) => overlap(other, { start, end }));
  for (const [form, read] of FORMS) {
    for (const match of text.matchAll(form)) {
      if (found.length >= MAX_DATES) break;
      const start = match.index;
      const end = start + match[0].length;
      if (!isFree(start, end)) continue;
      const date = read(match.slice(1), order);
      if (date !== undefined) found.push(stretch(date, near, { start, end }));
    }
  }
  const firsts = found
    .flatMap((date) => firstDayOf(text, date) ?? firstMonthOf(text, date) ?? [])
    .filter(({ start, end }) => isFree(start, end));
  const sorted = [...found, ...firsts].toSorted((a, b) => a.start - b.start);
  return sorted.map((date, at) => withYear(text, date, sorted[at - 1], sorted[at + 1]));
}

const TO = "(?:and|or|to|through|until|[-–—]|und|oder|bis|et|ou|au|y|al?|e|o)";
const ARTICLE = "(?:the\\s|den\\s|zum\\s|le\\s|el\\s|il\\s|l['’])?";
/** The words between the first and the last date of a span: "1 May to 3 June". */
const SPAN = new RegExp(`^\\s?${TO}\\s?${ARTICLE}$`, "iu");

/** Whether two dates that follow each other are the ends of a span. */
export function isSpan(text: string, first: NamedDate, last: NamedDate): boolean {
  return SPAN.test(text.slice(first.end, last.start));
}

/** A date without a year has that of the other end of its span: "between 20 December and 3 January 2027". */
function withYear(text: string, date: NamedDate, before?: NamedDate, after?: NamedDate): NamedDate {
  if (date.hasYear || date.isAmbiguous) return date;
  const isFirst = after?.hasYear === true && isSpan(text, date, after);
  const other = isFirst ? after : before;
  if (other?.hasYear !== true || (!isFirst && !isSpan(text, other, date))) return date;
  const [own, year] = [new Date(date.from).getUTCFullYear(), new Date(other.from).getUTCFullYear()];
  const near = inYear(date, year - own);
  if (isFirst) return near.from > other.from ? inYear(date, year - own - 1) : near;
  return near.from < other.from ? inYear(date, year - own + 1) : near;
}

/** The date in another year, which is then known. */
export function inYear(date: NamedDate, years: number): NamedDate {
  const [from, end] = [date.from, date.to + 1].map((instant) => {
    const day = new Date(instant);
    return day.setUTCFullYear(day.getUTCFullYear() + years);
  });
  return { ...date, from: from ?? date.from, to: (end ?? date.to) - 1, hasYear: true };
}

/** A month before a month: "from June through August 2026". */
const FIRST_MONTH = new RegExp(`(?<!\\p{L})(${NAMES})\\s?${TO}\\s?${ARTICLE}$`, "iu");

function firstMonthOf(text: string, last: NamedDate): NamedDate | undefined {
  const from = Math.max(0, last.start - 30);
  const match = last.precision === "month" ? FIRST_MONTH.exec(text.slice(from, last.start)) : null;
  const month = monthOf(match?.[1]);
  if (match === null || month === undefined) return undefined;
  const start = from + match.index;
  return stretch(parts(undefined, month, undefined) ?? {}, last.from, { start, end: start + (match[1]?.length ?? 0) });
}

/** A day of the month before a date that has the month and the year: "20 to 26 January 2026". */
const FIRST_DAY = new RegExp(`(?<![\\d.,:$€£-])(\\d{1,2})((?:st|nd|rd|th|er|º|\\.)?)\\s?${TO}\\s?${ARTICLE}$`, "iu");

/** The first day of a span of days of one month. */
function firstDayOf(text: string, last: NamedDate): NamedDate | undefined {
  if (last.precision !== "day" || last.isAmbiguous || !/^\d{1,2}(?!\d|-)/u.test(text.slice(last.start)))
    return undefined;
  const from = Math.max(0, last.start - 20);
  const match = FIRST_DAY.exec(text.slice(from, last.start));
  const [, day = "", mark = ""] = match ?? [];
  const back = new Date(last.from).getUTCDate() - Number(day);
  if (match === null || back <= 0 || Number(day) === 0) return undefined;
  const start = from + match.index;
  const end = start + day.length + mark.length;
  return { ...last, from: last.from - back * DAY, to: last.to - back * DAY, start, end };
}

/**
 * The dates in a text of a known date, and those that it counts from that date: "yesterday", "on Sunday". A weekday is the
 * last one before the text, unless the text says "next".
 */
export function datesAround(text: string, published: number, order = firstNumberOf(text)): NamedDate[] {
  const named = datesOf(text, published, order);
  const today = Math.floor(published / DAY);
  const relative = [...text.matchAll(RELATIVE)].slice(0, MAX_DATES).flatMap((match): NamedDate[] => {
    const [whole, next, weekday, prochain, beside] = match;
    const start = match.index;
    const end = start + whole.length;
    if (named.some((other) => start < other.end + 3 && other.start - 6 < end)) return [];
    const back = (new Date(published).getUTCDay() - (WEEKDAY_OF.get(weekday?.toLowerCase() ?? "") ?? 0) + 7) % 7;
    const isNext = next !== undefined || prochain !== undefined;
    const day =
      today +
      (weekday === undefined ? (BESIDE_TODAY.get(beside?.toLowerCase() ?? "") ?? 0) : isNext ? 7 - back : -back);
    return [
      { start, end, from: day * DAY, to: (day + 1) * DAY - 1, isAmbiguous: false, precision: "day", hasYear: false },
    ];
  });
  return [...named, ...relative].toSorted((a, b) => a.start - b.start);
}

function stretch(
  { year, month, day, period, isSeason, isAmbiguous }: Parts,
  near: number,
  place: { start: number; end: number },
): NamedDate {
  const hasYear = year !== undefined;
  const named = { ...place, hasYear, isAmbiguous: false };
  if (period !== undefined) return { ...named, ...spanOfPeriod(period, near) };
  if (isSeason === true && year !== undefined)
    return { ...named, precision: "year", from: Date.UTC(year, 6), to: Date.UTC(year + 1, 6) - 1 };
  const chosen = year ?? nearestYear(month ?? 0, day ?? 1, near);
  if (month === undefined)
    return { ...named, precision: "year", from: Date.UTC(chosen, 0), to: Date.UTC(chosen + 1, 0) - 1 };
  if (day === undefined) {
    return { ...named, precision: "month", from: Date.UTC(chosen, month), to: Date.UTC(chosen, month + 1) - 1 };
  }
  if (isAmbiguous === true) {
    const readings = [Date.UTC(chosen, month, day), Date.UTC(chosen, day - 1, month + 1)];
    return {
      ...named,
      isAmbiguous,
      precision: "day",
      from: Math.min(...readings),
      to: Math.max(...readings) + DAY - 1,
    };
  }
  return { ...named, precision: "day", from: Date.UTC(chosen, month, day), to: Date.UTC(chosen, month, day + 1) - 1 };
}

function spanOfPeriod(
  { year, month = 0, days, months, core, isVague }: Period,
  near: number,
): Pick<NamedDate, "from" | "to" | "isAmbiguous" | "precision" | "core"> {
  const chosen = year ?? nearestYear(month, days?.[0] ?? 1, near);
  const spanOf = ([first, last]: readonly [number, number]): { from: number; to: number } => {
    if (months !== undefined) return { from: Date.UTC(chosen, first), to: Date.UTC(chosen, last + 1) - 1 };
    const end = Math.min(Date.UTC(chosen, month, last + 1), Date.UTC(chosen, month + 1));
    return { from: Date.UTC(chosen, month, first), to: end - 1 };
  };
  return {
    ...spanOf(months ?? days ?? [1, 31]),
    isAmbiguous: isVague,
    precision: "quarter",
    ...(core !== undefined && { core: spanOf(core) }),
  };
}

function nearestYear(month: number, day: number, near: number): number {
  const year = new Date(near).getUTCFullYear();
  const distance = (candidate: number) => Math.abs(Date.UTC(candidate, month, day) - near);
  return [year, year + 1, year - 1].toSorted((a, b) => distance(a) - distance(b))[0] ?? year;
}
