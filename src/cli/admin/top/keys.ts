export type Key =
  | "quit"
  | "suspend"
  | "sort"
  | "sort-back"
  | "reverse"
  | "focus"
  | "up"
  | "down"
  | "page-up"
  | "page-down"
  | "pause"
  | "help";

const ESCAPE = "\u001b";

const KEYS: Readonly<Record<string, Key>> = {
  q: "quit",
  Q: "quit",
  "\u0003": "quit",
  "\u0004": "quit",
  "\u001a": "suspend",
  s: "sort",
  S: "sort-back",
  r: "reverse",
  "\t": "focus",
  k: "up",
  [`${ESCAPE}[A`]: "up",
  [`${ESCAPE}OA`]: "up",
  j: "down",
  [`${ESCAPE}[B`]: "down",
  [`${ESCAPE}OB`]: "down",
  [`${ESCAPE}[5~`]: "page-up",
  [`${ESCAPE}[6~`]: "page-down",
  p: "pause",
  " ": "pause",
  h: "help",
  "?": "help",
};

/** A control sequence, or one character. */
const SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O[A-Za-z])|[^]/gu;

/** The actions of the typed keys, in order. Keys without an action are left out. */
export function readKeys(input: string): Key[] {
  return [...input.matchAll(SEQUENCE)].flatMap(([text]) => {
    const key = Object.hasOwn(KEYS, text) ? KEYS[text] : undefined;
    return key === undefined ? [] : [key];
  });
}
