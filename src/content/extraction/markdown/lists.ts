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
  if (numbers === undefined) output.openList(output.last === "-" ? "*" : "-");
  else output.openList(output.last === "." ? ")" : ".", numbers.next);
  new Items(walker, marks, numbers).write(items);
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

class Items {
  readonly #walker: Walker;
  readonly #marks: Marks;
  readonly #numbers: Numbers | undefined;
  #isOpen = false;

  constructor(walker: Walker, marks: Marks, numbers: Numbers | undefined) {
    this.#walker = walker;
    this.#marks = marks;
    this.#numbers = numbers;
  }

  write(items: readonly ChildNode[]): void {
    for (const item of items) this.#child(item);
    this.#close();
  }

  #child(child: ChildNode): void {
    if (isText(child) && child.data.trim() === "") return;
    if (isTag(child) && child.name === "li") {
      this.#open(child);
      this.#walker.children(child, this.#marks);
      this.#walker.flush();
      return;
    }
    // A list directly in a list belongs to the item before it.
    if (isTag(child) && LISTS.has(child.name)) {
      if (!this.#isOpen) this.#open(undefined);
      this.#walker.child(child, this.#marks);
      return;
    }
    if (isTag(child) && child.children.some((inner) => isTag(inner) && inner.name === "li")) {
      for (const inner of child.children) this.#child(inner);
      return;
    }
    this.#open(undefined);
    this.#walker.child(child, this.#marks);
    this.#walker.flush();
  }

  #open(item: Element | undefined): void {
    this.#close();
    this.#isOpen = true;
    const { output } = this.#walker;
    if (this.#numbers === undefined) return output.openItem(`${output.listMarker} `);
    this.#numbers.next = numberOf(item?.attribs["value"]) ?? this.#numbers.next;
    const number = Math.min(Math.max(this.#numbers.next, 0), MAX_NUMBER);
    this.#numbers.next += this.#numbers.step;
    output.openItem(`${number}${output.listMarker} `);
  }

  #close(): void {
    if (this.#isOpen) this.#walker.output.close();
    this.#isOpen = false;
  }
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
