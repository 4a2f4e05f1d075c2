import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A page made for this corpus, and its main text without the heading of the title. */
export interface CorpusPage {
  /** The type of page: `article`, `collection`, `docs`, `forum`, `listing`, `product` or `service`. */
  readonly type: string;
  readonly name: string;
  readonly html: string;
  readonly text: string;
  readonly url: string;
}

const FOLDER = fileURLToPath(new URL("../extraction/reader/testdata/", import.meta.url));

/** All pages of the reader's corpus, in the order of their names. */
export function readerCorpus(): CorpusPage[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".html"));
  return files.toSorted().map((file) => {
    const name = file.slice(0, -".html".length);
    return {
      type: name.slice(0, name.indexOf("-")),
      name,
      html: readFileSync(FOLDER + file, "utf8"),
      text: readFileSync(`${FOLDER}${name}.txt`, "utf8"),
      url: `https://www.site.test/pages/${name}`,
    };
  });
}

/** The similarity of two texts as bags of words: the harmonic mean of precision and recall, from 0 to 1. */
export function tokenF1(found: string, wanted: string): number {
  const left = new Map<string, number>();
  const wantedTokens = tokensOf(wanted);
  for (const token of wantedTokens) left.set(token, (left.get(token) ?? 0) + 1);
  const foundTokens = tokensOf(found);
  let same = 0;
  for (const token of foundTokens) {
    const count = left.get(token) ?? 0;
    if (count === 0) continue;
    left.set(token, count - 1);
    same += 1;
  }
  return same === 0 ? 0 : (2 * same) / (foundTokens.length + wantedTokens.length);
}

/** Words in lower case. In Chinese and Japanese, each character is a word. */
function tokensOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}\p{M}_]+/gu) ?? [];
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
