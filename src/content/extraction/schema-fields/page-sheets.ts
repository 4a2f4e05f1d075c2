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
export function sheetsOf({ elements, url, base, loaded }: PageStyles): PageSheets {
  return new Collection(new Map(loaded.map((one) => [one.url, one])), url.startsWith("https:")).of(elements, base);
}

/** The style sheets of a page in their order, and the addresses of those that are not known. */
export interface PageSheets {
  readonly sheets: readonly Sheet[];
  readonly unread: readonly string[];
}

class Collection {
  readonly #loaded: ReadonlyMap<string, StyleSheet>;
  readonly #sheets: Sheet[] = [];
  readonly #unread = new Set<string>();

  readonly #isSecure: boolean;

  constructor(loaded: ReadonlyMap<string, StyleSheet>, isSecure: boolean) {
    this.#loaded = loaded;
    this.#isSecure = isSecure;
  }

  of(elements: readonly Element[], base: string): PageSheets {
    let set = "";
    for (const element of elements) {
      const { name, attribs } = element;
      const { media = "", title = "" } = attribs;
      if (name === "style") {
        this.#add(textContent(element), { media, layer: "", base, depth: 0 });
        continue;
      }
      // The first set of style sheets with a title is the one that is used (HTML §4.2.4).
      if (title !== "" && set === "") set = title;
      if (title !== "" && title !== set) continue;
      // A script of the attribute makes the link a style sheet for any medium when it has loaded.
      this.#addFrom(attribs["href"] ?? "", {
        media: attribs["onload"] === undefined ? media : "",
        layer: "",
        base,
        depth: 0,
      });
    }
    return { sheets: this.#sheets, unread: [...this.#unread] };
  }

  #addFrom(address: string, at: Place): void {
    const url = URL.parse(address.trim(), at.base);
    if (url === null || aroundSheet(at.media, at.layer) === undefined) return;
    url.hash = "";
    // Browsers load no style sheet of a secure page without TLS, and none with a user name in its address.
    if ((this.#isSecure && url.protocol === "http:") || url.username !== "" || url.password !== "") return;
    const sheet = this.#loaded.get(url.href);
    if (url.protocol === "data:") this.#add(dataText(url.href), { ...at, base: "about:blank" });
    else if (sheet !== undefined) this.#add(sheet.css, { ...at, base: sheet.base });
    else if (/^https?:$/.test(url.protocol)) this.#unread.add(url.href);
  }

  #add(css: string, at: Place): void {
    const outer = aroundSheet(at.media, at.layer);
    if (outer === undefined) return;
    if (this.#sheets.length >= MAX_SHEETS || at.depth > MAX_DEPTH) {
      this.#unread.add(at.base);
      return;
    }
    for (const { url, media, layer } of importsIn(css)) {
      // Both media queries count. The second is not known to fit if the first is not.
      const isCertain = outer.isCertain || aroundSheet(media, "") === undefined;
      const inner = layer === undefined ? at.layer : `${at.layer}.${layer}`;
      this.#addFrom(url, { media: isCertain ? media : at.media, layer: inner, base: at.base, depth: at.depth + 1 });
    }
    this.#sheets.push({ css: plainCss(css), outer });
  }
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
