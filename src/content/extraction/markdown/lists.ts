import { type ChildNode, type Element, isTag, isText } from "domhandler";
import { type Marks } from "./marks.ts";
import { HEADING } from "./run.ts";
import { type Walker } from "./walker.ts";

const LISTS = new Set(["ul", "ol", "menu", "dir"]);
/** The largest number of an item (CommonMark 0.31 §5.2). */
const MAX_NUMBER = 999_999_999;

/** Whether an element is a list of items. */
export function isList(name: string): boolean {
  return LISTS.has(name);
}

/** Writes a list. The items of `ol` get the numbers that the page gives them. */
export function writeList(walker: Walker, list: Element, marks: Marks): void {
  writeItems(walker, list.children, marks, list.name === "ol" ? numbersOf(list) : undefined);
}

/** Writes items as a list, which has other marks than the list before it. */
export function writeItems(walker: Walker, items: readonly ChildNode[], marks: Marks, numbers?: Numbers): void {
  const { output } = walker;
  let isOpen = false;
  const close = () => {
    if (isOpen) output.close();
    isOpen = false;
  };
  const open = (item?: Element) => {
    close();
    isOpen = true;
    if (numbers === undefined) return output.openItem(`${output.listMarker} `);
    const own = numberOf(item?.attribs["value"]) ?? numbers.next;
    numbers.next = own + numbers.step;
    output.openItem(`${Math.min(Math.max(own, 0), MAX_NUMBER)}${output.listMarker} `);
  };
  const write = (child: ChildNode) => {
    if (isText(child) && child.data.trim() === "") return;
    if (isTag(child) && child.name === "li") {
      open(child);
      walker.children(child, marks);
      walker.flush();
    } else if (isTag(child) && LISTS.has(child.name)) {
      // A list directly in a list belongs to the item before it.
      if (!isOpen) open();
      walker.child(child, marks);
    } else if (isTag(child) && child.children.some((inner) => isTag(inner) && inner.name === "li")) {
      child.children.forEach(write);
    } else {
      open();
      walker.child(child, marks);
      walker.flush();
    }
  };
  if (numbers === undefined) output.openList(output.last === "-" ? "*" : "-");
  else output.openList(output.last === "." ? ")" : ".", numbers.next);
  items.forEach(write);
  close();
  output.close();
}

interface Numbers {
  next: number;
  readonly step: 1 | -1;
}

function numbersOf({ attribs, children }: Element): Numbers {
  const isReversed = attribs["reversed"] !== undefined;
  const first = isReversed ? children.filter((child) => isTag(child) && child.name === "li").length : 1;
  return { next: numberOf(attribs["start"]) ?? first, step: isReversed ? -1 : 1 };
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*[+-]?\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
}

/**
 * Writes a definition list as a list whose items begin with the terms in bold, since Markdown has no definition lists.
 */
export function writeDefinitions(walker: Walker, list: Element, marks: Marks): void {
  const { output } = walker;
  output.openList(output.last === "-" ? "*" : "-");
  let hasItem = false;
  let wasTerm = false;
  const next = (isTerm: boolean) => {
    if (!hasItem || (isTerm && !wasTerm)) {
      if (hasItem) output.close();
      output.openItem(`${output.listMarker} `);
      hasItem = true;
    }
    wasTerm = isTerm;
  };
  const write = (child: ChildNode) => {
    if (isText(child) && child.data.trim() === "") return;
    if (isTag(child) && child.name === "dt") {
      next(true);
      const term = walker.inline(child, marks.with("strong"), HEADING);
      if (term !== "") output.block("term", term);
    } else if (isTag(child) && child.name === "dd") {
      next(false);
      walker.children(child, marks);
    } else if (isTag(child) && child.children.some((inner) => isTag(inner) && /^d[td]$/.test(inner.name))) {
      child.children.forEach(write);
    } else {
      next(false);
      walker.child(child, marks);
    }
    walker.flush();
  };
  list.children.forEach(write);
  if (hasItem) output.close();
  output.close();
}
