/** Maximum number of characters of a text in which a date is searched. A longer text is not a line with a date. */
const MAX_TEXT_LENGTH = 200;
/** Maximum number of characters with the white space of the page's source that are read. */
const MAX_SOURCE_LENGTH = 1000;
/** The first and the last year of a date. A number beside them is not a year. */
const FIRST_YEAR = 1990;
const LAST_YEAR = 2100;

/** Thai years count from 543 BC. */
const BUDDHIST_ERA = 543;

/** Beginnings of the names of months in many languages, by number. A name with a full stop is the whole word. */
const MONTHS: readonly (readonly string[])[] = [
  "jan gen ene janv ianua sty. styc leden. ledna tammik oca. ocak янв ян јан січ ιαν ינו يناير جانفي ژانویه جنور जन জানু มกรา",
  "feb fév fev févr lut. luteg únor helmik şub subat фев феб лют φεβ פבר فبراير شباط فيفري فوریه فروری फ़र फ़र फर ফেব กุมภา",
  "mar mär mrz mrt maar már břez maalisk мар берез μαρ μάρ מרץ مارس آذار اذار مارچ मार्च মার্চ มีนา",
  "apr avr abr ápr kwi. kwie dub. dubna huhtik nis. nisan апр квіт απρ אפר أبريل إبريل ابريل نيسان أفريل آوریل اپریل अप्रै এপ্রি เมษา",
  "may mai mag maj máj mei květ toukok май мая мај трав μαΐ μάι μαϊ מאי مايو أيار ايار ماي مئی मई พฤษภา",
  "jun juin jún giu iun cze. czerw červn červen. kesäk haz. hazir июн юни јун черв ιουν ιούν יוני يونيو يونيه حزيران جوان ژوئن جون. जून জুন มิถุนา",
  "jul juil júl lug iul lip. lipc července červenec heinäk tem. temmuz июл юли јул лип ιουλ ιούλ יולי يوليو يوليه تموز جويلية ژوئیه جولا जुल জুলা กรกฎา",
  "aug août aou ago agu sie. sierp srpn elok ogos ağu авг серп αυγ αύγ אוג أغسطس اغسطس أوت. اوت. اگست अग আগ สิงหา",
  "sep set sept szep wrz. wrze září syysk eyl. eylül eylul сен сеп верес σεπ ספט سبتمبر أيلول ايلول سپتامبر ستمبر सित সেপ กันยา",
  "oct okt ott out paź říj lokak eki. ekim окт жовт οκτ אוק أكتوبر اكتوبر اکتبر اکتوبر अक्तू अक्टू অক্ট ตุลา",
  "nov noiem lis. listop marrask kas. kasım kasim ноя ное нов листоп νοε νοέ נוב نوفمبر نوامبر نومبر नव নভে พฤศจิกา",
  "dec dez déc dic disem des gru. grud prosin jouluk aralık aralik дек дец груд δεκ דצמ ديسمبر دسامبر دسمبر दिस ডিসে ธันวา",
].map((names) => names.split(" "));

/** Names of months of several words or with full stops inside, and their usual names. */
const OTHER_NAMES: readonly (readonly [RegExp, string])[] = [
  [/كانون الثاني/u, "يناير"],
  [/كانون الأول/u, "ديسمبر"],
  [/تشرين الأول/u, "أكتوبر"],
  [/تشرين الثاني/u, "نوفمبر"],
  ...["ม.ค.", "ก.พ.", "มี.ค.", "เม.ย.", "พ.ค.", "มิ.ย.", "ก.ค.", "ส.ค.", "ก.ย.", "ต.ค.", "พ.ย.", "ธ.ค."].map(
    (short, at) => [new RegExp(short.replaceAll(".", "\\.\\s?")), ` ${MONTHS[at]?.at(-1) ?? ""} `] as const,
  ),
];

const WORD = String.raw`(\p{L}[\p{L}\p{M}]{2,11})\.?`;
const ORDINAL = "(?:st|nd|rd|th|er|º|ª|\\.)?";
const FORMS: readonly { readonly form: RegExp; readonly of: readonly [year: number, month: number, day: number] }[] = [
  { form: /(?<!\d)(\d{4})(?:[-/]|\.\s?)(\d{1,2})(?:[-/]|\.\s?)(\d{1,2})(?!\d)/u, of: [1, 2, 3] },
  { form: /(?<!\d)(\d{1,2})\s+tháng\s+(\d{1,2})(?:,|\s+năm)?\s+(\d{4})(?!\d)/iu, of: [3, 2, 1] },
  {
    form: new RegExp(String.raw`(?<!\d)(\d{4})(?:\.?\s+|[/-])${WORD}(?:\s+|[/-])(\d{1,2})(?![\d:])`, "u"),
    of: [1, 2, 3],
  },
  { form: /(?<!\d)(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]/u, of: [1, 2, 3] },
  { form: new RegExp(String.raw`${WORD}\s+(\d{1,2})${ORDINAL},?\s+(\d{4})(?!\d)`, "u"), of: [3, 1, 2] },
  {
    form: new RegExp(
      String.raw`(?<!\d)(\d{1,2})${ORDINAL}[\s.-]+(?:de\s+|of\s+)?${WORD},?[\s.-]+(?:del?\s+)?(\d{4})(?!\d)`,
      "u",
    ),
    of: [3, 2, 1],
  },
  { form: /(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)/u, of: [3, 2, 1] },
];
const SLASHES = /(?<!\d)(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d{2})(?!\d)/u;

/**
 * The first date in a short text, as `2026-11-23`. `language` decides the order of day and month with slashes. `firstYear` is
 * the earliest year of a date.
 */
export function dateIn(text: string, language = "", firstYear = FIRST_YEAR): string | undefined {
  const line = plain(text.slice(0, MAX_SOURCE_LENGTH).replace(/\s+/g, " ").slice(0, MAX_TEXT_LENGTH));
  if (!DIGITS.test(line)) return undefined;
  return firstDate(line, language, firstYear)?.date ?? dateWithSlashes(line, language, firstYear);
}

/** A date and a time, in the forms of ISO 8601 that pages use and in those of several languages' libraries. */
const MOMENT =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d{1,9}))?\s?(?:(Z|UTC|GMT)|([+-]\d\d)(?::?(\d\d))?)?(?:\s\S{1,10})?$/i;

/** The date and the time that are the whole text, in the extended format of ISO 8601. */
export function momentIn(text: string): string | undefined {
  const [, day, minutes, seconds = "", fraction, utc, hours, rest = "00"] = MOMENT.exec(text.trim()) ?? [];
  if (day === undefined || dateIn(day) === undefined) return undefined;
  const offset = utc === undefined ? hours && `${hours}:${rest}` : "Z";
  const moment = `${day}T${minutes}${seconds}${seconds && fraction ? `.${fraction}` : ""}${offset ?? ""}`;
  return Number.isNaN(Date.parse(moment)) ? undefined : moment;
}

/** The text before its first date. The whole text if it has no date. */
export function beforeDate(text: string): string {
  const line = plain(text.slice(0, MAX_TEXT_LENGTH));
  const at = DIGITS.test(line) ? firstDate(line, "", FIRST_YEAR)?.at : undefined;
  return at === undefined ? text : line.slice(0, at);
}

/** Each date has a year of four digits, or numbers with slashes. */
const DIGITS = /\d{4}|\d[/-]\d\d?[/-]\d/;
const ASCII_ONLY = /^[\x00-\x7f]*$/;
/** Zeros of other scripts' digits. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];

/** The text with ASCII digits, without marks of direction, with years of the common era and plain names of months. */
function plain(text: string): string {
  if (ASCII_ONLY.test(text)) return text;
  let line = text
    .replace(/[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, "")
    .replace(/(?!\d)\p{Nd}/gu, (digit) => asciiDigit(digit))
    .replace(/(令和|平成|民國)\s?(\d{1,3}|元)(?=\s?年)/gu, (_all, era: string, year: string) => eraYear(era, year))
    .replace(/[พค]\.ศ\.\s?/gu, "");
  if (/[\u0600-\u06ff\u0e00-\u0e7f]/.test(line)) {
    for (const [form, name] of OTHER_NAMES) line = line.replace(form, name);
  }
  return line;
}

function asciiDigit(digit: string): string {
  const code = digit.charCodeAt(0);
  const zero = ZEROS.find((first) => code >= first && code < first + 10);
  return zero === undefined ? digit : String(code - zero);
}

/** The year before the first one of each era. */
const ERAS: Readonly<Record<string, number>> = { 令和: 2018, 平成: 1988, 民國: 1911 };

function eraYear(era: string, year: string): string {
  return String((ERAS[era] ?? 0) + (year === "元" ? 1 : Number(year)));
}

function firstDate(
  line: string,
  language: string,
  firstYear: number,
): { readonly at: number; readonly date: string } | undefined {
  const isThai = isInThai(line, language);
  let best: { readonly at: number; readonly date: string } | undefined;
  for (const { form, of } of FORMS) {
    const match = form.exec(line);
    if (match === null || (best !== undefined && best.at <= match.index)) continue;
    const [year = "", month = "", day = ""] = of.map((group) => match[group] ?? "");
    const date = dateOf(yearOf(year, isThai), monthOf(month), Number(day), firstYear);
    if (date !== undefined) best = { at: match.index, date };
  }
  return best;
}

/** `3/4/2026` is in March in the United States, and in April elsewhere. Undefined if neither is known. */
function dateWithSlashes(line: string, language: string, firstYear: number): string | undefined {
  const [, first = "", second = "", end = ""] = SLASHES.exec(line) ?? [];
  if (end === "") return undefined;
  const [a, b, year] = [Number(first), Number(second), yearOf(end, isInThai(line, language))];
  if (a > 12) return dateOf(year, b, a, firstYear);
  if (b > 12 || a === b || /^en-us$/i.test(language)) return dateOf(year, a, b, firstYear);
  return /^(?!en$)[a-z]/i.test(language) ? dateOf(year, b, a, firstYear) : undefined;
}

function yearOf(text: string, isThai: boolean): number {
  const year = text.length === 2 ? 2000 + Number(text) : Number(text);
  return isThai && year > LAST_YEAR ? year - BUDDHIST_ERA : year;
}

function isInThai(line: string, language: string): boolean {
  return /^th\b/i.test(language) || /[\u0e00-\u0e7f]/.test(line);
}

function monthOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  const name = text.toLowerCase();
  // A Hebrew date has "in" before the month.
  return monthNamed(name) || (name.startsWith("ב") ? monthNamed(name.slice(1)) : 0);
}

function monthNamed(name: string): number {
  return MONTHS.findIndex((names) => names.some((one) => name.startsWith(one) || `${name}.` === one)) + 1;
}

// oxlint-disable-next-line max-params -- the parts of a date, and its bound
function dateOf(year: number, month: number, day: number, firstYear: number): string | undefined {
  if (year < firstYear || year > LAST_YEAR || month < 1 || month > 12 || day < 1) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 ? date.toISOString().slice(0, 10) : undefined;
}
