import { type FirstNumber } from "./date-order.ts";
import { datesOf, isSpan, type NamedDate } from "./dates.ts";
import { numberWord, numberWordPattern } from "./number-words.ts";
import { firstOf } from "./word-classes.ts";
import { LANGUAGES } from "./words.ts";
import { textBefore } from "./ranges.ts";

/** The time in which the event must take place. */
export interface Span {
  /** Unix ms. */
  readonly from: number | undefined;
  /** The last instant that counts, Unix ms. */
  readonly deadline: number | undefined;
  /** Set if the deadline is a date with two readings. `deadline` is the later one. */
  readonly ambiguity?: DateAmbiguity | undefined;
}

/** A date in the question whose day and month may be swapped. */
export interface DateAmbiguity {
  /** As the question writes it. */
  readonly text: string;
  /** The last instant that counts by the earlier reading, Unix ms. */
  readonly earliest: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Hours from UTC, or the name of a zone with summer time, by abbreviation. */
const ZONES: ReadonlyMap<string, string | number> = new Map(
  [
    ...firstOf(
      "0 utc gmt z, America/New_York et eastern, -5 est cdt, -4 edt, America/Chicago ct, -6 cst mdt, America/Denver mt, -7 mst pdt, " +
        "America/Los_Angeles pt pacific, -8 pst, 1 cet bst, 2 cest, 5.5 ist, 9 jst kst, 3 msk, 8 sgt hkt, 10 aest, 11 aedt",
    ),
  ].map(([name, zone]) => [name, zone.includes("/") ? zone : Number(zone)]),
);

const ZONE_NAMES = [...ZONES.keys()].join("|");
const TIME = new RegExp(
  `(?:^|[^\\d+-])(\\d{1,2})(?::(\\d{2})(?::\\d{2})?)?\\s?(a\\.?m\\.?|p\\.?m\\.?)?(?:\\s?\\(?(?:(${ZONE_NAMES})\\b(?![+-]\\d)(?:\\stime)?|(?:utc|gmt)?([+-]\\d{1,2})(?::?(\\d{2}))?))?`,
  "giu",
);
/** Without a time of day beside it, an abbreviation counts only in capitals: "est" and "et" are French words. */
const WRITTEN_ZONES = [...ZONES.keys()].map((name) =>
  name.length > 4 ? `[${name[0]?.toUpperCase()}${name[0]}]${name.slice(1)}` : name.toUpperCase(),
);
const ANY_ZONE = new RegExp(
  `(?<![\\p{L}\\d])(?:(?:UTC|GMT)([+-]\\d{1,2})(?::?(\\d{2}))?|(${WRITTEN_ZONES.join("|")}))(?![\\p{L}\\d])`,
  "u",
);

const UNTIL =
  /(?:\b(?:by|until|till|before|through|prior to|(?:no|not) later than|earlier than|on or before|ahead of|bis|vor|avant|jusqu['’]au|antes del?|hasta el?|entro|fino al?|até(?: ao?)?|prima d(?:i|el|ell[ao’']?)|antes d[oa]s?|ends?(?!\sin\s)|expires?|spätestens|nicht später als|au plus tard|pas plus tard que|d['’]ici(?:\s(?:à|au))?|a más tardar|no (?:más tarde|después) del?)\s(?:the\s)?(?:end\sof\s|close\sof\s|ende\s|la fin de\s)?(?:\S+\s){0,6}?(?:l['’])?|在)$/iu;
const AT_THE_LATEST = /^,?\s(?:at the latest|spätestens|au plus tard|a más tardar)\b/iu;
const EXCLUSIVE =
  /\b(?<!\b(?:or|oder|ou|o) )(?:before|(?<!\b(?:no|not) )earlier than|prior to|ahead of|vor|avant|antes del?|antes d[oa]s?|prima d(?:i|el|ell[ao’']?))\s(?:the\s)?(?:\S+\s){0,6}?(?:l['’])?$/iu;
/** "before the end of May": the last day counts. */
const END_OF =
  /\b(?:end|close|ende|fin|fine|final|fim|acab\p{L}*|termin\p{L}*)\s(?:of|des?|del|di|d['’]|do|da)?\s?(?:the\s)?$/iu;
const SINCE =
  /\b(?:between\s|(?:after|since|from|starting|(?<!\b(?:no|not) )later than|(?:no|not) earlier than|not before|frühestens|nicht (?:vor|früher als)|au plus tôt|pas avant|no antes del?|seit|nach|depuis|après|desde|después del?)\s(?:the\s)?(?:(?!(?:by|before|until|till|in|on|vor|bis|avant|antes)\s)\S+\s){0,3}?)$/iu;
const AFTER = /\b(?<!\bor )(?:after|later than)\s/i;
/** "The referendum of March 2026": the date tells which one, and not when the event takes place. */
const OF =
  /(?<!\b(?:end|start|beginning|middle|quarter|half|month|year|season|winter|summer|spring|autumn|days?|weeks?|months|tage|jours|días|giorni|dias|fin|final|fine|ende|anfang|trimestre|été|hiver|verano|invierno|estate|inverno|année|año|ano|anno|jahres|mois|mes|mês|mese)\s)\b(?:of|de|du|del|della|dell['’]|di|von|vom|do|da)\s$/iu;

/** "in the week of 1 June", and its last day. */
const WEEK_FROM = /\bweek\s(?:of|starting|beginning|commencing)\s(?:\p{L}+day,?\s)?$/iu;
const WEEK_TO = /\bweek\s(?:ending|to)\s(?:\p{L}+day,?\s)?$/iu;
const ONE = "(?:an?|one|eine[mnrs]?|une?|una|uno|uma?)";
/** "within 30 days of 1 June", "a week before 1 June": a time counted from a date. */
const COUNTED = new RegExp(
  `(?<more>(?<!\\b(?:not?|pas|non?|nicht)\\s)\\b(?:more|later|mehr|plus|más|più|mais)\\s(?:than|als|de|di|do que)\\s|\\bat\\sleast\\s|\\bmindestens\\s)?(?<![\\p{L}\\d.,])(?<number>\\d{1,3}|${ONE}|${numberWordPattern()})\\s(?:\\p{L}+\\s)?(?<unit>days?|tage?n?|jours?|días?|giorn[oi]|dias?|weeks?|wochen?|semaines?|semanas?|settiman[ae]|months?|monate?n?|mois|mes(?:es)?|mês|mes[ei]|years?|jahre?n?|ans?|años?|ann[oi]|anos?)(?:\\s(?:siguientes|suivants?))?\\s(?:(?<past>before|vor|avant|antes|prima)|of|after|from|nach|ab|suivant|après|(?<=siguientes\\s)al?|tras|después|dal|dopo|após|depois)\\s(?:\\S+\\s){0,4}?$`,
  "iu",
);

/** The time that dates without a year are nearest to, in Unix ms, and the order of numeric dates. */
interface Reading {
  readonly now: number;
  readonly order: FirstNumber | undefined;
}

/** Reads the span from a question, then from its criteria. */
export function spanOf(question: string, criteria: string, reading: Reading): Span {
  const own = spanIn(question, reading);
  if (own.deadline === undefined) {
    const ruled = spanIn(criteria, reading);
    return { ...ruled, from: own.from ?? ruled.from };
  }
  if (own.ambiguity !== undefined) return own;
  const stricter = own.deadline - timeAdded(criteria, own.deadline);
  return { from: own.from, deadline: stricter };
}

/** The criteria may give the hour and the time zone of the question's day: "11:59 PM ET". 0 if they do not. */
function timeAdded(criteria: string, deadline: number): number {
  for (const date of datesOf(criteria, deadline)) {
    if (date.precision !== "day" || date.isAmbiguous || Math.abs(date.to - deadline) > 2 * DAY) continue;
    const instant = instantOf(criteria, date);
    if (instant !== undefined && Math.abs(instant - deadline) <= 2 * DAY) return deadline - instant;
  }
  return 0;
}

function spanIn(text: string, { now, order }: Reading): Span {
  const dates = datesOf(text, now, order);
  let from: number | undefined;
  let deadline: number | undefined;
  let ambiguity: DateAmbiguity | undefined;
  const ends = (date: NamedDate, isExclusive: boolean): void => {
    if (deadline !== undefined) return;
    const last = isExclusive ? -1 : DAY - 1;
    if (date.isAmbiguous) {
      ambiguity = { text: text.slice(date.start, date.end), earliest: date.from + last };
      deadline = date.to + 1 - DAY + last;
    } else deadline = instantOf(text, date) ?? (isExclusive ? date.from - 1 : date.to);
  };
  for (const [index, named] of dates.entries()) {
    const before = textBefore(text, named.start, 60);
    const date = weekOf(named, before);
    const counted = countedFrom(date, before);
    if (counted !== undefined) {
      deadline ??= counted.end;
      from ??= counted.from;
      continue;
    }
    const binds = (pattern: RegExp): boolean => isBound(pattern, before, date);
    const last = dates[index - 1];
    const closes = last !== undefined && isSpan(text, last, date);
    const next = dates[index + 1];
    const opens = next !== undefined && isSpan(text, date, next) && !binds(UNTIL);
    if ((opens || (SINCE.test(before) && date === named)) && !closes) from ??= firstAfter(date, AFTER.test(before));
    else if (binds(EXCLUSIVE) && !closes) ends(date, !END_OF.test(before) && !ENDS.test(text.slice(date.end)));
    else if (binds(UNTIL) || closes || AT_THE_LATEST.test(text.slice(date.end))) ends(date, false);
    else if (deadline === undefined && !OF.test(before) && !isPartOfName(text, date)) {
      ends(date, false);
      from ??= date.core?.from ?? date.from;
      if (date.core !== undefined && ambiguity !== undefined) ambiguity = { ...ambiguity, earliest: date.core.to };
    }
  }
  return { from, deadline: deadline ?? relativeEnd(text, now), ambiguity };
}

/** "before June ends" */
const ENDS = /^\s(?:ends?|closes|is\s(?:over|out))\b/iu;

/** The week that a text gives by its first or its last day. */
function weekOf(date: NamedDate, before: string): NamedDate {
  if (date.precision !== "day") return date;
  if (WEEK_FROM.test(before)) return { ...date, to: date.to + 6 * DAY };
  return WEEK_TO.test(before) ? { ...date, from: date.from - 6 * DAY } : date;
}

/** Words right before a date that is a bound of the time of an event: "opened before 20 June". */
const BY_DATE =
  /(?<!\p{L})(?:by|before|prior\sto|later\sthan|bis(?:\szum)?|vor(?:\sdem)?|avant(?:\sle)?|antes\sdel?|entro(?:\sil)?|prima\sdel|antes\sde)\s$/iu;
const AFTER_DATE = new RegExp(
  // "after the vote on 1 May", and not "die Bahn nach Tannheim am 1. Mai"
  `(?<!\\p{L})(?:after|nach(?:\\sdem)?(?=\\s$)|nach(?=\\s(?:de[mr]|ein|sein|ihr))|après(?:\\sle)?|después\\sdel?|dopo(?:\\sil)?|após|depois\\sde)\\s(?:(?:(?:the|an?|his|her|its|their|der|dem|la|le|el|il|os?|as?)\\s)?(?:[^\\s,;]+\\s){1,3}(?:on|of|in|vom|am|du|de|del)\\s(?:le\\s|el\\s)?)?$`,
  "iu",
);
const BETWEEN = /(?<!\p{L})(?:between|zwischen(?:\sdem)?|entre(?:\sle|\sel)?|tra(?:\sil)?|fra(?:\sil)?)\s$/iu;

/** A date of an event as the span that the words before it make of it: "between 1 and 20 June", "two weeks after 1 June". */
export function boundedDate(text: string, date: NamedDate, dates: readonly NamedDate[]): NamedDate {
  const before = textBefore(text, date.start, 60);
  const counted = countedFrom(date, before);
  if (counted !== undefined) return { ...date, from: counted.from ?? EARLIEST, to: counted.end ?? LATEST };
  const next = dates.find(({ start }) => start > date.start);
  if (BETWEEN.test(before) && next !== undefined && isSpan(text, date, next)) return { ...date, to: next.to };
  if (BY_DATE.test(before)) return { ...date, from: EARLIEST };
  return AFTER_DATE.test(before) ? { ...date, to: LATEST } : date;
}

/** Instants before and after all others. */
const EARLIEST = -8.64e15;
const LATEST = 8.64e15;

/** Whether a number counts the days between a date and an event. */
export function isCounting(
  text: string,
  dates: readonly NamedDate[],
  { start, end }: { start: number; end: number },
): boolean {
  return dates.some((date) => {
    const from = Math.max(0, date.start - 60);
    const found = COUNTED.exec(text.slice(from, date.start));
    return found !== null && start >= from + found.index && end <= date.start;
  });
}

/** The time that a text counts from a date: some days after it or before it. Undefined if it counts none. */
function countedFrom(date: NamedDate, before: string): { from?: number; end?: number } | undefined {
  // "the first ten days of June"
  if (date.precision !== "day") return undefined;
  const { more, number = "", unit = "", past } = COUNTED.exec(before)?.groups ?? {};
  const count = IS_ONE.test(number)
    ? 1
    : (LANGUAGES.map((one) => numberWord(number, one)).find(Number) ?? Number(number));
  const isBefore = past !== undefined;
  const end = shifted(isBefore ? date.from : date.to, isBefore ? -count : count, unit);
  if (end === undefined || !(count > 0)) return undefined;
  if (isBefore) return more === undefined ? { from: end, end: date.to } : { end };
  return more === undefined ? { from: date.from, end } : { from: end };
}

const IS_ONE = new RegExp(`^${ONE}$`, "iu");

/** An instant moved by a number of days, weeks, months or years. */
function shifted(instant: number, count: number, unit: string): number | undefined {
  if (/^(?:day|tag|jour|d[ií]a|giorn)/iu.test(unit)) return instant + count * DAY;
  if (/^(?:week|woche|semain|seman|settim)/iu.test(unit)) return instant + 7 * count * DAY;
  const date = new Date(instant);
  if (/^(?:month|monat|mois|m[eê]s)/iu.test(unit)) return date.setUTCMonth(date.getUTCMonth() + count);
  return /^(?:year|jahr|an|añ)/iu.test(unit) ? date.setUTCFullYear(date.getUTCFullYear() + count) : undefined;
}

/** Whether a preposition before a date bounds the time of the event. */
function isBound(pattern: RegExp, before: string, date: NamedDate): boolean {
  const [bound] = pattern.exec(before) ?? [];
  if (bound === undefined) return false;
  // "passed by the Senate by June"
  return !isOther(bound, date) || isBound(pattern, before.slice(before.length - bound.length + 1), date);
}

/**
 * Whether the words between a preposition and a date make it another phrase: "before the Tern in the 2026 race", "passed by the
 * Senate in June", "by 50 points in June". A name among them, before a day, does so too.
 */
function isOther(bound: string, { precision }: NamedDate): boolean {
  const [preposition = "", ...words] = bound.trim().split(/\s/u);
  const between = words.filter((word) => !OF_TIME.test(word));
  if (NUMBER.test(bound) && !OF_DAY.test(bound)) return true;
  if (/^by$/iu.test(preposition) && /\s(?:in|on)(?:\sthe)?$/iu.test(bound.trim())) return !OF_DAY.test(bound);
  return between.some((word) => (precision === "year" ? word !== "" : /^\p{Lu}\p{Ll}/u.test(word)));
}

const NUMBER = new RegExp(
  `\\s(?:at\\s(?:least|most)\\s)?(?:\\d[\\d.,]*%?|half|(?!(?:ein|${ONE})\\s)${numberWordPattern()})\\s`,
  "iu",
);
/** A time of a day, or of a market. */
const OF_DAY =
  /\d\s?[ap]\.?m\b|\d[:.]\d\d|o['’]clock|\b(?:noon|midday|midnight|clos(?:e|es|ing)|trading|business|deadline|uhr|heures?)\b/iu;
const OF_TIME =
  /^(?:the|end|close|start|beginning|of|to|later|than|or|before|ende|ablauf|anfang|beginn|des|dem|jahres?|la|le|fin|fine|final|ann\p{L}*|año|ano|del?|di|do|da|più|plus|tard|tarde|als|\p{L}+day|\p{L}+tag)$/iu;

/** "The 2026 Tour of the Lakes", "der Wahl 2026": a year that tells which one, and not when. */
function isPartOfName(text: string, { start, end, precision }: NamedDate): boolean {
  const before = textBefore(text, start, 40);
  // "the March 2026 election"
  if (precision === "month") return /\bthe\s$/iu.test(before) && /^\s\p{Ll}/u.test(text.slice(end));
  if (precision !== "year") return false;
  return (
    (/\b(?:the|this|an?|his|her|its|their|['’]s)\s$/iu.test(before) && /^\s\p{L}/u.test(text.slice(end))) ||
    NOUN_BEFORE.test(before) ||
    PERIOD.test(before) ||
    /(?<!\p{L})(?!Jahresende|Ende|Anfang|Mitte|Jahr|Sommer|Winter|Herbst)\p{Lu}[\p{L}'’-]+\s$/u.test(before)
  );
}

/** "the profit for 2025": a period that ends before it is reported. */
const PERIOD = /(?<![\p{L}])(?:for|für|pour|para|per(?:\s(?:il|l['’]anno))?)\s$/iu;

/** "il bilancio 2025", "den Haushalt 2026": a noun with its article, and no word for a time. */
const NOUN_BEFORE =
  /(?<![\p{L}])(?:de[rnm]|d[ai]s|le|la|les|el|los|il|lo|i|gli|os?|as?)\s(?!(?:jahr|saison|sommer|winter|ann|año|ano|temporada|stagione|été|hiver|verano|invierno|estate|inverno))\p{Ll}{3,}\s$|(?<![\p{L}])(?:de[rnm]|das)\s(?!(?:Jahr|Saison|Sommer|Winter|Herbst))\p{L}{3,}\s$/u;

/** The first instant that counts. After "after", this is the end of the day. */
function firstAfter(date: NamedDate, isExclusive: boolean): number {
  if (!isExclusive) return date.from;
  return date.isAmbiguous ? date.from + DAY : date.to + 1;
}

function relativeEnd(text: string, now: number): number | undefined {
  const match =
    /\b(?:by|before|until)?\s?(?:the\s)?end\sof\s(?:the|this)\s(year|month|quarter)|\bthis\s(year|month|week)\b|\b(today|tomorrow)\b|\b(?:within|in)\s(?:the\snext\s)?(\d{1,3})\s(hour|day|week|month)s\b/i.exec(
      text,
    );
  if (match === null) return undefined;
  const today = new Date(now);
  const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  const unit = (match[1] ?? match[2] ?? match[3] ?? "").toLowerCase();
  if (match[4] !== undefined) {
    const lengths: Record<string, number> = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY };
    return now + Number(match[4]) * (lengths[match[5]?.toLowerCase() ?? "day"] ?? DAY);
  }
  if (unit === "year") return Date.UTC(year + 1, 0) - 1;
  if (unit === "month") return Date.UTC(year, month + 1) - 1;
  if (unit === "quarter") return Date.UTC(year, Math.floor(month / 3) * 3 + 3) - 1;
  if (unit === "week") return Date.UTC(year, month, day + ((7 - today.getUTCDay()) % 7) + 1) - 1;
  return Date.UTC(year, month, day + (unit === "tomorrow" ? 2 : 1)) - 1;
}

/** The instant of a day with a time of day or a time zone beside it. Undefined if the text gives neither. */
function instantOf(text: string, date: NamedDate): number | undefined {
  if (date.precision !== "day") {
    const zone = zoneIn(text.slice(date.end, date.end + 24));
    return zone === undefined ? undefined : local(date.to + 1, zone) - 1;
  }
  const around = [text.slice(date.end, date.end + 40), textBefore(text, date.start, 40)];
  for (const piece of around) {
    for (const match of piece.matchAll(TIME)) {
      const [, hours, minutes, half, zoneName, offset, offsetMinutes] = match;
      if (minutes === undefined && half === undefined) continue;
      const zone =
        zoneName !== undefined
          ? ZONES.get(zoneName.toLowerCase())
          : offset === undefined
            ? (zoneIn(text) ?? 0)
            : offsetOf(offset, offsetMinutes);
      const minute = Number(minutes ?? 0);
      // "11:59 PM" and "23:59" include the whole of that minute.
      return local(
        date.from + hourOf(Number(hours), half) * HOUR + minute * 60_000 + (minute === 59 ? 59_999 : 0),
        zone ?? 0,
      );
    }
  }
  const zone = zoneIn(around[0] ?? "");
  return zone === undefined ? undefined : local(date.to + 1, zone) - 1;
}

function zoneIn(text: string): string | number | undefined {
  const [, hours, minutes, name = ""] = ANY_ZONE.exec(text) ?? [];
  return hours === undefined ? ZONES.get(name.toLowerCase()) : offsetOf(hours, minutes);
}

function offsetOf(hours: string, minutes: string | undefined): number {
  return Number(hours) + (Math.sign(Number(hours)) * Number(minutes ?? 0)) / 60;
}

function hourOf(hours: number, half: string | undefined): number {
  if (half === undefined) return hours;
  return (hours % 12) + (half.toLowerCase().startsWith("p") ? 12 : 0);
}

/** The instant at which local clocks of a zone show the time that UTC shows at `shown`. */
function local(shown: number, zone: string | number): number {
  if (typeof zone === "number") return shown - zone * HOUR;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const piece = Object.fromEntries(format.formatToParts(shown).map(({ type, value }) => [type, Number(value)]));
  const there = Date.UTC(
    piece["year"] ?? 0,
    (piece["month"] ?? 1) - 1,
    piece["day"],
    piece["hour"],
    piece["minute"],
    piece["second"],
  );
  return shown + (Math.floor(shown / 1000) * 1000 - there);
}
