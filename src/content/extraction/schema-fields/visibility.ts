import { type Element } from "domhandler";
import { isHidden } from "../tree/hidden.ts";
import { isNeverShown } from "../tree/prune.ts";
import { type Declarations, hides } from "./hiding-styles.ts";

/** The colours around an element, as far as they are known. */
export interface Around {
  readonly color: Rgb | undefined;
  readonly background: Rgb | undefined;
}

type Rgb = readonly [number, number, number];

/** The sum of differences of three channels below which colours look equal. */
const SAME_COLOR = 24;

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

/** The colours of a page without style sheets that are not known. */
export const PLAIN: Around = { color: BLACK, background: WHITE };
export const UNKNOWN: Around = { color: undefined, background: undefined };

/** Elements whose content is for programs that cannot show them, or for other programs, or that readers see in another order. */
const FALLBACKS = new Set([
  "bdo",
  "iframe",
  "frame",
  "audio",
  "video",
  "object",
  "canvas",
  "annotation",
  "annotation-xml",
]);

/** The colours inside of an element; undefined if a reader does not see the element. */
export function shownInside(element: Element, style: Declarations, around: Around): Around | undefined {
  const { name, attribs } = element;
  if (isNeverShown(element) || isHidden(element) || hides(style)) return undefined;
  if (FALLBACKS.has(name) || attribs["popover"] !== undefined || isClosed(attribs["hidden"])) return undefined;
  const given =
    style.get("-webkit-text-fill-color") ?? style.get("color") ?? (name === "font" ? attribs["color"] : undefined);
  const backdrop = style.get("background-color") ?? style.get("background") ?? attribs["bgcolor"];
  if (given === undefined && backdrop === undefined) return around;
  const color = given === undefined || given === "inherit" ? around.color : colorOf(given.trim());
  if (color === "clear") return undefined;
  const background = backgroundOf(backdrop, around);
  if (color !== undefined && background !== undefined && isSame(color, background)) return undefined;
  return { color, background };
}

/** Whether the attribute hides its element. A reader may never open it, although it is a panel. */
function isClosed(hidden: string | undefined): boolean {
  return hidden !== undefined && hidden.toLowerCase() !== "until-found";
}

function backgroundOf(given: string | undefined, around: Around): Rgb | undefined {
  if (given === undefined || /^(?:none|inherit|initial|unset)$/.test(given)) return around.background;
  const color = colorOf(given.trim());
  return color === "clear" ? around.background : (color ?? oneColor(given));
}

/** The colour of a background with a picture or a gradient, if all its colours look equal. */
function oneColor(background: string): Rgb | undefined {
  if (background.includes("url(")) return undefined;
  const names = background.slice(0, 1_000).match(/#[\da-f]{3,8}\b|(?:rgb|hsl)a?\([^()]*\)|\b[a-z]+\b(?![-(])/g) ?? [];
  const colors = names.map(colorOf).filter((color) => color !== undefined);
  const [first] = colors;
  if (first === undefined || first === "clear") return undefined;
  return colors.every((color) => color !== "clear" && isSame(color, first)) ? first : undefined;
}

/** Colours by their text, of which a page has few. */
const COLORS = new Map<string, Rgb | "clear" | undefined>();
/** Texts of colours that are remembered. @bound */
const MAX_COLORS = 1_000;
/** The part of its colour that a text has at least, of 255, to be seen. */
const CLEAR = 13;

/** A colour as its channels; undefined if it is a picture, a variable or not known. */
function colorOf(text: string): Rgb | "clear" | undefined {
  if (COLORS.has(text)) return COLORS.get(text);
  const [r, g, b, alpha] = Bun.color(text, "[rgba]") ?? [];
  const isKnown = typeof r === "number" && g !== undefined && b !== undefined && alpha !== undefined;
  const color = isKnown ? (alpha < CLEAR ? "clear" : ([r, g, b] as const)) : undefined;
  if (COLORS.size >= MAX_COLORS) COLORS.clear();
  COLORS.set(text, color);
  return color;
}

function isSame(a: Rgb, b: Rgb): boolean {
  return Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]) <= SAME_COLOR;
}
