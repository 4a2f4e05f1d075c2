/** Declarations by property that can hide text, or show it again. */
export type Declarations = ReadonlyMap<string, string>;

/** Pixels outside of the window from which on text is meant to be unseen. */
const OFF_SCREEN = 500;
/** Pixels to the right of or below the beginning of the page that readers do not scroll to. */
const FAR_RIGHT = 2_400;
const FAR_BELOW = 50_000;
/** Pixels of a box or of letters that a reader cannot see. */
const TINY_BOX = 1;
const TINY_FONT = 2;
/** Pixels by which letters overlap. */
const CLOSE_LETTERS = 6;
/** Pixels of a blur behind which letters cannot be read. */
const BLURRED = 4;
/** Pixels of a line that covers letters. */
const THICK = 6;
/** The part of its colour that a text has at least to be seen. */
export const CLEAR = 0.05;

/** Properties of our own: a pseudo-element covers the element; a reader sees only the text of inner elements. */
export const COVERED = "covered";
export const OWN_TEXT = "own-text";

/** The parts of an animation, its name first. */
export const ANIMATION: readonly string[] = (
  "animation-name animation-duration animation-delay animation-fill-mode animation-play-state " +
  "animation-iteration-count animation-direction"
).split(" ");

/** Other properties of which all values are read. */
const ANY = (
  "animation background background-color rotate offset-path grid-template-rows mix-blend-mode text-security mask contain " +
  "backface-visibility"
).split(" ");

const NUMBER = String.raw`-?(?:\d+(?:\.\d+)?|\.\d+)(?:e-?\d+)?`;
const PERCENTAGE = new RegExp(String.raw`^\s*(${NUMBER})(%)?\s*$`);
const LENGTH = new RegExp(`^(${NUMBER})([a-z]+|%)?$`);
const DISPLAYS =
  /^(?:none|contents|block|flow-root|inline|run-in|list-item|ruby\S*|(?:inline-)?(?:block|flex|grid|table)|table-\S+|-webkit-\S+|(?:block|inline) \S+|inherit|initial|unset|revert|revert-layer|var\(.*)$/;

/** Lengths that may be none or one pixel. */
const SMALL = /^(?:[01.]|(?:min|calc|clamp)\(\s*0)/;

/** Colours of other forms are known to Bun. */
const COLOR = /\(|^(?:inherit|initial|unset|revert|currentcolor)$/;

/**
 * Values by property that can hide text. Of most properties only these are read, so that other values do not show text again: that
 * takes ten times as long on pages with large style sheets.
 */
const VALUES: Readonly<Record<string, RegExp>> = {
  display: DISPLAYS,
  visibility: /^(?:visible|hidden|collapse|inherit|initial|unset|revert|var\(.*)$/,
  opacity: new RegExp(`^(?:${NUMBER}(?:[a-z]+|%)?|inherit|initial|unset|revert|(?:var|min|max|clamp|calc)\\(.*)$`),
  color: COLOR,
  "-webkit-text-fill-color": COLOR,
  "content-visibility": /^(?:hidden|visible|auto)$/,
  "font-size": /^0|^\.|^[12](?:px|pt)?$|^\d(?:\.\d*)?%$|^1\.\d+px$/,
  font: /(?:^|\s)(?:0|\.|[12](?:px|pt)\b)/,
  position: /^(?:absolute|fixed|relative|sticky)$/,
  left: /^-|^0|\d{3}/,
  top: /^-|^0|\d{3}/,
  right: /^-|^0|^\d{3}/,
  bottom: /^-|^0|^\d{3}/,
  inset: /-|^0|\d{3}/,
  margin: /-/,
  "margin-left": /^-/,
  "margin-top": /^-/,
  "text-indent": /^-|^[1-9]\d{2}/,
  clip: /^rect/,
  "clip-path": /^(?:inset|circle|ellipse|polygon|path|shape|url|xywh|rect)/,
  "line-height": /^0/,
  width: SMALL,
  height: SMALL,
  "max-width": SMALL,
  "max-height": SMALL,
  overflow: /hidden|clip|auto|scroll/,
  transform: /scale|translate|rotate|matrix|skew/,
  translate: /-?\d{3}/,
  scale: /^0|^\./,
  zoom: /^0|^\./,
  filter: /opacity|blur/,
  "z-index": /^-?\d+$/,
  ...Object.fromEntries([...ANIMATION, ...ANY].map((name) => [name, /./])),
  [OWN_TEXT]: /^hidden$/,
  "unicode-bidi": /override/,
  "letter-spacing": /^-/,
  "text-decoration": /line-through/,
  "-webkit-text-stroke": /\d/,
};

/** The prefix of properties that mean the same without it. */
const PREFIX = /^-webkit-(?=(?:animation|mask)|(?:transform|text-security|backface-visibility|clip-path|filter)$)/;

/** Properties that mean the same in left-to-right text. */
const ALIASES: Readonly<Record<string, string>> = {
  "overflow-x": "overflow",
  "overflow-y": "overflow",
  "block-size": "height",
  "inline-size": "width",
  "max-block-size": "max-height",
  "max-inline-size": "max-width",
  "inset-inline-start": "left",
  "inset-block-start": "top",
  "margin-inline-start": "margin-left",
  "mask-image": "mask",
  "grid-template": "grid-template-rows",
  grid: "grid-template-rows",
  "-webkit-text-stroke-width": "-webkit-text-stroke",
};

/** The property by the name that is read, if the value can hide text, or show it again. */
export function hidingProperty(name: string, value: string): string | undefined {
  const usual = name.replace(PREFIX, "");
  const property = Object.hasOwn(ALIASES, usual) ? (ALIASES[usual] ?? usual) : usual;
  const values = Object.hasOwn(VALUES, property) ? VALUES[property] : undefined;
  if (values === undefined) return undefined;
  return values.test(value) || (values === COLOR && Bun.color(value, "number") !== null) ? property : undefined;
}

/** Whether an element with these declarations is not seen, whatever colours are around it. */
export function hides(style: Declarations): boolean {
  if (style.size === 0) return false;
  if (style.has(COVERED)) return true;
  const is = (name: string, pattern: RegExp): boolean => pattern.test(style.get(name) ?? "");
  if (is("display", /^(?:none$|var\()/) || is("visibility", /^(?:hidden$|collapse$|var\()/)) return true;
  if (is("content-visibility", /^hidden$/) || share(style.get("opacity")) < CLEAR) return true;
  const filter = style.get("filter") ?? "";
  if (share(/opacity\(([^()]*)\)/.exec(filter)?.[1]) < CLEAR) return true;
  if (pixels(/blur\(([^()]*)\)/.exec(filter)?.[1], 0) >= BLURRED) return true;
  if (pixels(style.get("font-size"), 16) < TINY_FONT || pixels(fontSize(style.get("font")), 16) < TINY_FONT)
    return true;
  if (is("scale", /^(?:0|0?\.0\d*)(?:\s|$)/) || is("zoom", /^(?:0|0?\.0\d*)%?$/)) return true;
  if (is("rotate", /^(?:[xy]|1 0 0|0 1 0)\s+-?(?:90deg|0?\.25turn|100grad)$/)) return true;
  if (
    is(
      "transform",
      /scale[xy3d]*\(\s*(?:0|0?\.0\d*)\s*[,)]|matrix\(\s*0\s*,\s*0\s*,|(?:rotate|skew)[xy]\(\s*-?(?:90deg|0?\.25turn|100grad)|translate(?:x|3d)?\(\s*-?[1-9]\d{2,}%/,
    )
  )
    return true;
  return isClipped(style) || isMovedOut(style) || isWithoutSize(style) || isUnreadable(style);
}

/** Whether the letters are shown as other ones, in another order, over each other, or from behind. */
function isUnreadable(style: Declarations): boolean {
  const is = (name: string, pattern: RegExp): boolean => pattern.test(style.get(name) ?? "");
  if (is("unicode-bidi", /override/) || is("text-security", /^(?:disc|circle|square)/)) return true;
  if (pixels(style.get("letter-spacing"), 0) <= -CLOSE_LETTERS || is("contain", /strict/)) return true;
  if (is("contain", /size/) && is("overflow", /hidden|clip/)) return true;
  if (is("mix-blend-mode", /screen|lighten|dodge/) || is("mask", /url\(/) || isPaintedOver(style)) return true;
  if (is("mask", /gradient\((?:[^()]*,)?\s*(?:transparent|#0000)\s*,\s*(?:transparent|#0000)\s*\)/)) return true;
  return is("backface-visibility", /hidden/) && is("transform", /rotate[xy3d]*\(/);
}

/** Whether a line through the letters or around them is so thick that it covers them. */
function isPaintedOver(style: Declarations): boolean {
  const widths = (name: string): readonly number[] =>
    (style.get(name) ?? "").split(/\s+/).map((part) => pixels(part, 0));
  return [...widths("text-decoration"), ...widths("-webkit-text-stroke")].some((width) => width >= THICK);
}

function isClipped(style: Declarations): boolean {
  const path = style.get("clip-path") ?? "";
  // These shapes are not measured; text seldom has one.
  if (/^(?:path|shape|url|xywh|rect)\(/.test(path) || isInsetWhole(path)) return true;
  if (/^(?:inset\((?:5\d|[6-9]\d|\d{3,})(?:\.\d+)?(?:%|px)|(?:circle|ellipse)\(\s*0)/.test(path)) return true;
  const points = /^polygon\(([^)]*)/.exec(path)?.[1]?.split(",");
  // A polygon whose points are all in one place has no inside.
  if (points !== undefined && new Set(points.map((point) => point.replace(/px|%/g, "").trim())).size < 3) return true;
  return /rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?/.test(style.get("clip") ?? "");
}

/** Whether the insets of two opposite sides take everything. */
function isInsetWhole(path: string): boolean {
  const inner = /^inset\((.*)\)$/.exec(path.replace(/calc\(100% - 0(?:px)?\)/g, "100%"))?.[1];
  const [top = "", right = top, bottom = top, left = right] = (inner?.split(" round ")[0] ?? "").split(/\s+/);
  return percentOf(top) + percentOf(bottom) >= 100 || percentOf(left) + percentOf(right) >= 100;
}

function percentOf(percentage: string): number {
  return percentage.endsWith("%") ? Number.parseFloat(percentage) : 0;
}

function isMovedOut(style: Declarations): boolean {
  const isOut = (value: string | undefined): boolean => pixels(value, 0) <= -OFF_SCREEN;
  const parts = (name: string): readonly string[] => (style.get(name) ?? "").split(/[\s,()]+/);
  const isFar = (value: string): boolean => Math.abs(pixels(value, 0)) >= 1_000;
  if (["text-indent", "margin-left", "margin-top"].some((name) => isOut(style.get(name)))) return true;
  if (parts("margin").some(isOut) || parts("translate").some(isFar)) return true;
  if (/^(?:path|ray|url|circle|ellipse|polygon|inset|shape)\(/.test(style.get("offset-path") ?? "")) return true;
  if (/translate/.test(style.get("transform") ?? "") && parts("transform").some(isFar)) return true;
  if (!/^(?:absolute|fixed|relative|sticky)$/.test(style.get("position") ?? "")) return false;
  // A fixed element with its end at the beginning of the window, or the reverse.
  const isBeyond = (name: string): boolean => /^[1-9]\d{2,}(?:%|vw|vh)$/.test(style.get(name) ?? "");
  if (style.get("position") === "fixed" && ["left", "top", "right", "bottom"].some(isBeyond)) return true;
  return (
    ["left", "top", "right", "bottom"].some((name) => isOut(style.get(name))) ||
    parts("inset").some(isOut) ||
    pixels(style.get("left"), 0) >= FAR_RIGHT ||
    pixels(style.get("top"), 0) >= FAR_BELOW
  );
}

function isWithoutSize(style: Declarations): boolean {
  if (!style.has("overflow")) return false;
  const isTiny = (name: string): boolean => pixels(style.get(name), OFF_SCREEN) <= TINY_BOX;
  if (["width", "height", "max-width", "max-height"].some(isTiny)) return true;
  if (!/hidden|clip/.test(style.get("overflow") ?? "")) return false;
  return isTiny("line-height") || /^[1-9]\d{2,}%$/.test(style.get("text-indent") ?? "");
}

/** The size in the shorthand of fonts. */
function fontSize(font: string | undefined): string | undefined {
  return font === undefined ? undefined : /(?:^|\s)(0|(?:\d+(?:\.\d+)?|\.\d+)(?:[a-z]+|%))(?=[\s/])/.exec(font)?.[1];
}

/** Whether the rows of a grid have no height, so that a child that clips its content shows nothing. */
export function isFlat(style: Declarations): boolean {
  const [rows = ""] = (style.get("grid-template-rows") ?? "").split("/");
  return (
    rows !== "" && /^(?:[\s(),]|repeat\(\d+,|minmax\(|\[[^\]]*\]|0(?:fr|px|%)?)+$/.test(rows) && rows.includes("0")
  );
}

/** A number or a percentage; 1 if it is not known. */
export function share(value: string | undefined): number {
  if (value === undefined) return 1;
  if (/^(?:var|min|max|clamp|calc)\(/.test(value)) return 0;
  const [, number, percent] = PERCENTAGE.exec(value) ?? [];
  return number === undefined ? 1 : Number(number) / (percent === undefined ? 1 : 100);
}

/** Units of lengths in pixels. */
const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    px: 1,
    pt: 1.3,
    pc: 16,
    in: 96,
    cm: 38,
    mm: 3.8,
    q: 1,
    em: 16,
    rem: 16,
    ex: 8,
    ch: 8,
    vw: 12.8,
    vh: 8,
    vmin: 8,
    vmax: 12.8,
    dvh: 8,
    dvw: 12.8,
  }),
);

/** A length in pixels. `otherwise` if it is not known. */
function pixels(value: string | undefined, otherwise: number): number {
  // The smallest of several lengths is at most the first one.
  const first = value?.replace(/^(?:min|calc|clamp)\(\s*(0[a-z%]*)[\s,)].*$/, "$1") ?? "";
  const [, number, unit = "px"] = LENGTH.exec(first) ?? [];
  if (number === undefined) return otherwise;
  const size = Number(number);
  if (size === 0) return 0;
  if (unit === "%") return size < 0 ? size * 10 : size < 10 ? size * 0.16 : otherwise;
  return size * (UNITS.get(unit) ?? 1);
}
