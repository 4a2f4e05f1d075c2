/** Maximum number of characters of a text whose language is searched, and the minimum number of its letters. */
export const MAX_SAMPLE = 3000;
const MIN_LETTERS = 40;
/** Minimum share of the letters that belong to a script. */
const MIN_SHARE = 0.4;

/** Scripts with one usual language. */
const OF_SCRIPTS: readonly (readonly [script: string, language: string])[] = [
  ["Hangul", "ko"],
  ["Thai", "th"],
  ["Greek", "el"],
  ["Hebrew", "he"],
  ["Georgian", "ka"],
  ["Armenian", "hy"],
  ["Khmer", "km"],
  ["Lao", "lo"],
  ["Myanmar", "my"],
  ["Tamil", "ta"],
  ["Telugu", "te"],
  ["Kannada", "kn"],
  ["Malayalam", "ml"],
  ["Gujarati", "gu"],
  ["Gurmukhi", "pa"],
  ["Bengali", "bn"],
  ["Sinhala", "si"],
];
const COUNTERS = OF_SCRIPTS.map(([script, language]) => ({
  form: new RegExp(String.raw`\p{Script=${script}}`, "gu"),
  language,
}));

/** The most frequent words of languages in Latin letters that other languages of the list do not have. */
const WORDS: readonly (readonly [language: string, words: ReadonlySet<string>])[] = [
  ["en", "the and of to is that for with was are this you from have"],
  ["de", "der und die das ist nicht mit ein eine den von auf für sich dem auch"],
  ["fr", "les des est une dans pour qui par vous sur avec ce cette au aux du et"],
  ["es", "el los las una por con para como más pero su del y lo al"],
  ["pt", "os uma com não para mais como dos das ao são você em na no e"],
  ["it", "il di che per una con sono della non gli nel più anche alla dei e"],
  ["nl", "het een van en niet dat op te voor met zijn aan ook bij naar"],
  ["pl", "nie na się jest do że jak od przez oraz dla po czy są i"],
  ["tr", "ve bir bu için ile da de olarak daha çok gibi olan ama sonra kadar"],
  ["sv", "och att det som är av för med inte har ett till på den"],
  ["da", "og at det er af til på med ikke har som der et den"],
  ["cs", "je se že na jsou pro ale jako nebo které také jsem by po"],
  ["ro", "și este pentru care din mai sunt cu la în nu au prin sau"],
  ["id", "yang dan di untuk dengan ini dari tidak pada adalah juga atau itu ke"],
  ["vi", "và của là có không được cho với một những người trong các này"],
].map(([language = "", words = ""]) => [language, new Set(words.split(" "))] as const);
/** Minimum share of the words that are frequent words of a language, and by how much it must exceed the next language. */
const MIN_SHARE_OF_WORDS = 0.12;
const TIMES_NEXT = 1.4;
const MIN_WORDS = 30;

/**
 * The language of a text by its script, or by its most frequent words, as a tag such as `ja`. Undefined if several
 * languages are likely. Reads the first 3,000 characters.
 */
export function languageOf(text: string): string | undefined {
  const sample = text.slice(0, MAX_SAMPLE);
  return languageByScript(sample) ?? languageByWords(sample);
}

/** The language of a text that is not in Latin letters. */
export function languageByScript(text: string): string | undefined {
  const sample = text.slice(0, MAX_SAMPLE);
  const others = count(sample, /[^\x00-\u024f\P{L}]/gu);
  const letters = others + count(sample, /[A-Za-z\u00c0-\u024f]/g);
  if (letters < MIN_LETTERS || others < letters * MIN_SHARE) return undefined;
  const isMain = (form: RegExp): boolean => count(sample, form) >= letters * MIN_SHARE;
  if (isMain(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)) {
    return count(sample, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu) >= letters * 0.05 ? "ja" : "zh";
  }
  if (isMain(/\p{Script=Cyrillic}/gu)) return cyrillic(sample);
  if (isMain(/\p{Script=Arabic}/gu)) return arabic(sample);
  return COUNTERS.find(({ form }) => isMain(form))?.language;
}

/** Letters that only one of the languages with this script has. */
function cyrillic(text: string): string | undefined {
  if (/[јљњћђџѓќѕәғқңөұүһҷӯ]/iu.test(text)) return undefined;
  if (/ў/iu.test(text)) return "be";
  if (count(text, /[іїєґ]/giu) > count(text, /[ыэё]/giu)) return "uk";
  if (/[ыэ]/iu.test(text)) return "ru";
  return count(text, /ъ/giu) > 2 ? "bg" : undefined;
}

function arabic(text: string): string | undefined {
  if (/[ټډړږښګڼې]|[ەێۆڵڕ]/u.test(text)) return undefined;
  if (/[ٹڈڑے]/u.test(text)) return "ur";
  return /[پچژگ]|[یک]/u.test(text) && !/ة/u.test(text) ? "fa" : "ar";
}

function languageByWords(text: string): string | undefined {
  const words = text.toLowerCase().match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];
  if (words.length < MIN_WORDS) return undefined;
  const shares = WORDS.map(([language, known]) => ({
    language,
    share: words.filter((word) => known.has(word)).length / words.length,
  })).toSorted((a, b) => b.share - a.share);
  const [best, next] = shares;
  if (best === undefined || best.share < MIN_SHARE_OF_WORDS) return undefined;
  return best.share >= (next?.share ?? 0) * TIMES_NEXT ? best.language : undefined;
}

function count(text: string, form: RegExp): number {
  return text.match(form)?.length ?? 0;
}
