/** The command-line options of the benches that compare programs. */

export interface Rounds {
  readonly rounds: number;
  /** Seconds of each round. */
  readonly seconds: number;
}

/** Flags of every such bench, for `parseArgs`. */
export const ROUND_FLAGS = {
  only: { type: "string" },
  peers: { type: "string" },
  rounds: { type: "string", default: "3" },
  seconds: { type: "string", default: "3" },
} as const;

interface Named {
  readonly name: string;
}

/** The members of `known` that a comma-separated list names; without a list all. Throws for an unknown name. */
export function pick<T extends Named>(known: readonly T[], names: string | undefined): readonly T[] {
  if (names === undefined) return known;
  return names
    .split(",")
    .filter((name) => name !== "")
    .map((name) => {
      const found = known.find((candidate) => candidate.name === name);
      if (found === undefined) throw new RangeError(`unknown name "${name}"`);
      return found;
    });
}

/** Throws a RangeError if a text is not a number from 1 to 9999. */
export function readRounds(texts: { readonly rounds: string; readonly seconds: string }): Rounds {
  return { rounds: positive(texts.rounds, "rounds"), seconds: positive(texts.seconds, "seconds") };
}

function positive(text: string, flag: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new RangeError(`--${flag} takes a number from 1 to 9999, not "${text}"`);
  return Number(text);
}

/** The lines of a usage text that all benches share. */
export function usage(bench: string, lists: { cases: readonly Named[]; peers: readonly Named[] }, more = ""): string {
  const listed = (known: readonly Named[]): string => known.map(({ name }) => name).join(", ");
  return `usage: npm run bench -- ${bench} [--only CASE,...] [--peers NAME,...] [--rounds N] [--seconds N]${more}
cases: ${listed(lists.cases)}
peers: ${listed(lists.peers)} (--peers "" for none)`;
}
