import { type RE2JS } from "re2js";

/** Pairs of states that are examined. A pattern that needs more counts as too large. */
const MAX_PAIRS = 200_000;
/** Steps along edges without a character, over all states. */
const MAX_WALK = 500_000;

/** RE2JS's instructions (its `Inst`): the next instruction, and the characters that it accepts. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: ArrayLike<number>;
}

const ALTERNATIVES: ReadonlySet<number> = new Set([1, 2]);
const EMPTY: ReadonlySet<number> = new Set([3, 4, 7]);
const ONE_OF = 8;
const ANY_BUT_LINE_END = 11;

/** For each state that accepts a character: those that may accept the next, one for each way to it. */
type Automaton = ReadonlyMap<number, readonly number[]>;

/** The reason why a pattern takes exponential time in a backtracking matcher; empty: it does not. */
export function exponentialError(pattern: RE2JS): string {
  const code = instructionsOf(pattern);
  const follow = new Map<number, readonly number[]>();
  const ranges = new Map<number, Ranges>();
  let left = MAX_WALK;
  for (const [i, instruction] of code.entries()) {
    if (instruction.op < ONE_OF || instruction.op > ANY_BUT_LINE_END) continue;
    const { found, steps } = nextOf(code, instruction.out, left);
    left -= steps;
    if (left < 0) return TOO_LARGE;
    follow.set(i, found);
    ranges.set(i, rangesOf(instruction));
  }
  const loops = loopsOf(follow);
  const meets = (a: number, b: number): boolean => overlap(ranges.get(a) ?? [], ranges.get(b) ?? []);
  return splitsAndMeets(follow, loops, meets);
}

const TOO_LARGE = "it has too many ways to match to tell whether it takes exponential time";
const PRONE = "prone to take exponential time: a repeated part can match the same text in several ways";

function instructionsOf(pattern: RE2JS): readonly Instruction[] {
  // RE2JS has no types of its program. The tests fail if a new version has a different program.
  const { prog } = pattern.re2() as unknown as { prog: { inst: readonly Instruction[] } };
  return prog.inst;
}

/** The states that an instruction reaches without a character, one for each way; more than `most` steps: not all. */
function nextOf(
  code: readonly Instruction[],
  start: number,
  most: number,
): { found: readonly number[]; steps: number } {
  const found: number[] = [];
  const under = new Set<number>();
  let steps = 0;
  const walk = (at: number): void => {
    const instruction = code[at];
    if (instruction === undefined || under.has(at) || ++steps > most) return;
    const { op, out, arg } = instruction;
    if (op >= ONE_OF && op <= ANY_BUT_LINE_END) found.push(at);
    under.add(at);
    if (ALTERNATIVES.has(op) || EMPTY.has(op)) walk(out);
    if (ALTERNATIVES.has(op)) walk(arg);
    under.delete(at);
  };
  walk(start);
  return { found, steps };
}

/** The number of the loop that each state is part of. States of one loop can reach each other. */
function loopsOf(follow: Automaton): ReadonlyMap<number, number> {
  const before = new Map<number, number[]>();
  const order: number[] = [];
  const seen = new Set<number>();
  for (const root of follow.keys()) {
    const stack = [{ at: root, next: 0 }];
    if (seen.has(root)) continue;
    seen.add(root);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const to = follow.get(top.at)?.[top.next++];
      if (to === undefined) order.push(stack.pop()?.at ?? root);
      else {
        before.getOrInsertComputed(to, () => []).push(top.at);
        if (!seen.has(to)) stack.push({ at: to, next: 0 });
        seen.add(to);
      }
    }
  }
  const loops = new Map<number, number>();
  for (const root of order.toReversed()) {
    const stack = loops.has(root) ? [] : [root];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (loops.has(at)) continue;
      loops.set(at, root);
      stack.push(...(before.get(at) ?? []));
    }
  }
  return loops;
}

/** True if a text leads in two ways around a loop: each round doubles the ways (Weber and Seidl, 1991). */
function splitsAndMeets(
  follow: Automaton,
  loops: ReadonlyMap<number, number>,
  meets: (a: number, b: number) => boolean,
): string {
  const within = withinLoops(follow, loops);
  const seen = new Set<string>();
  const stack: [number, number][] = [];
  for (const at of within.keys()) stack.push([at, at]);
  let steps = 0;
  for (let pair = stack.pop(); pair !== undefined; pair = stack.pop()) {
    const [a, b] = pair;
    const [ofA, ofB] = [within.get(a) ?? NOTHING, within.get(b) ?? NOTHING];
    // States with the same followers, as at the ends of all alternatives, lead to the same pairs.
    const both = `${ofA.id} ${ofB.id} ${a === b ? "one" : "two"}`;
    if (seen.has(both)) continue;
    seen.add(both);
    for (const [i, toA] of ofA.next.entries()) {
      for (const [j, toB] of ofB.next.entries()) {
        if (++steps > MAX_PAIRS) return TOO_LARGE;
        const isOneWay = a === b && i === j;
        if (toA === toB && !isOneWay) return PRONE;
        const key = `${toA} ${toB}`;
        if (toA === toB || seen.has(key) || !meets(toA, toB)) continue;
        seen.add(key);
        stack.push([toA, toB]);
      }
    }
  }
  return "";
}

/** The followers of a state within its loop. Equal followers have the same `id`. */
interface Followers {
  readonly id: number;
  readonly next: readonly number[];
}

const NOTHING: Followers = { id: -1, next: [] };

function withinLoops(follow: Automaton, loops: ReadonlyMap<number, number>): ReadonlyMap<number, Followers> {
  const known = new Map<string, Followers>();
  const within = new Map<number, Followers>();
  for (const [at, all] of follow) {
    const next = all.filter((to) => loops.get(to) === loops.get(at));
    const key = next.join(" ");
    const followers = known.get(key) ?? { id: known.size, next };
    known.set(key, followers);
    within.set(at, followers);
  }
  return within;
}

/** The first and the last character of each range, in order. */
type Ranges = ArrayLike<number>;

const ALL: Ranges = [0, 0x10ffff];

/** The characters that a state accepts. */
function rangesOf({ op, runes }: Instruction): Ranges {
  if (op > ONE_OF + 1) return ALL;
  return runes.length === 1 ? [runes[0] ?? 0, runes[0] ?? 0] : runes;
}

function overlap(a: Ranges, b: Ranges): boolean {
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [lastOfA = 0, lastOfB = 0] = [a[i + 1], b[j + 1]];
    if ((a[i] ?? 0) <= lastOfB && (b[j] ?? 0) <= lastOfA) return true;
    if (lastOfA < lastOfB) i += 2;
    else j += 2;
  }
  return false;
}
