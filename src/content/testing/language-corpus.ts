import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A page in some language, made for this corpus, with its expected content and metadata. */
export interface LanguagePage {
  /** The language and the kind of page, such as `zh-hans-forum`. */
  readonly name: string;
  /** The part of the name before the kind. */
  readonly group: string;
  /** `news`, `forum`, `product` or `docs`. */
  readonly kind: string;
  readonly html: string;
  readonly url: string;
  readonly title: string;
  /** Absent if the page has no author. */
  readonly byline?: string;
  /** As `2026-11-23`. Absent if the page has no date. */
  readonly published?: string;
  readonly siteName: string;
  /** The language of the text. Some of the pages do not declare it. */
  readonly language: string;
  readonly text: string;
  /** Texts around the content: menus, related links, comments. */
  readonly absent: readonly string[];
}

const FOLDER = fileURLToPath(new URL("../extraction/reader/testdata/languages/", import.meta.url));

/** All pages, in the order of their names. */
export function languageCorpus(): LanguagePage[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".html"));
  return files.toSorted().map((file) => {
    const name = file.slice(0, -".html".length);
    const at = name.lastIndexOf("-");
    // The format of the file is that of the interface.
    const wanted = JSON.parse(readFileSync(`${FOLDER}${name}.json`, "utf8")) as Omit<LanguagePage, "name" | "html">;
    return {
      ...wanted,
      name,
      group: name.slice(0, at),
      kind: name.slice(at + 1),
      html: readFileSync(FOLDER + file, "utf8"),
    };
  });
}
