import { type Brand, type BrandElement } from "../../page/brand.ts";
import { type CdpFields } from "../program/cdp.ts";

/** Elements whose styles are read. */
const MAX_ELEMENTS = 3_000;
/** Colours, and fonts, that are returned. */
const MAX_COLORS = 8;
const MAX_FONTS = 6;
/** Characters of a text in the result, and of an address. */
const MAX_TEXT = 200;
const MAX_ADDRESS = 2_048;

/**
 * Reads the colours, fonts and logo of a page from the computed styles of its visible elements. A colour counts by the area that it
 * fills, a font by the characters that it writes. It runs in a script context of the service, so that the page cannot
 * change the functions that it calls.
 */
const READ = `(() => {
  const cut = (text, most = ${MAX_TEXT}) => String(text ?? "").slice(0, most);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const hexOf = (color) => {
    if (known.has(color)) return known.get(color);
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = "#000";
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    const hex = a < 128 ? undefined : "#" + [r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("");
    if (known.size < 1000) known.set(color, hex);
    return hex;
  };
  const add = (counts, key, weight) => { if (key) counts.set(key, (counts.get(key) ?? 0) + weight); };
  const top = (counts, most) => [...counts].sort((a, b) => b[1] - a[1]).slice(0, most).map(([key]) => key);
  const familyOf = (style) => cut(style.fontFamily.split(",")[0].trim().replace(/^["']|["']$/g, ""));
  const fills = new Map(), texts = new Map(), links = new Map(), accents = new Map(), fonts = new Map(), headings = new Map();
  const all = Array.prototype.slice.call(document.querySelectorAll("body, body *"), 0, ${MAX_ELEMENTS});
  const area = innerWidth * innerHeight;
  const isControl = (element) => element.matches("button, [type=submit], [role=button], a[class*=btn i], a[class*=button i], a[class*=cta i]");
  const descriptionOf = (element) => {
    const style = getComputedStyle(element);
    return { text: hexOf(style.color), background: hexOf(style.backgroundColor), border_radius: cut(style.borderRadius, 40), font: familyOf(style) };
  };
  for (const element of all) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const style = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    const size = Math.min(width * height, area * 4);
    add(fills, hexOf(style.backgroundColor), size);
    let written = 0;
    for (const node of element.childNodes) if (node.nodeType === 3) written += Math.min(node.data.trim().length, 500);
    if (written > 0) {
      add(texts, hexOf(style.color), written);
      add(fonts, familyOf(style), written);
      if (/^h[1-4]$/.test(element.localName)) add(headings, familyOf(style), written * parseFloat(style.fontSize));
      if (element.closest("a[href]") !== null) add(links, hexOf(style.color), written);
    }
    if (isControl(element)) add(accents, hexOf(style.backgroundColor), size);
  }
  const root = [document.body, document.documentElement].flatMap((element) => element === null ? [] : [hexOf(getComputedStyle(element).backgroundColor)]).find(Boolean) ?? "#ffffff";
  const addressOf = (value) => { try { return cut(new URL(value, document.baseURI).href, ${MAX_ADDRESS}); } catch { return undefined; } };
  const iconOf = (selector) => [...document.querySelectorAll(selector)].map((link) => addressOf(link.getAttribute("href"))).find(Boolean);
  const isHome = (link) => { try { const to = new URL(link.href); return to.origin === location.origin && /^\\/([a-z]{2}(-[a-z]{2})?\\/?)?$/i.test(to.pathname); } catch { return false; } };
  const logoScore = (image) => {
    const { top: y, width, height } = image.getBoundingClientRect();
    if (width < 16 || height < 12 || width > innerWidth * 0.8 || !image.checkVisibility()) return 0;
    const names = [image, image.parentElement, image.closest("a")].map((one) => one === null ? "" : [one.id, one.getAttribute("class"), one.getAttribute("alt"), one.getAttribute("aria-label"), one.getAttribute("src")].join(" ")).join(" ");
    const link = image.closest("a[href]");
    return (/logo|brand/i.test(names) ? 3 : 0) + (image.closest("header, [role=banner], nav") !== null ? 2 : 0) + (link !== null && isHome(link) ? 2 : 0) + (y >= 0 && y < 200 ? 1 : 0);
  };
  const images = Array.prototype.slice.call(document.querySelectorAll("img, svg"), 0, 300).map((image) => [logoScore(image), image]).filter(([score]) => score >= 4).sort((a, b) => b[0] - a[0]);
  const best = images[0]?.[1];
  const logo = best === undefined ? undefined : best.localName === "img" ? addressOf(best.currentSrc || best.src) : undefined;
  const drawn = best?.localName === "svg" ? new XMLSerializer().serializeToString(best) : undefined;
  const control = all.find((element) => isControl(element) && element.checkVisibility() && hexOf(getComputedStyle(element).backgroundColor) !== undefined);
  const isGrey = (hex) => { const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)); return Math.max(r, g, b) - Math.min(r, g, b) < 16; };
  const coloured = [...top(accents, 4), ...top(links, 4), ...top(fills, ${MAX_COLORS})].filter((hex) => !isGrey(hex));
  return {
    colors: { background: root, text: top(texts, 1)[0], link: top(links, 1)[0], primary: coloured[0], accent: coloured.find((hex) => hex !== coloured[0]), palette: [...new Set([...top(fills, ${MAX_COLORS}), ...top(texts, ${MAX_COLORS})])].slice(0, ${MAX_COLORS}) },
    fonts: { body: top(fonts, 1)[0], heading: top(headings, 1)[0] ?? top(fonts, 1)[0], families: top(fonts, ${MAX_FONTS}) },
    logo: logo?.startsWith("data:") && logo.length >= ${MAX_ADDRESS} ? undefined : logo,
    logo_svg: drawn !== undefined && drawn.length <= 20000 ? drawn : undefined,
    favicon: iconOf("link[rel~=icon i]") ?? iconOf("link[rel=apple-touch-icon i]"),
    image: [...document.querySelectorAll("meta[property='og:image']")].map((meta) => addressOf(meta.content)).find(Boolean),
    name: cut(document.querySelector("meta[property='og:site_name']")?.content ?? "") || undefined,
    button: control === undefined ? undefined : descriptionOf(control),
    color_scheme: getComputedStyle(document.documentElement).colorScheme.includes("dark") || matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
  };
})()`;

/** The brand that a page shows. `run` runs a script of the service in the page. */
export async function readBrand(run: (expression: string) => Promise<unknown>): Promise<Brand> {
  // The script above makes these fields. A document without HTML gives none.
  const {
    colors = {},
    fonts = {},
    ...others
  } = ((await run(READ)) ?? {}) as CdpFields & {
    readonly colors?: Brand["colors"];
    readonly fonts?: Brand["fonts"];
    readonly button?: BrandElement;
  };
  return { colors, fonts, ...others };
}
