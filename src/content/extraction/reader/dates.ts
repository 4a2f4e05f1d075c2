/** Maximum number of characters of a text in which a date is searched. A longer text is not a line with a date. */
const MAX_TEXT_LENGTH = 200;
/** The first and the last year of a date. A number beside them is not a year. */
const FIRST_YEAR = 1990;
const LAST_YEAR = 2100;

/** Beginnings of the names of months, by number, in the most frequent languages. */
const MONTHS: readonly (readonly string[])[] = [
  "jan gen ene janv янв ян يناير जन",
  "feb fév fev févr фев فبراير फ़र फर",
  "mar mär mrz maar мар مارس मार्च",
  "apr avr abr апр أبريل अप्रै",
  "may mai mag maj mei май мая مايو मई",
  "jun juin giu июн يونيو जून",
  "jul juil lug июл يوليو जुल",
  "aug août aou ago авг أغسطس अग",
  "sep set sept сен سبتمبر सित",
  "oct okt ott out окт أكتوبر अक्तू अक्टू",
  "nov ноя نوفمبر नव",
  "dec dez déc dic des дек ديسمبر दिस",
].map((names) => names.split(" "));

const WORD = String.raw`(\p{L}[\p{L}\p{M}]{2,11})\.?`;
const ORDINAL = "(?:st|nd|rd|th|er|º|ª|\\.)?";
const FORMS: readonly { readonly form: RegExp; readonly of: readonly [year: number, month: number, day: number] }[] = [
  { form: /(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/u, of: [1, 2, 3] },
  { form: /(?<!\d)(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]/u, of: [1, 2, 3] },
  { form: new RegExp(String.raw`${WORD}\s+(\d{1,2})${ORDINAL},?\s+(\d{4})(?!\d)`, "u"), of: [3, 1, 2] },
  {
    form: new RegExp(
      String.raw`(?<!\d)(\d{1,2})${ORDINAL}[\s-]+(?:de\s+|of\s+)?${WORD},?[\s-]+(?:de\s+)?(\d{4})(?!\d)`,
      "u",
    ),
    of: [3, 2, 1],
  },
  { form: /(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)/u, of: [3, 2, 1] },
];
const SLASHES = /(?<!\d)(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d{2})(?!\d)/u;

/** The first date in a short text, as `2026-11-23`. `language` decides the order of day and month with slashes. */
export function dateIn(text: string, language = ""): string | undefined {
  const line = text.slice(0, MAX_TEXT_LENGTH);
  return firstDate(line)?.date ?? dateWithSlashes(line, language);
}

/** The text before its first date. The whole text if it has no date. */
export function beforeDate(text: string): string {
  return text.slice(0, firstDate(text.slice(0, MAX_TEXT_LENGTH))?.at ?? text.length);
}

function firstDate(line: string): { readonly at: number; readonly date: string } | undefined {
  let best: { readonly at: number; readonly date: string } | undefined;
  for (const { form, of } of FORMS) {
    const match = form.exec(line);
    if (match === null || (best !== undefined && best.at <= match.index)) continue;
    const [year = "", month = "", day = ""] = of.map((group) => match[group] ?? "");
    const date = dateOf(Number(year), monthOf(month), Number(day));
    if (date !== undefined) best = { at: match.index, date };
  }
  return best;
}

/** `3/4/2026` is in March in the United States, and in April elsewhere. Undefined if neither is known. */
function dateWithSlashes(line: string, language: string): string | undefined {
  const [, first = "", second = "", end = ""] = SLASHES.exec(line) ?? [];
  if (end === "") return undefined;
  const [a, b, year] = [Number(first), Number(second), end.length === 2 ? 2000 + Number(end) : Number(end)];
  if (a > 12) return dateOf(year, b, a);
  if (b > 12 || a === b || /^en-us$/i.test(language)) return dateOf(year, a, b);
  return /^(?!en$)[a-z]/i.test(language) ? dateOf(year, b, a) : undefined;
}

function monthOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  const name = text.toLowerCase();
  return MONTHS.findIndex((names) => names.some((beginning) => name.startsWith(beginning))) + 1;
}

function dateOf(year: number, month: number, day: number): string | undefined {
  if (year < FIRST_YEAR || year > LAST_YEAR || month < 1 || month > 12 || day < 1) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 ? date.toISOString().slice(0, 10) : undefined;
}
