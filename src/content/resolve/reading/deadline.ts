import { type FirstNumber } from "./date-order.ts";
import { datesOf, isSpan, type NamedDate } from "./dates.ts";
import { firstOf } from "./word-classes.ts";

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
  /(?:\b(?:by|until|till|before|through|prior to|(?:no|not) later than|earlier than|on or before|ahead of|bis|vor|avant|jusqu['’]au|antes del?|hasta el?|entro|fino al?|até(?: ao?)?|prima d(?:i|el|ell[ao’']?)|antes d[oa]s?|ends?|expires?|spätestens|nicht später als|au plus tard|pas plus tard que|a más tardar|no (?:más tarde|después) del?)\s(?:the\s)?(?:end\sof\s|close\sof\s|ende\s|la fin de\s)?(?:\S+\s){0,6}?|在)$/iu;
const AT_THE_LATEST = /^,?\s(?:at the latest|spätestens|au plus tard|a más tardar)\b/iu;
const EXCLUSIVE =
  /\b(?:before|(?<!\b(?:no|not) )earlier than|prior to|ahead of|vor|avant|antes del?|antes d[oa]s?|prima d(?:i|el|ell[ao’']?))\s(?:the\s)?(?:\S+\s){0,6}?$/iu;
/** "before the end of May": the last day counts. */
const END_OF = /\b(?:end|close|ende|fin|fine|final|fim)\s(?:of|des?|del|di|d['’]|do|da)?\s?(?:the\s)?$/iu;
const SINCE =
  /\b(?:between\s|(?:after|since|from|starting|(?<!\b(?:no|not) )later than|(?:no|not) earlier than|not before|frühestens|nicht (?:vor|früher als)|au plus tôt|pas avant|no antes del?|seit|nach|depuis|après|desde|después del?)\s(?:the\s)?(?:(?!(?:by|before|until|till|in|on|vor|bis|avant|antes)\s)\S+\s){0,3}?)$/iu;
const AFTER = /\b(?:after|later than)\s/i;
/** "The referendum of March 2026": the date tells which one, and not when the event takes place. */
const OF =
  /(?<!\b(?:end|start|beginning|middle|quarter|half|month|year|season|winter|summer|spring|autumn|day|week|fin|final|fine|ende|anfang|trimestre|été|hiver|verano|invierno|estate|inverno)\s)\b(?:of|de|du|del|della|dell['’]|di|von|vom|do|da)\s$/iu;

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
  for (const [index, date] of dates.entries()) {
    const before = text.slice(Math.max(0, date.start - 60), date.start);
    const binds = (pattern: RegExp): boolean => !isOfEvent(pattern.exec(before)?.[0] ?? "", date);
    const last = dates[index - 1];
    const closes = last !== undefined && isSpan(text, last, date);
    const next = dates[index + 1];
    const opens = next !== undefined && isSpan(text, date, next) && !UNTIL.test(before);
    if ((opens || SINCE.test(before)) && !closes) from ??= firstAfter(date, AFTER.test(before));
    else if (EXCLUSIVE.test(before) && binds(EXCLUSIVE) && !closes) ends(date, !END_OF.test(before));
    else if ((UNTIL.test(before) && binds(UNTIL)) || closes || AT_THE_LATEST.test(text.slice(date.end)))
      ends(date, false);
    else if (deadline === undefined && !OF.test(before) && !isPartOfName(text, date)) {
      ends(date, false);
      from ??= date.from;
    }
  }
  return { from, deadline: deadline ?? relativeEnd(text, now), ambiguity };
}

/** "before the Tern in the 2026 race": between a preposition and its date are only words for times, and before a day no name. */
function isOfEvent(bound: string, { precision }: NamedDate): boolean {
  const between = bound
    .split(/\s/u)
    .slice(1)
    .filter((word) => !OF_TIME.test(word));
  return between.some((word) => (precision === "year" ? word !== "" : /^\p{Lu}\p{Ll}/u.test(word)));
}
const OF_TIME =
  /^(?:the|end|close|start|beginning|of|to|later|than|or|before|ende|ablauf|anfang|beginn|des|dem|jahres?|la|le|fin|fine|final|ann\p{L}*|año|ano|del?|di|do|da|più|plus|tard|tarde|als|\p{L}+day|\p{L}+tag)$/iu;

/** "The 2026 Tour of the Lakes", "der Wahl 2026": a year that tells which one, and not when. */
function isPartOfName(text: string, { start, end, precision }: NamedDate): boolean {
  const before = text.slice(Math.max(0, start - 40), start);
  // "the March 2026 election"
  if (precision === "month") return /\bthe\s$/iu.test(before) && /^\s\p{Ll}/u.test(text.slice(end));
  if (precision !== "year") return false;
  return (
    (/\b(?:the|this|an?|his|her|its|their|['’]s)\s$/iu.test(before) && /^\s\p{L}/u.test(text.slice(end))) ||
    NOUN_BEFORE.test(before) ||
    PERIOD.test(before) ||
    /\p{Lu}[\p{L}'’-]+\s$/u.test(before)
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
  const around = [text.slice(date.end, date.end + 40), text.slice(Math.max(0, date.start - 40), date.start)];
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
