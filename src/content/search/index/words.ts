/**
 * Scripts that write no spaces between words. Each of their characters is a word of the index, and a sequence is
 * searched for as a phrase. Words of one and two characters are found this way, which trigrams cannot do.
 */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const RUNS = new RegExp(`${UNSPACED.source}+|(?:(?!${UNSPACED.source})[\\p{L}\\p{M}\\p{N}\\p{Co}])+`, "gu");
/** Accents and other marks of letters, as separate characters. The marks of Thai and Japanese are not among them. */
const ACCENTS = /[\u0300-\u036f]+/g;

type Rule = readonly [ending: RegExp, instead: string];

/** The rules of each language, in their order. They are light: they remove inflection and the commonest derivations. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  // Only the plural: more endings made English results worse (bench search).
  en: [
    [/(?<=..)ies$/, "y"],
    [/(?<=ss|x|ch|sh)es$|(?<=.[^sui])s$/, ""],
  ],
  de: [
    [/(?<=.{4})ern$|(?<=.{3})(?:em|en|er|es|e|s|n)$/, ""],
    [/(?<=.{3})(?:ung|keit|heit|lich|isch|ig)$/, ""],
  ],
  fr: [
    [/(?<=..)aux$/, "al"],
    [/(?<=..)[sx]$/, ""],
    [/(?<=..)ication$/, "i"],
    [/(?<=.{3})(?:issement|ement|ation|ateur|ant|ent|ion|ee|er|ez|ir|e)$/, ""],
  ],
  es: [
    [/(?<=..)s$/, ""],
    [/(?<=.{3})(?:acione?|amiento|imiento|mente|ando|iendo|ad[oa]|id[oa]|[aei]r|[aeo])$/, ""],
  ],
  it: [[/(?<=.{3})(?:azion[ei]|[ai]ment[oi]|mente|ando|endo|[aiu]t[aeio]|[aei]re|[aeio])$/, ""]],
  pt: [
    [/(?<=..)s$/, ""],
    [/(?<=.{3})(?:acoe|acao|[ai]mento|mente|[aei]ndo|ad[oa]|id[oa]|[aei]r|[aeo])$/, ""],
  ],
};

/** The words of a text in lower case and without accents, each as its parts: the characters of a sequence without spaces. */
export function termsOf(text: string): string[][] {
  const folded = text.normalize("NFD").replace(ACCENTS, "").normalize("NFC").toLowerCase().replaceAll("ß", "ss");
  return (folded.match(RUNS) ?? []).map((run) => (UNSPACED.test(run) ? Array.from(run) : [run]));
}

/** The words of a text as the index stores them. `language` is a code of ISO 639-1; empty counts as English. */
export function stemsOf(text: string, language: string): string[] {
  return termsOf(text).flatMap((parts) => parts.map((part) => stemOf(part, language)));
}

/** The code of no language. Its words have no endings. */
export const UNSTEMMED = "zxx";

/** A word without the endings of its language, so that its forms are one word of the index. */
export function stemOf(word: string, language: string): string {
  if (word.length <= 3 || /\p{N}/u.test(word)) return word;
  return (RULES[language === "" ? "en" : language] ?? []).reduce(
    (stem, [ending, instead]) => stem.replace(ending, instead),
    word,
  );
}
