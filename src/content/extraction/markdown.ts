import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { TASK_DONE, TASK_OPEN } from "./document.ts";
import { type DomElement } from "./dom.ts";
import { htmlToMarkdownResult, initSync } from "mdream/wasm";

// The WebAssembly build of mdream: npm leaves its native one out where Node is older than that package asks for.
initSync({ module: readFileSync(fileURLToPath(import.meta.resolve("mdream/wasm/mdream_edge_bg.wasm"))) });

/** GitHub-flavoured Markdown of an element of a page that document.ts prepared. */
export function toMarkdown(root: DomElement): string {
  // The engine is given no origin: the addresses are absolute already.
  const result: unknown = htmlToMarkdownResult(root.outerHTML, {});
  const markdown = typeof result === "object" && result !== null && "markdown" in result ? result.markdown : "";
  if (typeof markdown !== "string") return "";
  return markdown.replaceAll(TASK_DONE, "[x]").replaceAll(TASK_OPEN, "[ ]").trim();
}
