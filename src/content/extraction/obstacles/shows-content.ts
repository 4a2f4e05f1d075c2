import { type PageSource } from "../../page/page.ts";
import { BOX, hasWallAddress } from "./consent-wall.ts";
import { MANY_WORDS } from "./page-facts.ts";

/** Maximum number of texts that are counted. A page with more of them is examined as a whole. */
const MAX_TEXTS = 5_000;

/**
 * A script expression: whether the page shows more words than any obstacle has, outside of consent dialogs. Most pages do, and
 * are then not copied to be examined, which takes 9 % of the CPU time of a picture (`npm run bench -- content`).
 */
export const SHOWS_CONTENT = `(() => {
  const box = ${String(BOX)};
  const boxes = new Map();
  const isBoxed = (element) => {
    if (element === null || element === document.body) return false;
    const known = boxes.get(element);
    if (known !== undefined) return known;
    const names = ["id", "class"].map((name) => element.getAttribute(name) ?? "");
    const isIn = names.some((name) => box.test(name)) || isBoxed(element.parentElement);
    boxes.set(element, isIn);
    return isIn;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let words = 0;
  for (let left = ${MAX_TEXTS}; left > 0 && words <= ${MANY_WORDS} && texts.nextNode() !== null; left -= 1) {
    const { data, parentElement } = texts.currentNode;
    if (data.trim() === "" || !parentElement.checkVisibility() || isBoxed(parentElement)) continue;
    words += data.match(/[\\p{L}\\p{N}]+/gu)?.length ?? 0;
  }
  return words > ${MANY_WORDS};
})()`;

/** Whether a page for which SHOWS_CONTENT is true has no obstacle. */
export function isContent({ statusCode, finalUrl }: PageSource): boolean {
  return statusCode !== undefined && statusCode < 400 && !hasWallAddress(finalUrl);
}
