import { type ChildNode, type Element, type ParentNode } from "domhandler";
import { type Marks } from "./marks.ts";
import { type Output } from "./output.ts";
import { type RunStyle } from "./run.ts";

/** The methods of the tree walker that the writers of lists and tables use. */
export interface Walker {
  readonly output: Output;
  /** The kinds of each element's descendants, from survey.ts. */
  readonly facts: ReadonlyMap<Element, number>;
  /** Cells that a page's tables may still get for spans and for short rows. */
  readonly spareCells: { left: number };
  children(node: ParentNode, marks: Marks): void;
  child(node: ChildNode, marks: Marks): void;
  /** Writes the collected running text as a paragraph. */
  flush(): void;
  inline(element: Element, marks: Marks, style: RunStyle): string;
}
