import { type Document } from "domhandler";
import { type AiTerms, tdmTerms } from "../page/ai-terms.ts";
import { elementsOf } from "./selectors/select-all.ts";

/** The terms for the use of a page by AI in its elements: TDM metadata, and a link to an RSL licence. */
export function pageTerms(tree: Document, url: string): AiTerms {
  const metas = new Map<string, string>();
  let license: string | undefined;
  for (const { name, attribs } of elementsOf(tree)) {
    const of = attribs["name"]?.trim().toLowerCase() ?? "";
    if (name === "meta" && of.startsWith("tdm-") && !metas.has(of)) metas.set(of, attribs["content"]?.trim() ?? "");
    if (name !== "link" || attribs["type"]?.trim().toLowerCase() !== "application/rsl+xml") continue;
    if (/(?:^|\s)license(?:\s|$)/i.test(attribs["rel"] ?? "")) license ??= attribs["href"]?.trim();
  }
  return tdmTerms(metas.get("tdm-reservation"), metas.get("tdm-policy"), license, url);
}
