import { type ChildNode } from "domhandler";
import { element } from "../kinds/tree-content.ts";
import { type Budget } from "../office/budget.ts";
import { Blocks } from "../office/lists.ts";
import { hasContent, Runs } from "../office/word/marks.ts";
import { type GridCell, tableOf } from "../office/word/tables.ts";

/** The properties that control words give to a paragraph. */
export interface ParagraphState {
  isInTable: boolean;
  heading: number | undefined;
  level: number;
  list: number | undefined;
  /** The text of its bullet or number; otherwise empty. */
  label: string;
}

/** The blocks of a text of RTF, which ends its paragraphs, cells and rows by control words. */
export class TextFlow {
  readonly runs = new Runs();
  readonly #budget: Budget;
  readonly #blocks = new Blocks();
  #cell = new Blocks();
  #cells: GridCell[] = [];
  #rows: GridCell[][] = [];

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  endParagraph(state: ParagraphState): void {
    const nodes = this.runs.take();
    const label = state.label.trim();
    state.label = "";
    if (!hasContent(nodes)) return;
    this.#budget.spend(0);
    if (!state.isInTable) this.#endTable();
    const blocks = state.isInTable ? this.#cell : this.#blocks;
    const number = /(\d{1,9})[.)]?$/.exec(label)?.[1];
    if (state.heading !== undefined)
      blocks.add(element(`h${state.heading}`, [...(number === undefined ? [] : [`${label} `]), ...nodes]));
    else if (label === "") blocks.add(element("p", nodes));
    else {
      const isNumbered = /^[(]?(?:\d{1,9}|[a-z]{1,4})[.)]?$/i.test(label);
      const place = { level: state.level, isNumbered, list: `${state.list}` };
      blocks.addItem(
        isNumbered && number !== undefined ? { ...place, number: Number(number) } : place,
        element("p", nodes),
      );
    }
  }

  endCell(state: ParagraphState): void {
    this.endParagraph({ ...state, isInTable: true });
    this.#cells.push({ content: this.#cell.nodes, columns: 1, continues: false });
    this.#cell = new Blocks();
  }

  endRow(): void {
    if (this.#cells.length > 0) this.#rows.push(this.#cells);
    this.#cells = [];
  }

  /** All blocks. The text is at its end. */
  take(state: ParagraphState): ChildNode[] {
    this.endParagraph(state);
    this.#endTable();
    return this.#blocks.nodes;
  }

  #endTable(): void {
    if (this.#cell.nodes.length > 0) this.#cells.push({ content: this.#cell.nodes, columns: 1, continues: false });
    this.endRow();
    this.#cell = new Blocks();
    if (this.#rows.length > 0) this.#blocks.add(tableOf(this.#rows));
    this.#rows = [];
  }
}
