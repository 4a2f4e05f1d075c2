import { type Element, isTag } from "domhandler";

/** Maximum number of elements of a part in which a heading is searched. */
const MAX_LOOKED = 200;

const ANY_HEADING = /^h[1-6]$/;

/** Whether a part of a page contains a heading with this name, among its first 200 elements. */
export function holdsHeading(part: Element, name: RegExp = ANY_HEADING): boolean {
  const open = [part];
  for (let looked = 0; looked < MAX_LOOKED; looked += 1) {
    const element = open.pop();
    if (element === undefined) return false;
    if (name.test(element.name)) return true;
    open.push(...element.children.slice(0, MAX_LOOKED).filter(isTag).toReversed());
  }
  return false;
}
