import { type Language, LANGUAGES } from "./words.ts";

/** Numbers that are written as words, in each language in the order of `VALUES`. Forms of one number are joined by "/". */
const WORDS: Readonly<Record<Language, string>> = {
  en: "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety - -",
  de: "ein/eine zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend",
  fr: "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix cent mille",
  es: "un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien mil",
  it: "un due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento mille",
  pt: "um dois/duas três quatro cinco seis sete oito nove dez onze doze treze catorze/quatorze quinze dezasseis/dezesseis dezassete/dezessete dezoito dezanove/dezenove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem mil",
};
const VALUES = [Array.from({ length: 20 }, (_, n) => n + 1), [30, 40, 50, 60, 70, 80, 90, 100, 1_000]].flat();

/** "thirty-two": the word for the sum of a multiple of ten and a number below ten. */
const COMPOUNDS: Readonly<Record<Language, (tens: string, one: string) => string>> = {
  en: (tens, one) => `${tens}-${one}`,
  de: (tens, one) => `${one}und${tens}`,
  fr: (tens, one) => `${tens}-${one}`,
  es: (tens, one) => `${tens} y ${one}`,
  it: (tens, one) => `${one === "otto" ? tens.slice(0, -1) : tens}${one}`,
  pt: (tens, one) => `${tens} e ${one}`,
};

function numbersIn(language: Language): ReadonlyMap<string, number> {
  const forms = WORDS[language].split(" ");
  const numbers = forms.flatMap((words, at) =>
    words.split("/").map((word): [string, number] => [word, VALUES[at] ?? 0]),
  );
  const known = numbers.filter(([word]) => word !== "-");
  const join = COMPOUNDS[language];
  const compounds = known
    .filter(([, value]) => value >= 20 && value < 100 && value % 10 === 0)
    .flatMap(([tens, value]) =>
      known.filter(([, unit]) => unit < 10).map(([one, unit]): [string, number] => [join(tens, one), value + unit]),
    );
  return new Map([...compounds, ...known]);
}

const NUMBER_WORDS = new Map(LANGUAGES.map((language) => [language, numbersIn(language)]));

/** The number that a word names. */
export function numberWord(word: string, language: Language): number | undefined {
  return NUMBER_WORDS.get(language)?.get(word.toLowerCase());
}

/** A pattern for the words for numbers of all languages, or of one. */
export function numberWordPattern(language?: Language): string {
  const words = (language === undefined ? LANGUAGES : [language])
    .flatMap((one) => [...(NUMBER_WORDS.get(one)?.keys() ?? [])])
    .toSorted((a, b) => b.length - a.length);
  return `(?<![\\p{L}-])(?:${words.join("|")})(?![\\p{L}])`;
}

/** The places that "finish in the top four" allows: 4. */
export function topIn(text: string): number | undefined {
  const [, top] = /\bthe\stop\s(\p{L}+|\d{1,3})\b/iu.exec(text) ?? [];
  const places = top === undefined ? Number.NaN : (numberWord(top, "en") ?? Number(top));
  return Number.isNaN(places) ? undefined : places;
}
