import { type SearchedNames } from "../extraction.ts";
import { endOfValue } from "./code-values.ts";
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
  const found: [start: number, end: number][] = [];
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
