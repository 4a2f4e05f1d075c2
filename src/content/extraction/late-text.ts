import { type Document } from "domhandler";
import { type EngineName } from "../page/page.ts";
import { showNoscript } from "./noscript.ts";
import { placeStreamedParts } from "./streamed-parts.ts";

/** Without scripts, a page shows what `noscript` has; what its server streamed last is moved to its place. */
export function showLateText(tree: Document, html: string, engine: EngineName): void {
  if (engine !== "static") return;
  if (/\bid=["']?S:[0-9a-f]/.test(html)) placeStreamedParts(tree);
  if (/<noscript/i.test(html)) showNoscript(tree);
}
