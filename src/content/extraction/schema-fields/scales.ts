/** A line: a power of ten, and its names in texts of all languages. */
const NAMES = `
3 k thousand tsd tausend mille mila duizend tys tysiące tysięcy tysiąca тыс тысяч 千 천
4 万 萬 만
6 m mn mln mio million millions millionen millón millones milione milioni miljoen milhão milhões milion miliony milionów млн 百万
8 億 亿 억
9 b bn mrd mld milliarde milliarden milliard milliards miliardo miliardi miljard mil·millones mil·milhões bilhão bilhões miliard miliardy miliardów млрд
12 billionen billón billones biljoen bilione bilioni trilhão trilhões
`;
/** Names that have another meaning in other languages: a power of ten, the languages in which it is right, its names. */
const LOCAL: readonly (readonly [power: number, languages: RegExp, names: readonly string[]])[] = [
  [3, /^(?:es|pt)\b/i, ["mil"]],
  [6, /^pt\b/i, ["mi"]],
  [9, /^pt\b/i, ["bi"]],
  [9, /^(?:en\b|pt\b|$)/i, ["billion", "billions"]],
  [12, /^(?:de|fr|es|nl|it|pl)\b/i, ["billion", "billions"]],
  [12, /^(?:en\b|$)/i, ["trillion", "trillions", "tn"]],
];
/** Maximum number of characters of a name that is a unit, and not a scale, in other languages: English `mil`. */
const MAX_UNIT = 3;

const POWERS = new Map<string, number>();
for (const line of NAMES.trim().split("\n")) {
  const [power = "", ...names] = line.split(" ");
  for (const name of names) POWERS.set(name.replace("·", " "), Number(power));
}

const WORDS = [...POWERS.keys(), ...LOCAL.flatMap(([, , names]) => names)]
  .filter((name) => !/^[a-z]$/.test(name))
  .flatMap((name) => [name, `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, name.toUpperCase()])
  .toSorted((a, b) => b.length - a.length);
const WORD = String.raw`\s?(?:${[...new Set(WORDS)].join("|")})\.?`;
const END = String.raw`(?![\p{L}\p{N}])`;

/** The pattern of a scale behind a number, such as ` Mio.`. Small letters are units: `5m` is a length. */
export const SCALE: string = `(?:[kKMB]|${WORD})${END}`;
/** The same behind an amount of money, and between an amount and the sign of its currency, as in `5 M€`. */
export const SCALE_OF_MONEY: string = `(?:[kKmMbB]|${WORD})${END}`;
export const SCALE_BEFORE_SIGN: string = String.raw`(?:\s?[kKmMbB]|${WORD})`;

/** A number with its scale: 1,200,000 for 1.2 and `M`. Undefined if the scale may have several meanings in the language. */
export function scaled(value: number | undefined, scale: string | undefined, locale: string): number | undefined {
  if (value === undefined || scale === undefined) return value;
  const name = scale.trim().replace(/\.$/, "").toLowerCase();
  const local = LOCAL.filter(([, , names]) => names.includes(name));
  const power = local.find(([, languages]) => languages.test(locale))?.[0] ?? POWERS.get(name);
  if (power !== undefined) return Number((value * 10 ** power).toPrecision(15));
  return name.length <= MAX_UNIT ? value : undefined;
}
