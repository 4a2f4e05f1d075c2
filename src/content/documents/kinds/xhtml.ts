import { Parser } from "htmlparser2";

const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));

/** The name without the usual prefixes of XHTML's namespace. */
function localNameOf(name: string): string {
  return name.replace(/^(?:html|xhtml|h|x):/, "");
}

/**
 * Converts XHTML to HTML: short forms of XML are written out (`<div/>`, `<script/>`, CDATA), so that an HTML parser
 * sees the same elements. Entities stay unchanged, since both formats have the same names for them.
 */
export function xhtmlToHtml(xml: string): string {
  const parts: string[] = ["<!DOCTYPE html>\n"];
  let inData = false;
  let raw = 0;
  const parser = new Parser(
    {
      onopentag(prefixed, attributes) {
        const name = localNameOf(prefixed);
        if (name === "script" || name === "style") raw += 1;
        const written = Object.entries(attributes).map(
          ([key, value]) => ` ${key}="${value.replaceAll('"', "&quot;")}"`,
        );
        parts.push(`<${name}${written.join("")}>`);
      },
      onclosetag(prefixed) {
        const name = localNameOf(prefixed);
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
