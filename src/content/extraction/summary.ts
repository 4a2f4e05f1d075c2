/** Sentences and characters of a summary. */
const MAX_SENTENCES = 5;
const MAX_LENGTH = 700;
/** Characters of a text that are read, and sentences that are compared. */
const MAX_READ = 200_000;
const MAX_COMPARED = 2_000;
/** Characters of a sentence that can stand alone. */
const SHORTEST = 40;
const LONGEST = 400;

/** The weight of a sentence loses this part for each paragraph before it, down to LEAST_PLACE. */
const PLACE_STEP = 0.06;
const LEAST_PLACE = 0.4;
/** The weight of a later sentence of its paragraph, and of a word of the title. */
const LATER = 0.85;
const TITLE_WORD = 1.5;
/** Words that a larger share of the sentences has say little. Two sentences with a greater share of words are alike. */
const COMMON_SHARE = 0.3;
const MAX_ALIKE = 0.5;

interface Sentence {
  readonly text: string;
  readonly at: number;
  readonly paragraph: number;
  readonly isFirst: boolean;
  readonly words: ReadonlySet<string>;
}

/** The summary of a text, and the text itself for a language model if `withText` is true. */
export function summaryForms(
  text: string,
  {
    title,
    language,
    withText = false,
  }: { readonly title: string; readonly language?: string | undefined; readonly withText?: boolean | undefined },
): { readonly summary: string; readonly summaryText?: string } {
  const summary = summaryOf(text, title, language);
  return { summary, ...(withText ? { summaryText: text.slice(0, MAX_READ) } : {}) };
}

/**
 * The sentences of a text that say most of it, unchanged and in their order. Each line of the text is a paragraph. A text
 * without sentences gives its beginning. @internal
 */
export function summaryOf(text: string, title: string, language?: string): string {
  const sentences = sentencesOf(text.slice(0, MAX_READ), language);
  if (sentences.length === 0) return text.slice(0, MAX_LENGTH).replace(/\s+/g, " ").trim();
  const counts = new Map<string, number>();
  for (const { words } of sentences) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const named = wordsOf(title);
  const common = Math.max(2, sentences.length * COMMON_SHARE);
  const weightOf = (word: string): number => {
    const count = counts.get(word) ?? 0;
    return count > common ? 0 : Math.log(1 + count) * (named.has(word) ? TITLE_WORD : 1);
  };
  const scored = sentences.map((sentence) => ({ sentence, score: scoreOf(sentence, weightOf) }));
  const chosen: Sentence[] = [];
  let length = 0;
  for (const { sentence } of scored.toSorted((a, b) => b.score - a.score)) {
    if (chosen.length === MAX_SENTENCES) break;
    const isAlike = chosen.some(({ words }) => alike(words, sentence.words) > MAX_ALIKE);
    if (isAlike || (chosen.length > 0 && length + sentence.text.length > MAX_LENGTH)) continue;
    chosen.push(sentence);
    length += sentence.text.length + 1;
  }
  return chosen
    .toSorted((a, b) => a.at - b.at)
    .map(({ text: words }) => words)
    .join(" ");
}

/** The mean weight of its words, so that long sentences are not better by their length, and its place in the text. */
function scoreOf({ words, paragraph, isFirst }: Sentence, weightOf: (word: string) => number): number {
  const sum = [...words].reduce((total, word) => total + weightOf(word), 0);
  const place = Math.max(LEAST_PLACE, 1 - paragraph * PLACE_STEP) * (isFirst ? 1 : LATER);
  return (sum / Math.sqrt(words.size + 1)) * place;
}

function sentencesOf(text: string, language: string | undefined): Sentence[] {
  const segmenter = new Intl.Segmenter(segmentable(language), { granularity: "sentence" });
  const sentences: Sentence[] = [];
  let paragraph = 0;
  for (const line of text.split("\n")) {
    if (line.trim().length < SHORTEST || line.includes("\t")) continue;
    let isFirst = true;
    for (const words of joined([...segmenter.segment(line)].map(({ segment }) => segment.trim()))) {
      const fits = words.length >= SHORTEST && words.length <= LONGEST && /[.!?。！？।؟…]["'”’»)\]]{0,3}$/u.test(words);
      if (fits) sentences.push({ text: words, at: sentences.length, paragraph, isFirst, words: wordsOf(words) });
      isFirst = false;
      if (sentences.length === MAX_COMPARED) return sentences;
    }
    paragraph += 1;
  }
  return sentences;
}

/** Joins pieces that an abbreviation has separated: a sentence does not begin with a small letter or a digit. */
function joined(pieces: readonly string[]): string[] {
  const whole: string[][] = [];
  for (const [at, piece] of pieces.entries()) {
    const isCut = /^[\p{Ll}\d]/u.test(piece) || /(?:^|\s)\p{Lu}?\p{L}{1,3}\.$/u.test(pieces[at - 1] ?? "");
    if (isCut && at > 0) whole.at(-1)?.push(piece);
    else whole.push([piece]);
  }
  return whole.map((parts) => parts.join(" "));
}

/** Words of at least four letters, or of two in scripts that write no spaces. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{2}|[\p{L}\p{N}]{4,}/gu);
  return new Set(words);
}

/** The share of the words of the shorter set that the other one has. */
function alike(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((word) => b.has(word)).length;
  return common / Math.max(1, Math.min(a.size, b.size));
}

function segmentable(language: string | undefined): string | undefined {
  try {
    return language === undefined ? undefined : Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}
