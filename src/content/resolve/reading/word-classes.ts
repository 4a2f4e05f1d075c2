/** A set of words and prefixes, in lower case without accents. */
export class WordClass {
  readonly #words = new Set<string>();
  readonly #prefixes: string[] = [];

  constructor(words: string) {
    for (const word of words.split(" ")) {
      if (word.endsWith("*")) this.#prefixes.push(word.slice(0, -1));
      else if (word !== "") this.#words.add(word);
    }
  }

  has(word: string | undefined): boolean {
    if (word === undefined) return false;
    return this.#words.has(word) || this.#prefixes.some((prefix) => word.startsWith(prefix));
  }
}

/** Reads lines with the name and the words of a class each. A word with a star is a prefix. */
export function classesOf<Name extends string>(lines: string): Readonly<Record<Name, WordClass>> {
  const classes = lines
    .trim()
    .split("\n")
    .map((line) => line.split(": "))
    .map(([name = "", words = ""]) => [name, new WordClass(words)]);
  return Object.fromEntries(classes) as Record<Name, WordClass>; // The lines have a line for each name.
}

/** Reads groups of words between commas, and maps the words of a group to its first one. */
export function firstOf(groups: string): ReadonlyMap<string, string> {
  return new Map(
    groups.split(", ").flatMap((group) => {
      const [first = "", ...others] = group.split(" ");
      return others.map((other): [string, string] => [other, first]);
    }),
  );
}
