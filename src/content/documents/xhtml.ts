import { Parser } from "htmlparser2";

const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));

/** Without the prefixes that are usual for XHTML's namespace. */
function nameOf(name: string): string {
  return name.replace(/^(?:html|xhtml|h|x):/, "");
}

/**
 * XHTML as HTML: what XML lets be written short is written out (`<div/>`, `<script/>`, CDATA), so that a parser of HTML
 * sees the same elements. Entities stay as they are: both know them by the same names.
 */
export function xhtmlToHtml(xml: string): string {
  const parts: string[] = ["<!DOCTYPE html>\n"];
  let inData = false;
  let raw = 0;
  const parser = new Parser(
    {
      onopentag(prefixed, attributes) {
        const name = nameOf(prefixed);
        if (name === "script" || name === "style") raw += 1;
        const written = Object.entries(attributes).map(
          ([key, value]) => ` ${key}="${value.replaceAll('"', "&quot;")}"`,
        );
        parts.push(`<${name}${written.join("")}>`);
      },
      onclosetag(prefixed) {
        const name = nameOf(prefixed);
        if (name === "script" || name === "style") raw -= 1;
        if (!VOID.has(name)) parts.push(`</${name}>`);
      },
      ontext(text) {
        parts.push(inData && raw === 0 ? text.replaceAll("&", "&amp;").replaceAll("<", "&lt;") : text);
      },
      oncdatastart() {
        inData = true;
      },
      oncdataend() {
        inData = false;
      },
    },
    { xmlMode: true, decodeEntities: false },
  );
  parser.end(xml);
  return parts.join("");
}
