import { textContent } from "domutils";
import { dateIn } from "../reader/dates.ts";
import { personNameOf } from "../reader/people.ts";
import { parseTree } from "../tree/tree.ts";
import { type LeafPlan } from "./field-plan.ts";
import { normalName } from "./names.ts";
import { moneyIn, numberIn, plainNumber } from "./numbers.ts";
import { measureIn } from "./units.ts";
import { TURNED } from "./shown-page.ts";
import { localName } from "./things.ts";
import { AMOUNTS, DURATIONS } from "./vocabulary.ts";

/** Characters of a short value. */
const MAX_SHORT = 300;

/** The earliest year of a date, which may be one of a birth or of a foundation. */
const FIRST_YEAR = 1500;

export type Scalar = string | number | boolean;

interface Origin {
  readonly base: string;
  readonly locale: string;
}

/** A value as a page has it. */
interface RawValue extends Origin {
  readonly value: Scalar;
  readonly isData: boolean;
}

/**
 * The value in the type of the field; undefined without a valid one. `isData` if programs wrote it: numbers have a decimal point,
 * and dates are those of ISO 8601.
 */
export function typedValue(
  leaf: LeafPlan,
  value: Scalar,
  { base, locale }: Origin,
  isData = false,
): Scalar | undefined {
  if (typeof value === "string" && TURNED.test(value)) return undefined;
  for (const own of candidates(leaf, { value, isData, base, locale })) {
    // A greater number has other digits than the page.
    if (typeof own === "number" && !(Math.abs(own) <= Number.MAX_SAFE_INTEGER)) continue;
    if (own !== undefined && leaf.fits(own)) return own;
  }
  return undefined;
}

function* candidates(leaf: LeafPlan, raw: RawValue): Generator<Scalar | undefined> {
  if (leaf.choices !== undefined) {
    yield choiceOf(leaf.choices, raw) ??
      (leaf.names.concept === "availability" ? stockChoice(leaf.choices, raw) : undefined);
    return;
  }
  for (const type of leaf.types) {
    if (type === "string") yield leafText(leaf, raw);
    else if (type === "boolean")
      yield booleanOf(raw) ?? (leaf.names.concept === "availability" ? stockIn(String(raw.value)) : undefined);
    else yield numberOf(leaf, raw);
  }
}

/** Words of pages that stand for values of schemas. */
const SAME_WORDS: readonly (readonly string[])[] = [
  "full time|vollzeit|temps plein|tiempo completo|jornada completa|tempo pieno|voltijd|fulltime|pełny etat|tempo integral|正社員|全职",
  "part time|teilzeit|temps partiel|tiempo parcial|media jornada|tempo parziale|deeltijd|parttime|część etatu|meio período",
  "in stock|auf lager|sofort lieferbar|lieferbar|verfügbar|en stock|disponible|disponibile|op voorraad|w magazynie|dostępny|em estoque|available|在庫あり|有货",
  "out of stock|ausverkauft|nicht verfügbar|nicht lieferbar|épuisé|rupture de stock|agotado|esaurito|non disponibile|uitverkocht|niedostępny|esgotado|sold out|unavailable",
  "contractor|contract|freelance|freiberuflich",
  "internship|intern|praktikum|stage|prácticas|tirocinio",
  "temporary|befristet|cdd|temporal|tijdelijk",
  "new|neu|neuf|nuevo|nuovo|nieuw|nowy|novo|new condition",
  "used|gebraucht|occasion|usado|usato|gebruikt|używany|used condition",
  "yes|true|ja|oui|sí|si|sì|tak|sim|はい|是",
  "no|false|nein|non|nee|nie|não|いいえ|否",
].map((line) => line.split("|").map(normalName));

/** Phrases of texts that state whether a thing can be bought, those that deny it first. */
const STOCK = { no: new Set(SAME_WORDS[3]), yes: new Set(SAME_WORDS[2]) };
const ADVERBS =
  /\b(?:currently|now|still|only|online|longer|sofort|derzeit|momentan|aktuell|actuellement|actualmente|temporarily|sorry)\b/gu;

/** Words of a short text about stock. */
const MAX_STOCK_WORDS = 4;

/** Whether a short text states that a thing can be bought, or that it cannot. */
export function stockIn(text: string): boolean | undefined {
  const words = normalName(localName(text));
  if (text.length > MAX_SHORT || words.split(" ").length > MAX_STOCK_WORDS) return undefined;
  // "Available sizes" and "available from May" do not state it.
  const bare = words.replace(ADVERBS, " ").trim();
  const rest = bare.replace(NEGATION, " ").trim();
  if (STOCK.no.has(bare)) return false;
  return STOCK.yes.has(rest) ? rest === bare : undefined;
}

const NEGATION = /\b(?:not|no|non|nicht|kein|keine|pas|niet|geen|nie)\b/u;

function choiceOf(choices: readonly Scalar[], { value }: RawValue): Scalar | undefined {
  const exact = choices.find((choice) => choice === value);
  if (exact !== undefined) return exact;
  const text = normalName(localName(String(value)));
  const same = SAME_WORDS.find((words) => words.includes(text)) ?? [];
  const names = choices.map((choice) => (typeof choice === "string" ? normalName(choice) : String(choice)));
  const equal = names.findIndex((name) => name === text || same.includes(name));
  if (equal !== -1) return choices[equal];
  const words = ` ${text} `;
  const within = names.flatMap((name, at) => (name !== "" && words.includes(` ${name} `) ? [at] : []));
  // "Not in stock" has the words of "in stock".
  const isNegated = NEGATION.test(text);
  return within.length === 1 && !isNegated ? choices[within[0] ?? 0] : undefined;
}

function stockChoice(choices: readonly Scalar[], { value }: RawValue): Scalar | undefined {
  const stock = stockIn(String(value));
  if (stock === undefined) return undefined;
  const words = SAME_WORDS[stock ? 2 : 3] ?? [];
  const fitting = choices.filter((choice) => words.includes(normalName(String(choice))));
  return fitting.length === 1 ? fitting[0] : undefined;
}

const TRUE = new Set([...(SAME_WORDS.at(-2) ?? []), ...(SAME_WORDS[2] ?? [])]);
const FALSE = new Set([...(SAME_WORDS.at(-1) ?? []), ...(SAME_WORDS[3] ?? [])]);

function booleanOf({ value }: RawValue): boolean | undefined {
  if (typeof value === "boolean") return value;
  const text = normalName(localName(String(value)));
  return TRUE.has(text) ? true : FALSE.has(text) ? false : undefined;
}

function numberOf(leaf: LeafPlan, raw: RawValue): number | undefined {
  const { value, locale } = raw;
  // A program's number may be in another unit than the one that the field names.
  if (typeof value === "number") return leaf.names.unit === undefined ? value : undefined;
  if (typeof value === "boolean" || value.length > MAX_SHORT) return undefined;
  const { concept = "" } = leaf.names;
  const { unit, money } = leaf.names;
  const plain = raw.isData ? plainNumber(value) : undefined;
  if (plain !== undefined) return unit === undefined ? plain : undefined;
  if (DURATIONS.has(concept) || unit?.dimension === "time") {
    const minutes = minutesOf(value);
    if (minutes !== undefined) return unit === undefined ? unitOf(leaf, minutes) : (minutes * 60) / unit.factor;
  }
  if (unit !== undefined) return measureIn(value, unit, locale);
  if (AMOUNTS.has(concept) || money !== undefined) {
    const amounts = moneyIn(value, locale);
    // An amount in another currency than that of the field's name is another amount.
    if (amounts.some(({ currency }) => money !== undefined && currency !== undefined && currency !== money))
      return undefined;
    if (amounts.length > 0) return amounts.length === 1 ? amounts[0]?.amount : undefined;
  }
  if (concept === "rating") {
    const share = /^\D{0,24}?([\d.,]+)\s*(?:\/|out of|von|sur|de|su|van|z|av)\s*\d+(?:[.,]0)?\D*$/iu.exec(
      value.replace(/\([^()]*\)/gu, " "),
    )?.[1];
    if (share !== undefined) return plainNumber(share.replace(",", "."));
  }
  // A number in parentheses is the same in another unit, or a note.
  return numberIn(value, locale) ?? numberIn(value.replace(/\([^()]*\)/gu, " "), locale);
}

/** Minutes of a duration such as `PT1H20M`, `1 h 20 min` or `80 minutes`. */
function minutesOf(text: string): number | undefined {
  const iso = /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:\d+S)?$/i.exec(text.trim());
  const [, days, hours, minutes] =
    iso ??
    /^()(?:(\d+)\s*(?:h|hrs?|hours?|std\.?|stunden?|heures?|horas?|ore|ora|uur|uren|godz\.?|timer|tim)\s*(?:and|und|et|y|e|en|i)?\s*)?(?:(\d+)\s*(?:m|mins?\.?|minutes?|minuten?|minutos?|minuti|minuut|minut|minuty|分)?)?$/iu.exec(
      text.trim(),
    ) ??
    [];
  if ((days || hours || minutes) === undefined || `${days ?? ""}${hours ?? ""}${minutes ?? ""}` === "")
    return undefined;
  return Number(days || 0) * 1440 + Number(hours || 0) * 60 + Number(minutes || 0);
}

/** A duration in the unit that the field's name or description names: minutes if it names none. */
function unitOf({ names, description }: LeafPlan, minutes: number): number {
  const words = `${[...names.own].join(" ")} ${description.toLowerCase()}`;
  if (/\bseconds?\b/.test(words)) return minutes * 60;
  return /\bhours?\b/.test(words) ? minutes / 60 : minutes;
}

function leafText(leaf: LeafPlan, raw: RawValue): string | undefined {
  const { value, locale } = raw;
  const text = raw.isData ? plainText(String(value)) : String(value).trim();
  if (text === "") return undefined;
  const { concept = "", labels } = leaf.names;
  switch (leaf.format ?? "") {
    case "date":
      return /^\d{4}-\d\d-\d\d(?!\d)/.exec(text)?.[0] ?? dateIn(text, locale, FIRST_YEAR);
    case "date-time":
      return momentOf(text);
    case "uri":
    case "iri":
    case "url":
      return addressOf(text, raw);
    case "uri-reference":
      return text;
    case "duration":
      return /^P[\dTHMSDWY.]+$/.test(text) ? text : isoDuration(minutesOf(text));
    case "email":
      return /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(text.replace(/^mailto:/i, ""))?.[0];
    default:
  }
  if (concept === "currency")
    return /^[A-Z]{3}$/.test(text) ? text : moneyIn(text, locale).find((one) => one.currency)?.currency;
  if (concept === "image" || concept === "url" || concept === "website")
    return addressOf(text, raw) ?? (raw.isData ? text : undefined);
  if (concept === "email") return /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(text)?.[0];
  if (concept === "author") return raw.isData ? text : (personNameOf(text) ?? text);
  if (raw.isData) return localName(text);
  if (!/[\p{L}\p{N}\p{Sc}]/u.test(text)) return undefined;
  const bare = withoutLabel(localName(text), labels).replace(/^[\s:：,;|]+|[\s:：,;|]+$/gu, "");
  if (!NAMES.has(concept)) return bare;
  return bare
    .replace(/^(?:at|by|bei|von|par|por|chez|sold by)\s+(?=[\p{Lu}\d])/u, "")
    .replace(/\s*\([\d.,%\s+★/]+\)$/u, "");
}

/** Concepts of names, beside which pages state a preposition before or a share after them. */
const NAMES = new Set(["company", "seller", "brand", "publisher", "organizer", "performer"]);

function withoutLabel(text: string, labels: ReadonlySet<string>): string {
  const [, label = "", rest = ""] = /^([^:：]{1,40})[:：]\s*(\S[^]*)$/u.exec(text) ?? [];
  return label !== "" && labels.has(normalName(label)) ? rest : text;
}

/** A moment with its offset, as the page has it. A day alone has no time that could be known. */
function momentOf(text: string): string | undefined {
  const [, day, time, seconds = ":00", offset] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?\s?(Z|[+-]\d\d:?\d\d)$/i.exec(text) ?? [];
  if (day === undefined || offset === undefined) return undefined;
  return `${day}T${time}${seconds}${offset.replace(/^([+-]\d\d)(\d\d)$/, "$1:$2")}`;
}

function isoDuration(minutes: number | undefined): string | undefined {
  if (minutes === undefined) return undefined;
  const [hours, left] = [Math.floor(minutes / 60), minutes % 60];
  return `PT${hours > 0 ? `${hours}H` : ""}${left > 0 || hours === 0 ? `${left}M` : ""}`;
}

function addressOf(text: string, { base, isData }: RawValue): string | undefined {
  // A text such as "shop.example" is not relative to the page.
  if (/\s/.test(text) || (!isData && !/^[a-z]+:/i.test(text))) return undefined;
  const url = URL.parse(text, base);
  return url !== null && /^(?:https?|mailto|tel):$/.test(url.protocol) ? url.href : undefined;
}

/** The text of a value of structured data, without tags and references. */
export function plainText(text: string): string {
  const shown = /[<&]/.test(text) ? textContent(parseTree(text.replaceAll("<", " <"))) : text;
  return shown.replace(/\s+/g, " ").trim();
}
