import { type Element } from "domhandler";
import { isFolded } from "../tree/hidden.ts";
import { isNeverShown } from "../tree/prune.ts";
import { hidesChildren } from "../tree/shadow.ts";
import { isUnselected } from "./options.ts";
import { CLEAR, type Declarations, hides, isFlat, share } from "./hiding-styles.ts";

/** The surroundings of an element, as far as they are known. */
export interface Around {
  readonly color: Rgb | undefined;
  readonly background: Rgb | undefined;
  /** The part of its colour that a text has, from 0 to 1. */
  readonly opacity: number;
  /** Whether an element has a background, behind which elements with a negative `z-index` are. */
  readonly isPainted: boolean;
  /** Whether it is a grid whose rows have no height. */
  readonly isFlat: boolean;
  /** Whether a browser has measured what its reader sees. */
  readonly isMeasured: boolean;
}

type Rgb = readonly [number, number, number];

/** The sum of differences of three channels below which colours look equal. */
const SAME_COLOR = 24;

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

/** The colours of a page without style sheets that are not known. */
export const PLAIN: Around = {
  color: BLACK,
  background: WHITE,
  opacity: 1,
  isPainted: false,
  isFlat: false,
  isMeasured: false,
};
export const UNKNOWN: Around = { ...PLAIN, color: undefined, background: undefined };
export const MEASURED: Around = { ...UNKNOWN, isMeasured: true };

/** Elements whose content is for programs that cannot show them, or for other programs, or that readers see in another order. */
const FALLBACKS = new Set("bdo iframe frame audio video object canvas annotation annotation-xml".split(" "));

/** The surroundings of the children of an element; undefined if a reader does not see the element. */
export function shownInside(element: Element, style: Declarations, around: Around): Around | undefined {
  const { name, attribs } = element;
  if (isNeverShown(element) || isFolded(element) || hides(style)) return undefined;
  if (FALLBACKS.has(name) || attribs["popover"] !== undefined || isClosed(attribs["hidden"])) return undefined;
  if (around.isMeasured) return around;
  if (isUnselected(element) || hidesChildren(element) || (around.isFlat && style.has("overflow"))) return undefined;
  if (around.isPainted && Number(style.get("z-index")) < 0) return undefined;
  const opacity = around.opacity * share(style.get("opacity"));
  const colors = opacity < CLEAR ? undefined : colorsInside(element, style, around);
  if (colors === undefined) return undefined;
  const isPainted = around.isPainted || (colors.isPainted && name !== "body" && name !== "html");
  return { ...colors, opacity, isPainted, isFlat: isFlat(style), isMeasured: false };
}

/** The colours inside of an element; undefined if its text has the colour of its background. */
function colorsInside(
  { name, attribs }: Element,
  style: Declarations,
  around: Around,
): Pick<Around, "color" | "background" | "isPainted"> | undefined {
  const given =
    style.get("-webkit-text-fill-color") ?? style.get("color") ?? (name === "font" ? attribs["color"] : undefined);
  const backdrop = style.get("background-color") ?? style.get("background") ?? attribs["bgcolor"];
  const isPainted = backdrop !== undefined && colorOf(backdrop.trim()) !== "clear";
  if (given === undefined && backdrop === undefined) return { ...around, isPainted };
  const color = given === undefined || given === "inherit" ? around.color : colorOf(given.trim());
  if (color === "clear" || backdrop?.startsWith("currentcolor") === true) return undefined;
  const background = backgroundOf(backdrop, around);
  if (color !== undefined && background !== undefined && isSame(color, background)) return undefined;
  return { color, background, isPainted };
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

/** Whether a background hides what is behind it. Pictures count as opaque. */
export function isOpaque(background: string): boolean {
  if (/url\(/.test(background)) return true;
  const color = Bun.color(background, "[rgba]");
  if (color === null) return oneColor(background) !== undefined;
  return color[3] >= (1 - CLEAR) * 255;
}

/** Whether the text of a rule is clear, or has the colour of a page without styles. */
export function isColorless(style: Declarations): boolean {
  const given = style.get("-webkit-text-fill-color") ?? style.get("color");
  const color = given === undefined ? undefined : colorOf(given);
  return color === "clear" || (color !== undefined && isSame(color, WHITE));
}

/** A colour as its channels; undefined if it is a picture, a variable or not known. */
function colorOf(text: string): Rgb | "clear" | undefined {
  const [r, g, b, alpha] = Bun.color(plainColor(text), "[rgba]") ?? [];
  const isKnown = typeof r === "number" && g !== undefined && b !== undefined && alpha !== undefined;
  if (!isKnown) return undefined;
  return alpha < CLEAR * 255 ? "clear" : [r, g, b];
}

/** Some forms of colours that are unknown to Bun: that of the window, the one of a light theme, and white as a lightness. */
function plainColor(text: string): string {
  if (text === "canvas") return "#fff";
  const light = /^light-dark\(([^,()]+),/.exec(text)?.[1]?.trim();
  return light ?? (/^(?:ok)?l(?:ab|ch)\(\s*(?:1|100%?)\s+0/.test(text) ? "#fff" : text);
}

function isSame(a: Rgb, b: Rgb): boolean {
  return Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]) <= SAME_COLOR;
}
