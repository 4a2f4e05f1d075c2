import { type Element } from "domhandler";
import { isHidden } from "../tree/hidden.ts";
import { isNeverShown } from "../tree/prune.ts";
import { type Declarations } from "./style-rules.ts";

/** The colours around an element, as far as they are known. */
export interface Around {
  readonly color: Rgb | undefined;
  readonly background: Rgb | undefined;
}

type Rgb = readonly [number, number, number];

/** Pixels outside of the window from which on text is meant to be unseen. */
const OFF_SCREEN = 500;
/** Pixels of a box or of letters that a reader cannot see. */
const TINY_BOX = 1;
const TINY_FONT = 2;
/** The sum of differences of three channels below which colours look equal. */
const SAME_COLOR = 24;

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

/** The colours of a page without style sheets that are not known. */
export const PLAIN: Around = { color: BLACK, background: WHITE };
export const UNKNOWN: Around = { color: undefined, background: undefined };

/** The colours inside of an element; undefined if a reader does not see the element. */
export function shownInside(element: Element, style: Declarations, around: Around): Around | undefined {
  if (isNeverShown(element) || isHidden(element) || hides(style)) return undefined;
  if (style.size === 0) return around;
  const given = style.get("color");
  if (given === "transparent") return undefined;
  const color = given === undefined || given === "inherit" ? around.color : rgbOf(given);
  const background = backgroundOf(style, around);
  if (given !== undefined || background !== around.background) {
    if (color !== undefined && background !== undefined && isSame(color, background)) return undefined;
  }
  return { color, background };
}

function backgroundOf(style: Declarations, around: Around): Rgb | undefined {
  const given = style.get("background-color") ?? style.get("background");
  if (given === undefined || given === "none" || given === "transparent" || given === "inherit")
    return around.background;
  return rgbOf(given);
}

function hides(style: Declarations): boolean {
  if (style.size === 0) return false;
  const is = (name: string, pattern: RegExp): boolean => pattern.test(style.get(name) ?? "");
  if (is("display", /^none$/) || is("visibility", /^(?:hidden|collapse)$/) || is("content-visibility", /^hidden$/))
    return true;
  if (is("opacity", /^0?\.?0*[0-4]?$/) && Number(style.get("opacity")) < 0.05) return true;
  if (pixels(style.get("font-size"), 16) < TINY_FONT) return true;
  if (is("transform", /scale[xy3d]*\(\s*0(?:\.0\d*)?\s*[,)]/)) return true;
  if (
    is("clip-path", /^(?:inset\((?:5\d|[6-9]\d|100)%|circle\(0)/) ||
    is("clip", /rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?/)
  )
    return true;
  if (pixels(style.get("text-indent"), 0) <= -OFF_SCREEN || pixels(style.get("margin-left"), 0) <= -OFF_SCREEN)
    return true;
  const isPlaced = is("position", /^(?:absolute|fixed|relative)$/);
  const isOut = (name: string): boolean => pixels(style.get(name), 0) <= -OFF_SCREEN;
  if (isPlaced && (["left", "top", "right", "bottom"].some(isOut) || is("transform", /translate[xy3d]*\(\s*-\d{4,}/)))
    return true;
  const isCut = is("overflow", /^(?:hidden|clip)$/);
  const isTiny = (name: string): boolean => pixels(style.get(name), OFF_SCREEN) <= TINY_BOX;
  return isCut && ["width", "height", "max-width", "max-height"].some(isTiny);
}

/** A length in pixels. `otherwise` if it is not known. */
function pixels(value: string | undefined, otherwise: number): number {
  const [, number, unit = "px"] = /^(-?\d*\.?\d+)(px|r?em|pt|vw|vh|%)?$/.exec(value ?? "") ?? [];
  if (number === undefined) return otherwise;
  const size = Number(number);
  if (size === 0) return 0;
  if (unit === "%") return size < 0 ? size * 10 : otherwise;
  return size * ({ px: 1, pt: 1.3, em: 16, rem: 16, vw: 12, vh: 8 }[unit] ?? 1);
}

const NAMED: Readonly<Record<string, Rgb>> = {
  white: WHITE,
  black: BLACK,
  snow: [255, 250, 250],
  ivory: [255, 255, 240],
  whitesmoke: [245, 245, 245],
  silver: [192, 192, 192],
  gray: [128, 128, 128],
  grey: [128, 128, 128],
  red: [255, 0, 0],
  blue: [0, 0, 255],
  green: [0, 128, 0],
  yellow: [255, 255, 0],
};

/** A colour as its channels; undefined if it is a picture, a variable or not known. */
function rgbOf(text: string): Rgb | undefined {
  const named = NAMED[text];
  if (named !== undefined) return named;
  const hex = /^#([\da-f]{3,8})$/.exec(text)?.[1];
  if (hex !== undefined) {
    const digits = hex.length <= 4 ? hex.replace(/./g, "$&$&") : hex;
    const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16));
    return [r, g, b];
  }
  const [, r, g, b] = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})/.exec(text) ?? [];
  return r === undefined ? undefined : [Number(r), Number(g), Number(b)];
}

function isSame(a: Rgb, b: Rgb): boolean {
  return Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]) <= SAME_COLOR;
}
