/** `npm run bench -- reader --languages`: the reader's own pages in several languages. */
import { parseTree } from "../src/content/extraction/tree/tree.ts";
import { plainText } from "../src/content/extraction/plain-text.ts";
import { readArticle } from "../src/content/extraction/reader/read-article.ts";
import { type LanguagePage, languageCorpus } from "../src/content/testing/language-corpus.ts";
import { mean, tokenF1 } from "../src/content/testing/reader-corpus.ts";
import { aligned } from "./support/report.ts";

interface Row {
  readonly group: string;
  readonly kind: string;
  readonly f1: number;
  /** For each kind of metadata, whether it is wrong or missing. */
  readonly wrong: Readonly<Record<"title" | "author" | "day" | "site" | "language", boolean>>;
  /** The number of texts from around the content. */
  readonly around: number;
}

const KINDS = ["news", "forum", "product", "docs"];

/** Prints, for each language, the token F1 by kind of page, and the number of pages with wrong or missing metadata. */
export function benchLanguages(): void {
  const rows = languageCorpus().map(rowOf);
  const groups = [...new Set(rows.map(({ group }) => group))];
  const line = (name: string, of: readonly Row[]): string[] => [
    name,
    ...[
      mean(of.map(({ f1 }) => f1)),
      ...KINDS.map((kind) => mean(of.filter((row) => row.kind === kind).map(({ f1 }) => f1))),
    ].map((value) => (Number.isNaN(value) ? "" : value.toFixed(3))),
    ...(["title", "author", "day", "site", "language"] as const).map((key) =>
      String(of.filter(({ wrong }) => wrong[key]).length),
    ),
    String(of.reduce((sum, { around }) => sum + around, 0)),
  ];
  console.log(
    `token F1, pages with wrong or missing metadata, and texts from around the content; ${rows.length} pages`,
  );
  console.log(
    aligned([
      ["language", "F1", ...KINDS, "title", "author", "day", "site", "language", "around"],
      ...groups.map((group) =>
        line(
          group,
          rows.filter((row) => row.group === group),
        ),
      ),
      line("all", rows),
    ]).join("\n"),
  );
}

function rowOf(page: LanguagePage): Row {
  const found = readArticle(parseTree(page.html), page.url);
  const text = plainText(found.content).replace(/\s+/g, " ");
  return {
    group: page.group,
    kind: page.kind,
    f1: tokenF1(text, page.text),
    wrong: {
      title: found.title !== page.title.replace(/\s+/g, " "),
      author: found.byline !== page.byline,
      day: found.published?.slice(0, "2026-11-23".length) !== page.published,
      site: found.siteName !== page.siteName,
      language: found.language?.slice(0, 2) !== page.language.slice(0, 2),
    },
    around: page.absent.filter((one) => text.includes(one)).length,
  };
}
