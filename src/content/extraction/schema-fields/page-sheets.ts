import { type Element } from "domhandler";
import { textContent } from "domutils";
import { importsIn } from "../../page/style-sheet.ts";
import { type StyleSheet } from "../../page/page.ts";
import { aroundSheet, plainCss } from "./css-rules.ts";
import { type Sheet } from "./style-rules.ts";

/** Style sheets of a page, also those that others import, and levels of imports. @bound */
const MAX_SHEETS = 100;
const MAX_DEPTH = 5;

/** The `style` and `link` elements of a page, and the style sheets that were loaded for it. */
export interface PageStyles {
  readonly elements: readonly Element[];
  readonly url: string;
  /** The address against which others are resolved. */
  readonly base: string;
  /** By address. One that is not there was not loaded. */
  readonly loaded: readonly StyleSheet[];
}

/** The style sheets of a page in their order, and the addresses of those that are not known. */
export function sheetsOf({ elements, url: pageUrl, base, loaded }: PageStyles): {
  readonly sheets: readonly Sheet[];
  readonly unread: readonly string[];
} {
  const known = new Map(loaded.map((one) => [one.url, one]));
  const sheets: Sheet[] = [];
  const unread = new Set<string>();

  const addFrom = (address: string, at: Place): void => {
    const url = URL.parse(address.trim(), at.base);
    if (url === null || aroundSheet(at.media, at.layer) === undefined) return;
    url.hash = "";
    // Browsers load no style sheet of a secure page without TLS, and none with a user name in its address.
    const isInsecure = pageUrl.startsWith("https:") && url.protocol === "http:";
    if (isInsecure || url.username !== "" || url.password !== "") return;
    const sheet = known.get(url.href);
    if (url.protocol === "data:") add(dataText(url.href), { ...at, base: "about:blank" });
    else if (sheet !== undefined) add(sheet.css, { ...at, base: sheet.base });
    else if (/^https?:$/.test(url.protocol)) unread.add(url.href);
  };

  const add = (css: string, at: Place): void => {
    const outer = aroundSheet(at.media, at.layer);
    if (outer === undefined) return;
    if (sheets.length >= MAX_SHEETS || at.depth > MAX_DEPTH) {
      unread.add(at.base);
      return;
    }
    for (const { url, media, layer } of importsIn(css)) {
      // Both media queries count. The second is not known to fit if the first is not.
      const isCertain = outer.isCertain || aroundSheet(media, "") === undefined;
      const inner = layer === undefined ? at.layer : `${at.layer}.${layer}`;
      addFrom(url, { media: isCertain ? media : at.media, layer: inner, base: at.base, depth: at.depth + 1 });
    }
    sheets.push({ css: plainCss(css), outer });
  };

  let set = "";
  for (const element of elements) {
    const { media = "", title = "", href = "", onload } = element.attribs;
    const at = { media, layer: "", base, depth: 0 };
    if (element.name === "style") {
      add(textContent(element), at);
      continue;
    }
    // The first set of style sheets with a title is the one that is used (HTML §4.2.4).
    set ||= title;
    if (title !== "" && title !== set) continue;
    // A script of the attribute makes the link a style sheet for any medium when it has loaded.
    addFrom(href, onload === undefined ? at : { ...at, media: "" });
  }
  return { sheets, unread: [...unread] };
}

interface Place {
  readonly media: string;
  readonly layer: string;
  readonly base: string;
  readonly depth: number;
}

/** Whether a link is a style sheet that applies by default: no alternate one. It may apply only after it has loaded. */
export function isSheetLink({ name, attribs }: Element): boolean {
  if (name !== "link" || attribs["href"] === undefined || attribs["disabled"] !== undefined) return false;
  const words = (attribs["rel"] ?? "").toLowerCase().split(/\s+/);
  if (words.includes("stylesheet")) return !words.includes("alternate");
  return words.includes("preload") && attribs["as"]?.toLowerCase() === "style" && attribs["onload"] !== undefined;
}

function dataText(url: string): string {
  const [, parameters = "", data = ""] = /^data:([^,]*),([^]*)$/.exec(url) ?? [];
  try {
    const text = decodeURIComponent(data);
    return /;\s*base64\s*$/i.test(parameters) ? Buffer.from(text, "base64").toString() : text;
  } catch {
    // The percent-encoding is broken; the characters stand for themselves.
    return data;
  }
}
