import { type DataPage, dataPages } from "../../bench/reader-data.ts";
import { decodeBody } from "../../src/content/encoding/decode.ts";
import { showLateText, showStreamedParts } from "../../src/content/extraction/late-text.ts";
import { type PageHints } from "../../src/content/extraction/reader/page-values.ts";
import { hintsOf } from "../../src/content/extraction/reader/hints.ts";
import { metadataOf } from "../../src/content/extraction/reader/metadata.ts";
import { type Outline, outlineOf } from "../../src/content/extraction/reader/outline.ts";
import { bodyOf } from "../../src/content/extraction/reader/words.ts";
import { parseTree } from "../../src/content/extraction/tree/tree.ts";
import { readerCorpus } from "../../src/content/testing/reader-corpus.ts";

/** The suffix of the domains of the project's own pages. */
export const OWN = ".own.test";

/** The pages of the data set, then those of the project. */
export function allPages(data: string): DataPage[] {
  return [...dataPages(data), ...ownPages()];
}

function ownPages(): DataPage[] {
  return readerCorpus().map(({ name, html, text, type, url }) => ({
    id: name,
    bytes: Uint8Array.from(Buffer.from(html)),
    url,
    domain: `${name}${OWN}`,
    type: type === "docs" ? "documentation" : type,
    wanted: text,
    about: { title: "", author: "", day: "" },
  }));
}

/** The blocks and the metadata of a page, as the reader finds them. */
export function outlined(page: DataPage): { readonly outline: Outline; readonly hints: PageHints } {
  const html = decodeBody(page.bytes, "text/html; charset=utf-8");
  const tree = parseTree(html);
  showStreamedParts(tree, html, "static");
  showLateText(tree, html, "static");
  const metadata = metadataOf(tree);
  return { outline: outlineOf(bodyOf(tree)), hints: hintsOf(metadata, page.url) };
}
