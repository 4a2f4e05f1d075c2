import { type Document } from "domhandler";
import { textContent } from "domutils";
import { type PageSource } from "../page/page.ts";

/** What tells that a document shows its content by script alone; undefined where nothing does. */
export function signOfScript(tree: Document, _source: PageSource): string | undefined {
  return textContent(tree).trim() === "" ? "no-text" : undefined;
}
