import { numbersIn } from "./numbers.ts";

export interface Unit {
  readonly dimension: string;
  /** Its size in the smallest unit of its dimension. */
  readonly factor: number;
}

/** A line: the dimension; then its units as factor and names. Units of one dimension are converted into each other. */
const TABLE = `
length | 1 mm millimeters millimetres | 10 cm centimeters centimetres | 1000 m meters metres meter metre | 1000000 km kilometers kilometres kilometer
inch | 1 in inch inches zoll " ″ ” | 12 ft feet foot
mass | 1 mg | 1000 g grams gramm gram | 1000000 kg kilograms kilos
pound | 1 oz ounces | 16 lb lbs pounds
volume | 1 ml milliliters millilitres | 10 cl | 1000 l liter liters litre litres
area | 1 m2 sqm qm square·meters | 1000000 km2
acre | 1 sqft square·feet sq·ft ft2 | 43560 acres acre
time | 1 s sec secs seconds sekunden secondes segundos | 60 min mins minutes minuten minutos minuti | 3600 h hr hrs hours stunden std heures horas ore
days | 1 day days tage tagen jours días giorni dagen dni | 7 week weeks wochen semaines semanas settimane weken
months | 1 month months monate monaten mois meses mesi maanden | 12 year years jahre jahren ans años anni jaar lat
data | 1 kb | 1000 mb | 1000000 gb | 1000000000 tb
power | 1 w watt watts | 1000 kw
horsepower | 1 hp ps bhp
charge | 1 mah | 1000 ah
energy | 1 kcal
joule | 1 kj
voltage | 1 v volt volts
frequency | 1 hz | 1000000 mhz | 1000000000 ghz
temperature | 1 c °c celsius
fahrenheit | 1 f °f fahrenheit
share | 1 % percent pct prozent
`;

const UNITS = new Map<string, Unit>();
for (const line of TABLE.trim().split("\n")) {
  const [dimension = "", ...units] = line.split("|").map((part) => part.trim());
  for (const unit of units) {
    const [factor = "", ...names] = unit.split(" ");
    for (const name of names) UNITS.set(name.replaceAll("·", " "), { dimension, factor: Number(factor) });
  }
}

/** The unit with this name or sign. */
export function unitNamed(name: string): Unit | undefined {
  return UNITS.get(name.toLowerCase().replaceAll("²", "2").replace(/\.$/, ""));
}

/** A number with the text behind it. */
const MEASURE =
  /([-−+]?(?:(?<![\p{L}\d.,])\.)?\d(?:[\d.,'’ \u00a0\u202f]*\d)?)\s*(%|["″”]|°?\p{L}{1,12}(?:[²2](?![\d.,]))?(?:\s(?:ft|feet|meters)\b)?)?/gu;
/** Maximum number of characters of a text with measures. */
const MAX_LENGTH = 120;

/** Words beside a number without a unit. */
const MAX_WORDS = 3;

/** The number of a text in a unit. Undefined if the text has several, or one of another dimension. */
export function measureIn(text: string, unit: Unit, locale: string): number | undefined {
  // An amount of money is not a measure, and a duration of ISO 8601 has units of its own.
  if (text.length > MAX_LENGTH || /\p{Sc}|^P/u.test(text)) return undefined;
  const bare: number[] = [];
  const own: number[] = [];
  const converted: number[] = [];
  let isOther = false;
  for (const [, digits = "", name = ""] of text.matchAll(MEASURE)) {
    const [value] = numbersIn(digits, locale);
    const found = unitNamed(name) ?? unitNamed(name.split(" ")[0] ?? "");
    if (value === undefined) isOther = true;
    else if (found === undefined) bare.push(value);
    else if (found.dimension !== unit.dimension) isOther = true;
    else if (found.factor === unit.factor) own.push(value);
    else converted.push(Number(((value * found.factor) / unit.factor).toPrecision(12)));
  }
  for (const values of [own, converted]) if (values.length > 0) return values.length === 1 ? values[0] : undefined;
  const words = text.match(/\p{L}{2,}/gu) ?? [];
  return bare.length === 1 && !isOther && words.length <= MAX_WORDS ? bare[0] : undefined;
}
