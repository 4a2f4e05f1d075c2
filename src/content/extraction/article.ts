import { Readability } from "@mozilla/readability";
import { type Extraction } from "./extraction.ts";
import { toMarkdown } from "./markdown.ts";
import { parsePage } from "./document.ts";

/** The main article of a page, without navigation and advertisements; the whole body where none stands out. */
export function toArticle(html: string, url: string): Extraction {
  const document = parsePage(html, url);
  const pageTitle = (document.title ?? "").trim();
  const article = new Readability(document, { keepClasses: true }).parse();
  const title = (article?.title ?? "").trim() || pageTitle;
  if (article?.content) {
    const content = toMarkdown(parsePage(article.content, url).body);
    if (content !== "") return { content, title };
  }
  // Readability takes the document apart.
  return { content: toMarkdown(parsePage(html, url).body), title };
}
