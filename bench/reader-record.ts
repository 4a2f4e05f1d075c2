import { plainText } from "../src/content/extraction/plain-text.ts";
import { readArticle } from "../src/content/extraction/reader/read-article.ts";
import { parseTree } from "../src/content/extraction/tree/tree.ts";
import { languageCorpus } from "../src/content/testing/language-corpus.ts";
import { newsCorpus } from "../src/content/testing/news-corpus.ts";
import { readerCorpus, tokenF1 } from "../src/content/testing/reader-corpus.ts";

/** The file of the recorded readings. */
export const READINGS_FILE = "src/content/extraction/reader/testdata/readings.txt";

interface RecordedPage {
  readonly name: string;
  readonly html: string;
  readonly url: string;
  readonly text: string;
}

/** The made pages, without those that are held back from training. */
export function recordedPages(): readonly RecordedPage[] {
  return [...readerCorpus(), ...languageCorpus(), ...newsCorpus().filter(({ reserved }) => !reserved)];
}

/** The line of a page in the record: the similarity to its main text, its details, and a hash of its Markdown. */
export function readingOf({ name, html, url, text }: RecordedPage): string {
  const { content, ...details } = readArticle(parseTree(html), url);
  const hash = new Bun.CryptoHasher("sha256").update(content).digest("hex").slice(0, 8);
  return `${name}: F1 ${tokenF1(plainText(content), text).toFixed(3)}, ${JSON.stringify(details)}, ${hash}`;
}

/** The text of the record. */
export function readerRecord(): string {
  return `${recordedPages().map(readingOf).join("\n")}\n`;
}
