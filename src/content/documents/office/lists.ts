import { type ChildNode, type Element, isTag, isText } from "domhandler";
import { appendChild } from "domutils";
import { element } from "../kinds/tree-content.ts";

export interface ListPlace {
  /** From 0 on. */
  readonly level: number;
  readonly isNumbered: boolean;
  /** The number of the item, if the list is numbered. */
  readonly number?: number;
  /** Paragraphs of different lists are never in one. */
  readonly list: string;
}

/** Collects blocks, and puts paragraphs that follow each other in a list into nested lists. */
export class Blocks {
  readonly nodes: ChildNode[] = [];
  #open: { place: ListPlace; list: Element; item: Element }[] = [];

  /** Adds a block that is in no list. */
  add(...blocks: readonly ChildNode[]): void {
    if (blocks.length > 0) this.#open = [];
    this.nodes.push(...blocks);
  }

  /** Adds a line of code, to the code above it if there is one. */
  addCode(code: string): void {
    const last = this.nodes.at(-1);
    const [text] = last !== undefined && isTag(last) && last.name === "pre" ? last.children : [];
    if (text !== undefined && isText(text)) text.data += `\n${code}`;
    else this.add(element("pre", [code]));
  }

  addItem(place: ListPlace, ...content: readonly ChildNode[]): void {
    while ((this.#open.at(-1)?.place.level ?? -1) > place.level) this.#open.pop();
    const last = this.#open.at(-1);
    const item = element("li", content);
    if (last !== undefined && last.place.level === place.level) {
      if (last.place.list === place.list && last.place.isNumbered === place.isNumbered) {
        appendChild(last.list, item);
        last.item = item;
        return;
      }
      this.#open.pop();
    }
    const start = place.number === undefined || place.number === 1 ? {} : { start: `${place.number}` };
    const list = element(place.isNumbered ? "ol" : "ul", [item], place.isNumbered ? start : {});
    const outer = this.#open.at(-1)?.item;
    if (outer === undefined) this.nodes.push(list);
    else appendChild(outer, list);
    this.#open.push({ place, list, item });
  }

  /** Adds a block to the last item, if a list is open. */
  continueItem(...content: readonly ChildNode[]): boolean {
    const item = this.#open.at(-1)?.item;
    if (item === undefined) return false;
    for (const node of content) appendChild(item, node);
    return true;
  }
}
