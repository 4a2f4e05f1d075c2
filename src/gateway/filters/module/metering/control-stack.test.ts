import { expect, test } from "bun:test";
import { ControlStack, UNREACHED } from "./control-stack.ts";
import { Edit, Edits } from "./edits.ts";

function create() {
  const edits = new Edits();
  const stack = new ControlStack(edits);
  /** The charges at the entry of a function or loop, in units of fuel. */
  const entry = (): number => edits.add(Edit.charge, 0);
  stack.open("function", 0, 0, entry());
  return { edits, stack, entry };
}

test("a function takes one unit for its entry, and one for each 16 of the cost that is left at its end", () => {
  for (const [cost, amount] of [
    [0, 1],
    [15, 1],
    [16, 2],
    [128, 9],
  ] as const) {
    const { edits, stack } = create();
    stack.spend(cost, 1);
    stack.close(2);
    expect([cost, edits.amounts[0], edits.offsets.length]).toEqual([cost, amount, 1]);
  }
});

test("beyond a cost of 128, the fuel is taken before the next instruction, and the rest of a unit is dropped", () => {
  const { edits, stack } = create();
  stack.spend(100, 10);
  stack.spend(28, 20);
  expect([stack.cost, edits.offsets.length]).toEqual([128, 1]);
  stack.spend(2, 30);
  expect([stack.cost, edits.offsets[1], edits.kinds[1], edits.removed[1], edits.amounts[1]]).toEqual([
    0,
    30,
    Edit.charge,
    0,
    8,
  ]);
  stack.spend(7, 40);
  stack.settle(50);
  // Less than one unit needs no code.
  expect([stack.cost, edits.offsets.length]).toEqual([0, 2]);
});

test("a block costs as much as the costliest path to its end", () => {
  const { stack } = create();
  stack.open("block", 0, 1);
  stack.spend(40, 2);
  stack.branch(0, 3);
  stack.spend(50, 4);
  stack.close(5);
  expect(stack.cost).toBe(90);
  stack.open("block", 3, 6);
  stack.spend(7, 7);
  // The branch carries three values.
  stack.branch(0, 8);
  expect(stack.cost).toBe(100);
  stack.cost = UNREACHED;
  stack.spend(1000, 9);
  stack.settle(9);
  stack.branchToo(0, 9);
  expect(stack.cost).toBe(UNREACHED);
  stack.close(10);
  expect([stack.cost, stack.depth]).toEqual([100, 1]);
});

test("a loop takes the cost of the costliest way back at each round, and code after it goes on from its end", () => {
  const { edits, stack, entry } = create();
  const edit = entry();
  stack.open("loop", 0, 1, edit);
  stack.open("block", 0, 2);
  stack.spend(33, 3);
  stack.branch(1, 4);
  stack.spend(31, 5);
  stack.close(6);
  stack.branch(0, 7);
  stack.spend(6, 8);
  stack.close(9);
  expect([edits.amounts[edit], stack.cost]).toEqual([1 + 4, 70]);
  const idle = entry();
  stack.open("loop", 0, 10, idle);
  stack.close(11);
  expect([edits.amounts[idle], stack.cost]).toEqual([1, 70]);
});

test("both ways of an if begin with the cost before it, and an if without an else can be passed", () => {
  const { stack } = create();
  stack.spend(10, 1);
  stack.open("if", 0, 2);
  stack.spend(30, 3);
  stack.else(4);
  expect(stack.cost).toBe(10);
  stack.spend(5, 5);
  stack.close(6);
  expect(stack.cost).toBe(40);
  stack.open("if", 0, 7);
  stack.leave(8);
  expect(stack.cost).toBe(UNREACHED);
  stack.close(9);
  expect(stack.cost).toBe(40);
  stack.open("if", 0, 10);
  stack.cost = UNREACHED;
  stack.else(11);
  stack.cost = UNREACHED;
  stack.close(12);
  // Neither way reaches the end.
  expect(stack.cost).toBe(UNREACHED);
});

test("a return counts for the entry of its function, with the values that it carries", () => {
  const edits = new Edits();
  const stack = new ControlStack(edits);
  stack.open("function", 2, 0, edits.add(Edit.charge, 0));
  stack.open("block", 0, 1);
  stack.spend(62, 2);
  stack.leave(3);
  stack.close(4);
  stack.close(5);
  expect(edits.amounts[0]).toBe(1 + 4);
});

test("handlers of exceptions begin with the most that can be uncharged", () => {
  const { stack } = create();
  stack.open("try", 0, 1);
  stack.spend(3, 2);
  stack.handler(3);
  expect(stack.cost).toBe(128);
  stack.cost = UNREACHED;
  stack.close(4);
  expect(stack.cost).toBe(3);
  stack.open("block", 0, 5);
  stack.open("block", 0, 6);
  stack.catchAt(1, 7);
  stack.close(8);
  expect(stack.cost).toBe(3);
  stack.close(9);
  expect(stack.cost).toBe(128);
});

test("blocks that are used again have nothing of earlier ones", () => {
  const { stack } = create();
  stack.open("if", 4, 1);
  stack.catchAt(0, 2);
  stack.close(3);
  stack.cost = 1;
  stack.open("block", 0, 4);
  stack.branch(0, 5);
  stack.cost = UNREACHED;
  stack.close(6);
  expect(stack.cost).toBe(1);
  expect(() => {
    stack.open("block", 0, 7);
    stack.else(8);
  }).toThrow("it has an else without an if (at byte 8)");
});

test("labels are those of the blocks around an instruction", () => {
  const { stack } = create();
  stack.open("try", 0, 1);
  expect(stack.depth).toBe(2);
  stack.branch(1, 2);
  expect(() => stack.branch(2, 3)).toThrow("it branches to label 2, and there are only 2 (at byte 3)");
  expect(() => stack.branchToo(7, 4)).toThrow("it branches to label 7, and there are only 2 (at byte 4)");
  expect(() => stack.else(5)).toThrow("it has an else without an if (at byte 5)");
  stack.close(6);
  expect(() => stack.handler(7)).toThrow("it has a catch without a try (at byte 7)");
});
