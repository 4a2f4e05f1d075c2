import { Edit, type Edits } from "./edits.ts";
import { MAX_NESTING } from "../reading/limits.ts";
import { ModuleRefused } from "../reading/refused.ts";

/** Simple instructions that one unit of fuel pays for. */
const COST_PER_FUEL = 16;
/** The cost that a path through a function can accumulate before the code takes fuel for it. */
const MOST_UNCHARGED = 128;
/** Stands in for a cost if the code is never reached. */
export const UNREACHED = -1;

export type BlockKind = "function" | "block" | "loop" | "if" | "else" | "try";

interface Block {
  kind: BlockKind;
  /** The number of values that a branch to its label carries. */
  arity: number;
  /** The highest uncharged cost of a branch to its label. */
  atLabel: number;
  /** The cost at the start of the block. An `else` continues from this cost. */
  atStart: number;
  /** The index of the edit that charges for each entry of a function or loop. */
  edit: number;
}

/**
 * The blocks around the current instruction, and the uncharged cost of the costliest path to it. All branches except
 * those to loops go forward, so one pass knows the cost at every label before it reaches the label:
 *
 *     loop                 charged: 1, and the costliest path back
 *       block
 *         ...              cost 40
 *         br_if 0          the label gets 40
 *         ...              cost 90
 *       end                max(40, 90)
 *       br 0               the loop gets 90
 *     end
 */
export class ControlStack {
  cost = 0;
  readonly #edits: Edits;
  readonly #blocks: Block[] = [];
  #depth = 0;

  constructor(edits: Edits) {
    this.#edits = edits;
  }

  get depth(): number {
    return this.#depth;
  }

  open(kind: BlockKind, arity: number, offset: number, edit = -1): void {
    if (this.#depth === MAX_NESTING) {
      throw new ModuleRefused(`it nests more than ${MAX_NESTING} blocks in a function`, offset);
    }
    let block = this.#blocks[this.#depth++];
    if (block === undefined) {
      block = { kind, arity, atLabel: UNREACHED, atStart: this.cost, edit };
      this.#blocks.push(block);
      return;
    }
    block.kind = kind;
    block.arity = arity;
    block.atLabel = UNREACHED;
    block.atStart = this.cost;
    block.edit = edit;
  }

  /** Adds `cost` for the instruction at `offset`; if too much has accumulated, fuel is taken before it. */
  spend(cost: number, offset: number): void {
    if (this.cost === UNREACHED) return;
    this.cost += cost;
    if (this.cost > MOST_UNCHARGED) this.settle(offset);
  }

  /** Takes fuel for the accumulated cost, before the instruction at `offset`. Less than one unit is dropped. */
  settle(offset: number): void {
    if (this.cost === UNREACHED) return;
    const amount = Math.floor(this.cost / COST_PER_FUEL);
    if (amount > 0) this.#edits.add(Edit.charge, offset, 0, amount);
    this.cost = 0;
  }

  /** A branch from here to a label, with the values that it carries. */
  branch(label: number, offset: number): void {
    this.spend(this.#at(label, offset).arity, offset);
    this.branchToo(label, offset);
  }

  /** One more label of the same branch. */
  branchToo(label: number, offset: number): void {
    const block = this.#at(label, offset);
    if (this.cost > block.atLabel) block.atLabel = this.cost;
  }

  /** An exception from anywhere in the block can continue at the label. */
  catchAt(label: number, offset: number): void {
    this.#at(label, offset).atLabel = MOST_UNCHARGED;
  }

  /** The function returns here. */
  leave(offset: number): void {
    this.branch(this.#depth - 1, offset);
    this.cost = UNREACHED;
  }

  else(offset: number): void {
    const block = this.#at(0, offset);
    if (block.kind !== "if") throw new ModuleRefused("it has an else without an if", offset);
    block.kind = "else";
    block.atLabel = Math.max(block.atLabel, this.cost);
    this.cost = block.atStart;
  }

  /** A handler of the older exception handling begins. */
  handler(offset: number): void {
    const block = this.#at(0, offset);
    if (block.kind !== "try") throw new ModuleRefused("it has a catch without a try", offset);
    block.atLabel = Math.max(block.atLabel, this.cost);
    this.cost = MOST_UNCHARGED;
  }

  close(offset: number): void {
    const block = this.#at(0, offset);
    this.#depth--;
    if (block.kind === "loop") {
      this.#charge(block, 0);
      return;
    }
    this.cost = Math.max(this.cost, block.atLabel, block.kind === "if" ? block.atStart : UNREACHED);
    if (block.kind === "function") this.#charge({ ...block, atLabel: this.cost }, block.atStart);
  }

  /** Sets the cost of each entry, known only after all paths to a branch back or out have been read. */
  #charge(block: Block, extra: number): void {
    this.#edits.amounts[block.edit] = 1 + Math.floor((Math.max(block.atLabel, 0) + extra) / COST_PER_FUEL);
  }

  #at(label: number, offset: number): Block {
    const block = label < this.#depth ? this.#blocks[this.#depth - 1 - label] : undefined;
    if (block === undefined) {
      throw new ModuleRefused(`it branches to label ${label}, and there are only ${this.#depth}`, offset);
    }
    return block;
  }
}
