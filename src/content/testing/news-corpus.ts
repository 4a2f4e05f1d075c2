import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A page like those of news sites, made for this corpus. */
export interface NewsPage {
  readonly name: string;
  readonly html: string;
  readonly url: string;
  /** Whether the page is held back from training. */
  readonly reserved: boolean;
  /** The article without its title, author and date. */
  readonly text: string;
  /** The texts around the article, by the kind of fault to keep one. */
  readonly around: Readonly<Record<string, readonly string[]>>;
}

const FOLDER = fileURLToPath(new URL("../extraction/reader/testdata/news/", import.meta.url));

/** All pages, in the order of their names. */
export function newsCorpus(): NewsPage[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".html"));
  return files.toSorted().map((file) => {
    const name = file.slice(0, -".html".length);
    // The format of the file is that of the interface.
    const wanted = JSON.parse(readFileSync(`${FOLDER}${name}.json`, "utf8")) as Omit<NewsPage, "name" | "html">;
    return { ...wanted, name, html: readFileSync(FOLDER + file, "utf8") };
  });
}
