import { type ChildNode, type Element, type ParentNode } from "domhandler";
import { type Marks } from "./marks.ts";
import { type Output } from "./output.ts";
import { type RunStyle } from "./run.ts";

/** What the writers of lists and tables ask of the one that walks the tree. */
export interface Walker {
  readonly output: Output;
  /** What survey.ts found. */
  readonly facts: ReadonlyMap<Element, number>;
  /** Cells that a page's tables may still have beyond their own: those that spans fill, and those that rows lack. */
  readonly spareCells: { left: number };
  children(node: ParentNode, marks: Marks): void;
  child(node: ChildNode, marks: Marks): void;
  /** Writes the running text so far as a paragraph. */
  flush(): void;
  /** Everything inside an element as one run. */
  inline(element: Element, marks: Marks, style: RunStyle): string;
}
