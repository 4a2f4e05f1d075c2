import { type SearchedNames } from "../extraction.ts";
import { endOfBlock, endOfValue } from "./code-values.ts";
import { isIn } from "./request-clients.ts";
import { MAX_OPTIONS_LENGTH, QUERY_KEY } from "./request-helpers.ts";
import { showsData } from "./shown-words.ts";

/** Maximum number of loaders and queries that are examined in one script. */
const MAX_EXAMINED = 200;

/** The functions of a router that load the data of a page before it is shown. */
const LOADER =
  /(?<![\w$.])(?:loader|clientLoader|beforeLoad|load)\s{0,3}(?::|=(?!=))\s{0,3}(?=async\b|function\b|\(|[\w$]{1,30}\s{0,3}=>)/g;

/**
 * The parts of a script that request data that the document contains: queries whose keys are in its data or that have a first value, and the
 * router's loaders if the page shows its data. They run when a user opens another page.
 */
export function answered(code: string, { data, shown }: SearchedNames): [start: number, end: number][] {
  const found = uncalledActions(code);
  let done = 0;
  const add = (start: number, end: number): void => {
    if (start < done) return;
    found.push([start, end]);
    done = end;
  };
  for (const { index, 1: key = "" } of code.matchAll(QUERY_KEY).take(MAX_EXAMINED)) {
    const open = code.lastIndexOf("{", index);
    if (index < done || open < done || index - open > MAX_OPTIONS_LENGTH) continue;
    const end = open + endOfValue(code.slice(open, open + MAX_OPTIONS_LENGTH), 0);
    if (isIn(data, key) || /\binitialData\s{0,3}:/.test(code.slice(open, end))) add(open, end);
  }
  if (data === "" || !showsData(data, shown)) return found;
  done = 0;
  for (const { index, 0: whole } of code.matchAll(LOADER).take(MAX_EXAMINED)) {
    if (index >= done) add(index, endOfValue(code, index + whole.length));
  }
  return found;
}

/** The functions of a store: `actions: { async load() {} }`, `(set) => ({ load: async () => set(1) })`. */
const STORE =
  /(?:\bactions\s{0,3}:\s{0,3}|(?:(?<![\w$.])([\w$]{1,40})|\(\s{0,3}([\w$]{1,40})(?:\s{0,3},\s{0,3}[\w$]{1,40}){0,2}\s{0,3}\))\s{0,3}=>\s{0,3}\(\s{0,3})\{/g;
const ACTION =
  /(?<=[{,]\s{0,3})(?:async\s{1,3})?([A-Za-z_$][\w$]{0,60})\s{0,3}(?::\s{0,3}(?=async\b|function\b|\(|[\w$]{1,20}\s{0,3}=>)|(?=\([^()]{0,80}\)\s{0,3}\{))/g;

/** The actions of stores that nothing calls, in a script that exports nothing. */
function uncalledActions(code: string): [start: number, end: number][] {
  if (/(?<![\w$.])export\b/.test(code)) return [];
  const found: [start: number, end: number][] = [];
  let names: ReadonlyMap<string, number> | undefined;
  let done = 0;
  for (const { index, 0: whole, 1: alone, 2: first } of code.matchAll(STORE).take(MAX_EXAMINED)) {
    if (index < done) continue;
    const setter = alone ?? first;
    const open = index + whole.length - 1;
    done = endOfBlock(code, open);
    names ??= namesIn(code);
    const store = code.slice(open, done);
    let next = 0;
    for (const { index: at, 0: action, 1: name = "" } of store.matchAll(ACTION).take(MAX_EXAMINED)) {
      if (at < next) continue;
      const body = at + action.length;
      // A method has its block after its parameters.
      next = action.endsWith(":") ? endOfValue(store, body) : endOfBlock(store, body);
      const sets = setter === undefined || store.slice(body, next).includes(`${setter}(`);
      if (sets && names.get(name) === 1) found.push([open + at, open + next]);
    }
  }
  return found;
}

/** Counts the occurrences of each name in a script. */
function namesIn(code: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [name] of code.matchAll(/[A-Za-z_$][\w$]{0,80}/g)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
