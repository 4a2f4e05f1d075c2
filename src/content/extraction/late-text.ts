import { type Document } from "domhandler";
import { type EngineName } from "../page/page.ts";
import { showNoscript } from "./noscript.ts";
import { placeStreamedParts } from "./streamed-parts.ts";

/**
 * Shows text that a page without scripts would not show in its place: the content of `noscript`, and parts that the
 * server streamed last.
 */
export function showLateText(tree: Document, html: string, engine: EngineName): void {
  if (engine !== "static") return;
  if (/\bid=["']?S:[0-9a-f]/.test(html)) placeStreamedParts(tree);
  if (/<noscript/i.test(html)) showNoscript(tree);
}
