import { type Comparison } from "./analysis.ts";
import { comparisonOf, OR_BOUND } from "./comparisons.ts";
import { GRAMMARS, isFunctionWord } from "./grammar.ts";
import { numberWord, numberWordPattern } from "./number-words.ts";
import { firstOf } from "./word-classes.ts";
import { type Language, LANGUAGES, stemOf, STOP_WORDS, type Word, wordsOf } from "./words.ts";
import { overlap, textBefore } from "./ranges.ts";
import { until } from "./until.ts";

/** A number in a text, in the base unit. */
export interface Quantity {
  /** The least and the greatest value that the words allow: "more than 5" is 5 to Infinity without its ends. */
  readonly low: number;
  readonly high: number;
  readonly value: number;
  readonly unit: string;
  readonly start: number;
  readonly end: number;
  /** "about", "nearly": not exact. */
  readonly rough: boolean;
  readonly comparison: Comparison | undefined;
}

const SCALES: ReadonlyMap<string, number> = new Map(
  [
    ...firstOf(
      "1e3 k thousand tausend mille mil 千, 100 hundred, 1e6 m mn mio million millions millionen millón millon millones milione milioni milhão milhões 百万, " +
        "1e9 bn b billion billions milliarde milliarden mrd milliard milliards miliardo miliardi bilhão bilhões, 1e12 tn trillion trillions billón billones billionen, " +
        "1e5 lakh lakhs, 1e7 crore crores, 1e4 万, 1e8 亿, 12 dozen",
    ),
  ].map(([name, scale]) => [name, Number(scale)]),
);

const UNITS: ReadonlyMap<string, readonly [string, number]> = new Map([
  ...named(
    "percent",
    1,
    "% percent per\u00a0cent prozent pour\u00a0cent por\u00a0ciento per\u00a0cento por\u00a0cento percentage 个百分点 ％",
  ),
  ...named("percent", 0.01, "basis\u00a0points bps basispunkte"),
  ...named("usd", 1, "$ us$ usd dollar dollars 美元 dólares dolares"),
  ...named("eur", 1, "€ eur euro euros 欧元"),
  ...named("gbp", 1, "£ gbp sterling 英镑"),
  ...named("jpy", 1, "¥ jpy yen 日元"),
  ...named("cny", 1, "yuan renminbi 元 人民币"),
  ...named("inr", 1, "₹ inr rupee rupees"),
  ...named("m", 1, "meter meters metre metres meters mètres metros 米"),
  ...named("m", 1_000, "km kilometer kilometers kilometre kilometres kilometern kilomètres kilómetros 公里"),
  ...named("m", 1_609.344, "mile miles"),
  ...named("m", 0.3048, "ft foot feet"),
  ...named("m", 0.01, "cm centimeter centimeters centimetres"),
  ...named("m", 0.001, "mm millimeter millimetres"),
  ...named("m", 0.0254, "inch inches"),
  ...named("kg", 1, "kg kilogram kilograms kilo kilos 公斤"),
  ...named("kg", 1_000, "tonne tonnes t tonnen 吨"),
  ...named("kg", 0.453_592_37, "lb lbs"),
  ...named("celsius", 1, "°c ℃ grad degree degrees degrés grados gradi graus degrees\u00a0celsius"),
  ...named("fahrenheit", 1, "°f fahrenheit degrees\u00a0fahrenheit"),
  ...named("s", 1, "second seconds sekunden segundos secondes"),
  ...named("s", 60, "minute minutes minuten minutos"),
  ...named("s", 3_600, "hour hours stunden heures horas"),
  ...named("s", 86_400, "day days tage tagen jours días dias"),
  ...named("s", 604_800, "week weeks wochen"),
  ...named("m/s", 1 / 3.6, "km/h kph"),
  ...named("m/s", 0.447_04, "mph"),
  ...named("people", 1, "people persons menschen personnes personas 人"),
]);

function named(unit: string, factor: number, names: string): [string, readonly [string, number]][] {
  return names.split(" ").map((name) => [name.replaceAll("\u00a0", " "), [unit, factor]]);
}

const DIGITS = "\\d{1,3}(?:[ \\u00a0\\u202f']\\d{3})+(?:[.,]\\d+)?|\\d+(?:[.,]\\d+)*";
/** "a dozen", "half a million", "a quarter of a percentage point". */
const PART =
  "(?:half\\s)?an?(?=\\s(?:dozen|hundred|thousand|million|billion|trillion)\\b)|(?:half|a\\squarter\\sof)\\sa(?=\\spercentage\\spoint)";
const SHARES: ReadonlyMap<string, number> = new Map([
  ["half", 0.5],
  ["a quarter", 0.25],
]);
const QUANTITY: ReadonlyMap<Language, RegExp> = new Map(
  LANGUAGES.map((language) => [
    language,
    new RegExp(
      `(?<![\\p{sc=Latin}\\d.]|\\p{sc=Latin}-)(US\\$|[$€£¥₹])?\\s?(?:(${DIGITS})|(${language === "en" ? `${PART}|` : ""}${numberWordPattern(language)}))(?![\\d])`,
      "giu",
    ),
  ]),
);
const NUMBER = new RegExp(`^(?:half|an?|dozen|${numberWordPattern()})$`, "iu");
const NEXT = /^[\s\u00a0-]?(?:de\s)?(%|％|°[CF]|℃|km\/h|[\p{sc=Han}]{1,4}|(?!\d)[\p{L}$€£]+)/u;

/** Maximum number of numbers of one sentence that are read. */
const MAX_QUANTITIES = 24;

/** "2:21:07" and "3:58.41": hours, minutes and seconds, and minutes and seconds. */
const TIMES = /(?<![\d:.,])(?:(\d{1,3}):([0-5]\d):([0-5]\d)|(\d{1,2}):([0-5]\d)[.,](\d{1,2}))(?![\d:])/gu;

/** The quantities of a sentence, in order. Numbers inside `dates` are left out. */
export function quantitiesOf(
  text: string,
  language: Language | undefined,
  dates: readonly { readonly start: number; readonly end: number }[] = [],
): Quantity[] {
  const times = [...text.matchAll(TIMES)].slice(0, MAX_QUANTITIES).map((match): Quantity => {
    const [whole, hours, minutes, seconds, ownMinutes, ownSeconds, hundredths] = match;
    const value =
      hours === undefined
        ? Number(ownMinutes) * 60 + Number(`${ownSeconds}.${hundredths}`)
        : Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
    const [start, end] = [match.index, match.index + whole.length];
    return { ...bounds(text, { start, end }, value), value, unit: "s", start, end };
  });
  const found = numbersOf(text, language, [...dates, ...times]);
  return joined(
    text,
    [...found, ...times].toSorted((a, b) => a.start - b.start),
  );
}

/** The end of a text before the second number of "three of the seven counts", "two out of five": the first one is counted. */
const OF_WHOLE =
  /(?:^|\s)(\S+)\s(?:out\s)?(?:(?:of|von|d[eu]|sur|su|di)\s(?:(?:the|its|his|her|their|all|den|insgesamt|les?|los|las|os|as)\s)?|(?:des|dos|das|dei|delle)\s)$/iu;
const ONE = /^(?:one|eine?[rs]?|une?|un[oa]?|uma?)$/iu;

/** "2 hours 20 minutes", and "three of the seven counts", are one quantity. */
function joined(text: string, found: readonly Quantity[]): Quantity[] {
  const kept: Quantity[] = [];
  for (const one of found) {
    const last = kept.at(-1);
    const part = OF_WHOLE.exec(textBefore(text, one.start, 40))?.[1];
    const said = last === undefined ? "" : text.slice(last.start, last.end);
    if (
      part !== undefined &&
      last !== undefined &&
      (text.startsWith(part, last.start) || (last.unit === "" && said.endsWith(part)))
    ) {
      kept[kept.length - 1] = { ...last, unit: one.unit, end: one.end };
      continue;
    }
    if (part !== undefined && ONE.test(part)) {
      kept.push({ ...one, low: 1, high: 1, value: 1 });
      continue;
    }
    if (
      last === undefined ||
      last.unit !== "s" ||
      one.unit !== "s" ||
      one.value >= last.value ||
      !/^\s?(?:(?:and|und|et|y|e)\s)?$/u.test(text.slice(last.end, one.start))
    ) {
      kept.push(one);
      continue;
    }
    const add = (bound: number): number => bound + one.value;
    kept[kept.length - 1] = { ...last, low: add(last.low), high: add(last.high), value: add(last.value), end: one.end };
  }
  return kept;
}

function numbersOf(
  text: string,
  language: Language | undefined,
  dates: readonly { readonly start: number; readonly end: number }[] = [],
): Quantity[] {
  const found: Quantity[] = [];
  for (const match of text.matchAll(QUANTITY.get(language ?? "en") as RegExp)) {
    if (found.length >= MAX_QUANTITIES) break;
    const [whole, sign, digits, word] = match;
    let end = match.index + whole.length;
    const start = end - whole.trimStart().length;
    // "3 mil millones": a scale that is also a number.
    if (start < (found.at(-1)?.end ?? 0)) continue;
    if (dates.some((date) => overlap(date, { start, end }))) continue;
    const number =
      digits === undefined
        ? (numberWord(word ?? "", language ?? "en") ??
          SHARES.get(/^(?:half|a quarter)/iu.exec(word ?? "")?.[0].toLowerCase() ?? "") ??
          1)
        : numberOf(digits, language);
    if (!Number.isFinite(number)) continue;
    // "Nine Wells": a number that begins a name.
    if (word !== undefined && /^\p{Lu}/u.test(word) && /^\s\p{Lu}/u.test(text.slice(end))) continue;
    if (INDEX.test(textBefore(text, start, 12))) continue;
    const { scale, unit, factor, length, bare } = following(text.slice(end), language);
    // "One" is a number only in "one million".
    if (number === 1 && word !== undefined && scale === 1) continue;
    const measure =
      sign === undefined ? { unit, factor } : { unit: UNITS.get(sign.toLowerCase())?.[0] ?? "", factor: 1 };
    const value = number * scale * measure.factor;
    const own = bounds(text, { start, end: end + bare }, value);
    end += length;
    found.push({ ...own, value, unit: measure.unit, start, end });
  }
  return found;
}

/** The names of indexes that end with a number: "the S&P 500 closed". */
const INDEX = /(?<!\p{L})(?:S&P|FTSE|Nikkei|Nasdaq|NASDAQ|CAC|IBEX|Ibex|STOXX|Stoxx|Russell|ASX|CSI)[\s-]$/u;

function numberOf(digits: string, language: Language | undefined): number {
  const plain = digits.replace(/[\s\u00a0\u202f']/g, "");
  const decimalComma = language !== undefined && language !== "en";
  const groups = decimalComma ? /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/ : /^\d{1,3}(?:,\d{2,3})*(?:,\d{3})(?:\.\d+)?$/;
  if (groups.test(plain)) {
    return Number(decimalComma ? plain.replaceAll(".", "").replace(",", ".") : plain.replaceAll(",", ""));
  }
  return Number(plain.replace(",", "."));
}

/** Reads scales ("million", "mil millones") and a unit after a number. `bare` is the length without "or more". */
function following(
  rest: string,
  language: Language | undefined,
): { scale: number; unit: string; factor: number; length: number; bare: number } {
  let scale = 1;
  let length = 0;
  for (let n = 0; n < 4; n += 1) {
    const match = NEXT.exec(rest.slice(length));
    if (match === null) break;
    const raw = match[1] ?? "";
    const lower = raw.toLowerCase();
    const own = SCALES.get(raw) ?? SCALES.get(lower);
    const han = /^[百]?[万亿千]/u.exec(raw)?.[0];
    if (han !== undefined) {
      scale *= SCALES.get(han) ?? 1;
      length += match[0].length - (raw.length - han.length);
      continue;
    }
    if (own !== undefined && !(lower === "m" && match[0] !== raw)) {
      scale *= lower === "billion" && language === "de" ? 1e12 : own;
      length += match[0].length;
      continue;
    }
    // "five Lantern awards": a name is not a unit.
    if (language !== "de" && /^\p{Lu}\p{Ll}/u.test(raw) && !UNITS.has(lower)) break;
    // "60 or more seats"
    const bound = OR_BOUND.exec(rest.slice(length))?.[0].length ?? 0;
    const behind = rest.slice(length + bound);
    const [first = "", word = raw] = bound === 0 ? match : (/^(\p{L}+)/u.exec(behind) ?? []);
    const { read, ...measure } = unitOf(word, first.length, behind, language ?? "en");
    return { scale, length: length + bound + read, bare: bound === 0 ? length + read : length, ...measure };
  }
  return { scale, unit: "", factor: 1, length, bare: length };
}

/** The unit of the words behind a number, and the characters that it takes: none if "30 or more" has no unit. */
function unitOf(
  raw: string,
  length: number,
  rest: string,
  language: Language,
): { unit: string; factor: number; read: number } {
  const lower = raw.toLowerCase();
  const [pair = "", name = ""] = /^\s?(\p{L}+\s\p{L}+)/u.exec(rest) ?? [];
  const ofPair = UNITS.get(name.toLowerCase());
  if (ofPair !== undefined) return { unit: ofPair[0], factor: ofPair[1], read: pair.length };
  const known = UNITS.get(lower) ?? UNITS.get(raw.slice(0, 2)) ?? UNITS.get(raw.slice(0, 1));
  if (known !== undefined && (UNITS.has(lower) || /^\p{sc=Han}/u.test(raw)))
    return { unit: known[0], factor: known[1], read: length };
  const counted = language === "en" ? describedNoun(rest) : undefined;
  if (counted !== undefined) return { unit: stemOf(counted.noun), factor: 1, read: counted.length };
  return lower === "per" || isFunctionWord(lower, GRAMMARS[language])
    ? { unit: "", factor: 1, read: 0 }
    : { unit: stemOf(lower), factor: 1, read: length };
}

/** "virtual visitors" of "240,000 virtual visitors": the words for what is counted, if they are more than one. */
export function describedIn(
  text: string,
  { unit, start, end }: Pick<Quantity, "unit" | "start" | "end">,
): readonly Word[] {
  const words = wordsOf(text.slice(start, end)).filter(
    (word) => /^\p{L}/u.test(word.text) && !SCALES.has(word.text) && !NUMBER.test(word.text),
  );
  return words.length > 1 && words.at(-1)?.stem === unit ? words : [];
}

/** "8 named storms", "500 new measles cases": the counted noun behind one or two words that describe it. */
function describedNoun(rest: string): { noun: string; length: number } | undefined {
  const words = [...(/^\s?(?:\p{Ll}{3,}(?:\s|$)?){1,3}/u.exec(rest)?.[0] ?? "").matchAll(/\p{Ll}+/gu)];
  const last = until(words, ({ 0: word }) => STOP_WORDS.has(word)).findLast(({ 0: word }) => /[^su]s$/u.test(word));
  if (last === undefined || words[0]?.[0].endsWith("s") === true) return undefined;
  return { noun: last[0], length: last.index + last[0].length };
}

const ROUGH =
  /(?:about|around|some|roughly|approximately|nearly|almost|close to|an estimated|rund|etwa|fast|environ|près d(?:e|['’])|casi|unos|cerca de|约|近)\s*$/iu;
type Bounds = Pick<Quantity, "low" | "high" | "rough" | "comparison">;

function bounds(text: string, { start, end }: { start: number; end: number }, value: number): Bounds {
  const before = textBefore(text, start, 40);
  const after = text.slice(end, end + 16);
  const comparison = comparisonOf(before, after);
  const rough = ROUGH.test(before);
  const low = comparison === "below" || comparison === "at most" ? Number.NEGATIVE_INFINITY : value;
  const high = comparison === "above" || comparison === "at least" ? Number.POSITIVE_INFINITY : value;
  return { low, high, rough, comparison };
}

/** "yes" if every value that a quantity allows meets the threshold, "no" if no value does, "open" otherwise. */
export function meets(quantity: Quantity, { comparison, value }: { comparison: Comparison; value: number }): Met {
  if (comparison === "equal") return equals(quantity, value);
  if (comparison === "above" || comparison === "at least") return isAbove(quantity, value, comparison === "above");
  const mirrored = { ...quantity, low: -quantity.high, high: -quantity.low, comparison: mirror(quantity.comparison) };
  return isAbove(mirrored, -value, comparison === "below");
}

type Met = "yes" | "no" | "open";

function isAbove({ low, high, rough, comparison }: Bounds, limit: number, strict: boolean): Met {
  const slack = rough ? Math.abs(limit) * 0.05 : 0;
  const surelyLow = low - slack;
  if (surelyLow > limit || (surelyLow === limit && (!strict || comparison === "above"))) return "yes";
  const surelyHigh = high + slack;
  return surelyHigh < limit || (surelyHigh === limit && (strict || comparison === "below")) ? "no" : "open";
}

function mirror(comparison: Comparison | undefined): Comparison | undefined {
  if (comparison === "above") return "below";
  if (comparison === "below") return "above";
  return comparison;
}

function equals({ low, high, value, rough, comparison }: Quantity, limit: number): Met {
  if (comparison !== undefined) return low > limit || high < limit ? "no" : "open";
  return sameNumber(value, limit, rough) ? "yes" : "no";
}

/** Whether two numbers are the same as people write them: "1.2 million" is 1,234,567. */
export function sameNumber(a: number, b: number, rough = false): boolean {
  const scale = Math.max(Math.abs(a), Math.abs(b));
  if (scale === 0) return true;
  const tolerance = rough ? 0.06 : scale >= 1_000 ? 0.02 : scale >= 10 ? 0.011 : 0.005;
  return Math.abs(a - b) / scale <= tolerance;
}
