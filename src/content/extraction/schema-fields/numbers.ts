import { SCALE, SCALE_BEFORE_SIGN, SCALE_OF_MONEY, scaled } from "./scales.ts";

/** Maximum number of characters of a text in which a number is read. */
const MAX_LENGTH = 60;

/** Languages that write a comma before decimals, and a full stop, a space or an apostrophe between thousands. */
const DECIMAL_COMMA =
  /^(?:af|az|be|bg|bs|ca|cs|da|de(?!-(?:ch|li))|el|es(?!-(?:mx|us|pa|pr|sv|gt|hn|ni|do|pe))|et|eu|fi|fr(?!-ch)|gl|hr|hu|hy|id|is|it(?!-ch)|ka|kk|lt|lv|mk|nb|nl|nn|no|pl|pt|ro|ru|sk|sl|sq|sr|sv|tr|uk|vi)\b/i;
const DECIMAL_POINT = /^(?:en|zh|ja|ko|th|he|hi|bn|ta|te|ms|fil|ga|cy|mt|de-ch|de-li|fr-ch|it-ch|es-mx|es-us)\b/i;

/** A number, with any marks between its digits. It may begin with its decimal point, as in `.5`. */
const NUMBER = new RegExp(
  String.raw`([-−+]?(?:(?<![\p{L}\d.,])\.)?\d(?:[\d.,٫٬'’ \u00a0\u202f]*\d)?)(${SCALE})?`,
  "gu",
);
/** Digits in groups of three, as in 1 234 567. */
const GROUPED = /^\d{1,3}(?:([.,'’ \u00a0\u202f٬])\d{3})(?:\1\d{3})*$/u;

/** Digits in groups of two before the last three, as in 1,24,999. */
const INDIAN = /^\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d{1,2})?$/u;

/** The only number in a text. Undefined without a number, with several, or if its marks have two meanings. */
export function numberIn(text: string, locale: string): number | undefined {
  const numbers = numbersIn(text, locale);
  return numbers.length === 1 ? numbers[0] : undefined;
}

/** The numbers in a text; undefined for one whose marks have two meanings. */
export function numbersIn(text: string, locale: string): readonly (number | undefined)[] {
  return [...asciiDigits(text.slice(0, MAX_LENGTH)).matchAll(NUMBER)].map(([, digits = "", scale]) =>
    scaled(valueOf(digits, locale), scale, locale),
  );
}

/** Two numbers of a range, such as `20 – 30`, the lower one first. */
export function rangeIn(text: string, locale: string, isMoney: boolean): readonly [number, number] | undefined {
  if (text.length > 4 * MAX_LENGTH) return undefined;
  const found = RANGE.exec(asciiDigits(text));
  if (found === null) return undefined;
  const { from = "", to = "", scale, scaleOfBoth } = found.groups ?? {};
  const valueIn = (digits: string, own: string | undefined) =>
    isMoney ? amountOf(digits, own, locale) : scaled(valueOf(digits, locale), own, locale);
  const [low, high] = [valueIn(from, scale ?? scaleOfBoth), valueIn(to, scaleOfBoth)];
  const rest = text.replace(found[0], " ");
  return low === undefined || high === undefined || low >= high || /\d/.test(rest) ? undefined : [low, high];
}

/** A number as programs write it, such as `1234.5`. */
export function plainNumber(text: string): number | undefined {
  return /^[-+]?\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

function valueOf(text: string, locale: string): number | undefined {
  const sign = /^[-−]/.test(text) ? -1 : 1;
  const digits = text
    .replace(/^[-−+]\s*/, "")
    .replaceAll("٫", ",")
    .trim();
  if (INDIAN.test(digits)) return sign * Number(digits.replaceAll(",", ""));
  const last = /[.,](?=\d*$)/.exec(digits);
  const group = GROUPED.exec(digits)?.[1];
  if (last === null)
    return /^\d+$/.test(digits) || group !== undefined ? sign * Number(digits.replace(/\D/g, "")) : undefined;
  const whole = digits.slice(0, last.index);
  const decimals = digits.slice(last.index + 1);
  const isRepeated = whole.includes(last[0]);
  if (isRepeated) return group === undefined ? undefined : sign * Number(digits.replace(/\D/g, ""));
  const hasGroups = /[.,'’ \u00a0\u202f٬]/u.test(whole);
  if (hasGroups && GROUPED.exec(whole) === null) return undefined;
  // One mark before three digits is a decimal mark in some languages, and one of thousands in others.
  if (!hasGroups && decimals.length === 3 && whole.length <= 3 && whole !== "0" && whole !== "") {
    const isDecimal = last[0] === "," ? DECIMAL_COMMA.test(locale) : DECIMAL_POINT.test(locale);
    const isThousands = last[0] === "," ? DECIMAL_POINT.test(locale) : DECIMAL_COMMA.test(locale);
    if (isThousands) return sign * Number(whole + decimals);
    if (!isDecimal) return undefined;
  }
  return sign * Number(`${whole.replace(/\D/g, "")}.${decimals}`);
}

function asciiDigits(text: string): string {
  return text.replace(/[٠-٩۰-۹]/gu, (digit) => String(digit.charCodeAt(0) & 0xf));
}

/** Codes of currencies by their signs. A sign of several currencies is not here. */
const SIGNS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "€": "EUR",
    "£": "GBP",
    "₹": "INR",
    "₽": "RUB",
    "₺": "TRY",
    "₩": "KRW",
    "₪": "ILS",
    "₫": "VND",
    "₴": "UAH",
    "฿": "THB",
    "₦": "NGN",
    "₱": "PHP",
    zł: "PLN",
    Kč: "CZK",
    Ft: "HUF",
    US$: "USD",
    C$: "CAD",
    CA$: "CAD",
    A$: "AUD",
    AU$: "AUD",
    NZ$: "NZD",
    HK$: "HKD",
    S$: "SGD",
    R$: "BRL",
    MX$: "MXN",
    "Fr.": "CHF",
    лв: "BGN",
    lei: "RON",
    руб: "RUB",
    円: "JPY",
    元: "CNY",
    원: "KRW",
    TL: "TRY",
  }),
);
const YEN = [
  [/^ja\b/i, "JPY"],
  [/^zh\b/i, "CNY"],
] as const;
/** Signs whose currency the language decides. */
const BY_LOCALE: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  $: [
    [/^(?:en-ca|fr-ca)\b/i, "CAD"],
    [/^en-au\b/i, "AUD"],
    [/^en-nz\b/i, "NZD"],
    [/^es-mx\b/i, "MXN"],
    [/^(?:en|en-us)$/i, "USD"],
  ],
  "¥": YEN,
  "￥": YEN,
  kr: [
    [/^sv\b/i, "SEK"],
    [/^(?:nb|nn|no)\b/i, "NOK"],
    [/^da\b/i, "DKK"],
    [/^is\b/i, "ISK"],
  ],
};
const CODES =
  "USD|EUR|GBP|JPY|CNY|RMB|INR|AUD|CAD|NZD|SGD|HKD|TWD|CHF|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|TRY|RUB|UAH|BRL|MXN|ARS|CLP|COP|PEN|ZAR|KRW|THB|IDR|MYR|PHP|VND|ILS|AED|SAR|EGP|NGN|KES";
const escaped = (sign: string): string => sign.replace(/[$.]/g, "\\$&");
const SIGN = [...SIGNS.keys(), ...Object.keys(BY_LOCALE)]
  .toSorted((a, b) => b.length - a.length)
  .map((sign) => (/^\p{L}+$/u.test(sign) ? `(?<![\\p{Ll}\\p{Lu}])${sign}(?!\\p{L})` : escaped(sign)))
  .join("|");
const AMOUNT = String.raw`\d(?:[\d.,'’ \u00a0\u202f]*\d)?`;
const MONEY = new RegExp(
  String.raw`(?:(?<before>${SIGN}|\b(?:${CODES})\b)\s?(?<after>${AMOUNT})(?<scaleAfter>${SCALE_OF_MONEY})?)|(?:(?<first>${AMOUNT})(?:,-|,–|\.-|\.–)?(?<scaleFirst>${SCALE_BEFORE_SIGN})?\s?(?<sign>${SIGN}|\b(?:${CODES})\b)(?!\d))`,
  "gu",
);

const RANGE = new RegExp(
  String.raw`(?<from>${AMOUNT})(?<scale>${SCALE_OF_MONEY})?\s?(?:${SIGN}|[A-Z]{3})?\s?(?:-|–|—|to|bis|à|a|tot|do)\s?(?:${SIGN}|[A-Z]{3})?\s?(?<to>${AMOUNT})(?<scaleOfBoth>${SCALE_OF_MONEY})?`,
  "u",
);

export interface Money {
  readonly amount: number | undefined;
  readonly currency: string | undefined;
}

/** The amounts of money in a text. */
export function moneyIn(text: string, locale: string): readonly Money[] {
  if (!/\d/.test(text)) return [];
  return [...text.slice(0, 4 * MAX_LENGTH).matchAll(MONEY)].map(({ groups = {} }) => {
    const sign = groups["before"] ?? groups["sign"] ?? "";
    const digits = groups["after"] ?? groups["first"] ?? "";
    const scale = groups["scaleAfter"] ?? groups["scaleFirst"];
    return { amount: amountOf(digits, scale, locale), currency: currencyOf(sign, locale) };
  });
}

/** Whether the text states an amount for a weight, a volume or a similar quantity, such as `3.37 €/kg`. */
export function isPerUnit(text: string): boolean {
  return PER_UNIT.test(text.slice(0, 4 * MAX_LENGTH));
}

const PER_UNIT =
  /\d\S{0,2}\s?\S{0,4}\s?(?:\/|\bper\b|\bje\b|\bpro\b|\bpar\b|\bpor\b|\bal\b)\s?(?:1\s|10\s?|100\s?)?(?:kg|g|mg|l|ml|cl|m|m²|m2|qm|oz|lb|litre|liter|stück|unit|unidad|unité|piece)(?!\p{L})/iu;

/** Prices have no three decimals, so one mark before three digits is one of thousands. */
function amountOf(digits: string, scale: string | undefined, locale: string): number | undefined {
  const only = scale === undefined ? /^(\d{1,3})[.,](\d{3})$/.exec(digits) : null;
  return only === null ? scaled(valueOf(digits, locale), scale, locale) : Number(`${only[1]}${only[2]}`);
}

function currencyOf(sign: string, locale: string): string | undefined {
  if (new RegExp(`^(?:${CODES})$`).test(sign)) return sign === "RMB" ? "CNY" : sign;
  return SIGNS.get(sign) ?? BY_LOCALE[sign]?.find(([languages]) => languages.test(locale))?.[1];
}
