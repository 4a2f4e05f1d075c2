import { type Element, isTag, isText } from "domhandler";
import { type Declarations, hides } from "./hiding-styles.ts";
import { isOpaque } from "./visibility.ts";

/** Elements that show something of their own. Text of them is not read. */
const PICTURES = new Set(["img", "video", "canvas", "iframe"]);

/** The children of an element that another child covers, or the element itself if its own text is covered. */
export function coveredIn(parent: Element, styleOf: (element: Element) => Declarations): readonly Element[] {
  const children = parent.children.filter(isTag);
  const at = children.findLastIndex((child) => covers(child, styleOf(child)));
  const cover = children[at];
  if (cover === undefined) return [];
  const height = heightOf(styleOf(cover));
  const isPlaced = styleOf(parent).has("position") && height >= 0;
  const hasText = parent.children.some((child) => isText(child) && child.data.trim() !== "");
  if (isPlaced && hasText) return [parent];
  return children.filter((child, place) => child !== cover && isBelow(heightOf(styleOf(child)), height, place < at));
}

function isBelow(own: number, other: number, isEarlier: boolean): boolean {
  return isEarlier ? own <= other : own < other;
}

/** The place of an element above the page (CSS 2.1, Appendix E). */
function heightOf(style: Declarations): number {
  const height = Number(style.get("z-index"));
  if (Number.isFinite(height)) return height;
  return style.has("position") ? 0 : -0.5;
}

function covers({ name }: Element, style: Declarations): boolean {
  return fills(style) && !hides(style) && (PICTURES.has(name) || hasOpaqueBackground(style));
}

/** Whether these declarations are those of a box that covers the element around it. */
export function isCovering(style: Declarations): boolean {
  return fills(style) && !hides(style) && heightOf(style) >= 0 && hasOpaqueBackground(style);
}

function hasOpaqueBackground(style: Declarations): boolean {
  const backdrop = style.get("background-color") ?? style.get("background");
  return backdrop !== undefined && isOpaque(backdrop);
}

function fills(style: Declarations): boolean {
  if (style.get("position") !== "absolute") return false;
  const is = (name: string, pattern: RegExp): boolean => pattern.test(style.get(name) ?? "");
  if (is("inset", /^0(?:px|%)?(?:\s+0(?:px|%)?)*$/)) return true;
  const isAt = (name: string): boolean => is(name, /^0(?:px|%)?$/);
  const isWhole = (name: string): boolean => is(name, /^100%$/);
  const isWide = isWhole("width") || (isAt("left") && isAt("right"));
  return isWide && (isWhole("height") || (isAt("top") && isAt("bottom")));
}
