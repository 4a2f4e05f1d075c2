import { type Document } from "domhandler";
import { type EngineName } from "../page/page.ts";
import { showNoscript } from "./noscript.ts";
import { placeStreamedParts } from "./streamed-parts.ts";

/** Shows parts that the server streamed last in their places. True if the page has such parts. */
export function showStreamedParts(tree: Document, html: string, engine: EngineName): boolean {
  if (engine !== "static" || !hasStreamedPart(html)) return false;
  placeStreamedParts(tree);
  return true;
}

/** Shows text that a page without scripts would not show: the content of `noscript`. */
export function showLateText(tree: Document, html: string, engine: EngineName): void {
  if (engine !== "static") return;
  if (html.includes("<noscript") || /<noscript/i.test(html)) showNoscript(tree);
}

/** Characters of the longest beginning of the attribute: a space and `id="`. */
const BEFORE_ID = 5;

/**
 * Whether the page has an id such as `S:1f`. The expression alone takes 0.8 ms for 600 kB, since "i" is frequent
 * (`npm run bench -- reader --data DIR --cost`).
 */
function hasStreamedPart(html: string): boolean {
  for (let at = html.indexOf("S:"); at !== -1; at = html.indexOf("S:", at + 2)) {
    if (/\bid=["']?S:[0-9a-f]/.test(html.slice(Math.max(0, at - BEFORE_ID), at + 3))) return true;
  }
  return false;
}
