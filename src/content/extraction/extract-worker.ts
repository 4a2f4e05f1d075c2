import { messageOf } from "../../lib/caught.ts";
import { toArticle } from "./article.ts";
import { parsePage } from "./document.ts";
import { type Extraction, type ExtractionAnswer, type ExtractionJob, type ExtractionMessage } from "./extraction.ts";
import { toLinks } from "./links.ts";
import { toMarkdown } from "./markdown.ts";
import { toText } from "./text.ts";

/** The worker's own side of its message channel; the types of Bun describe the main thread's. */
declare const self: Worker;

function extract({ kind, html, url }: ExtractionJob): Extraction {
  if (kind === "article") return toArticle(html, url);
  const document = parsePage(html, url);
  if (kind === "links") return { content: toLinks(document) };
  return { content: kind === "text" ? toText(document.body) : toMarkdown(document.body) };
}

self.addEventListener("message", (event: MessageEvent<ExtractionMessage>) => {
  const { id, job } = event.data;
  let answer: ExtractionAnswer;
  try {
    answer = { id, ok: true, extraction: extract(job) };
  } catch (error) {
    answer = { id, ok: false, reason: messageOf(error) };
  }
  self.postMessage(answer);
});
