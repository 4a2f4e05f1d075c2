/** Periods of a year that a text names by a word: quarters, halves, seasons, weeks and parts of a month. */

/** A period. Months are from 0, days from 1. */
export interface Period {
  readonly year: number | undefined;
  /** The month of which it is a part. */
  readonly month?: number | undefined;
  /** Days of the month. */
  readonly days?: readonly [first: number, last: number];
  /** Months of the year. From 12 on, they are of the next year. */
  readonly months?: readonly [first: number, last: number];
  /** Whether its ends are open, as of "mid-June". */
  readonly isVague: boolean;
  /** The part of a vague period that certainly belongs to it, in the same units. */
  readonly core?: readonly [first: number, last: number] | undefined;
}

/** The first and the last day or month of a vague period, and those of its core. */
type Window = readonly [first: number, last: number, coreFirst: number, coreLast: number];
type Groups = readonly (string | undefined)[];
type Reading = (groups: Groups) => Period | undefined;

const YEAR = "((?:19|20)\\d{2})(?!\\d|[/–-]\\d)";
const OF = "(?:\\s(?:of|de|del|du|di|do|im|in|des\\sjahres|de\\sl['’]année|dell['’]anno))?";

/** Ordinals in the languages that are read. */
const ORDINALS = [
  "first|1st|1\\.|erste[nrs]?|premi(?:er|ère)|1er|primer[ao]?|prim[ao]|primeir[ao]",
  "second|2nd|2\\.|zweite[nrs]?|deuxième|2e|segund[ao]|second[ao]",
  "third|3rd|3\\.|dritte[nrs]?|troisième|3e|tercer[ao]?|terz[ao]|terceir[ao]",
  "fourth|last|final|4th|4\\.|vierte[nrs]?|letzte[nrs]?|quatrième|derni(?:er|ère)|4e|cuart[ao]|últim[ao]|quart[ao]|ultim[ao]",
];
/** One of four ordinals, each in a group of its own. */
export const FIRST_OF_FOUR = `(?<![\\p{L}\\d])(?:${ORDINALS.map((names) => `(${names})`).join("|")})\\s`;
const FIRST_OF_TWO = `(?<![\\p{L}\\d])(?:${ORDINALS.slice(0, 2)
  .map((names) => `(${names})`)
  .join("|")})\\s`;

/** Early, mid and late. The end of a month is not vague. */
const PARTS =
  "(?<![\\p{L}])(?:(early|(?:beginning|start)\\sof|anfang|début|(?:principios|comienzos)\\sde|inizio|(?:início|começo)\\sde)|(mid|middle\\sof|mitte|mi|mediados\\sde|metà|meados\\sde)|(late|finales\\sde))[\\s-]";
const PART_DAYS: readonly Window[] = [
  [1, 14, 1, 10],
  [9, 22, 12, 18],
  [17, 31, 21, 31],
];
const PART_MONTHS: readonly Window[] = [
  [0, 4, 0, 2],
  [4, 8, 5, 6],
  [7, 11, 9, 11],
];
const WEEK_DAYS: readonly Window[] = [
  [1, 9, 1, 7],
  [7, 16, 8, 14],
  [14, 23, 15, 21],
  [20, 31, 25, 31],
];

const SEASONS =
  "(?:(spring|frühling|frühjahr|printemps|primavera)|(summer|sommer|été|verano|estate|verão)|(autumn|(?<=(?:in|by|before|until|the|this)\\s)fall|herbst|automne|otoño|autunno|outono)|(winter|hiver|invierno|inverno))";
/** Of the northern hemisphere. The winter of a year may begin or end in it. */
const SEASON_MONTHS: readonly Window[] = [
  [2, 5, 3, 4],
  [5, 8, 6, 7],
  [8, 11, 9, 10],
  [0, 14, 0, 1],
];

/** The forms in which texts name periods, and how to read their groups. `months` matches the names of months, and `monthOf` reads one. */
export function periodForms(
  months: string,
  monthOf: (name: string | undefined) => number | undefined,
): readonly (readonly [RegExp, Reading])[] {
  const form = (pattern: string, read: Reading): readonly [RegExp, Reading] => [new RegExp(pattern, "giu"), read];
  const month = `(?:(${months})(?:,?\\s(?:de\\s|del\\s)?${YEAR})?|${YEAR})(?![\\p{L}\\d])`;
  return [
    form(`\\bQ([1-4])[\\s-](?:of\\s)?${YEAR}`, ([number, year]) => third(Number(number) - 1, year)),
    form(`${FIRST_OF_FOUR}(?:quarter|quartal|trimestre)${OF}\\s${YEAR}`, ([a, b, c, d, year]) =>
      third(whichOf([a, b, c, d]), year),
    ),
    form(`\\bH([12])[\\s-](?:of\\s)?${YEAR}`, ([number, year]) => half(Number(number) - 1, year)),
    form(
      `${FIRST_OF_TWO}(?:half|six\\smonths|halbjahr|jahreshälfte|hälfte|semestre|moitié|mitad|metà|metade)${OF}\\s${month}`,
      ([first, , name, year, bare]): Period => {
        if (name === undefined) return half(first === undefined ? 1 : 0, bare);
        const days = first === undefined ? ([16, 31] as const) : ([1, 15] as const);
        return { year: yearOf(year), month: monthOf(name), days, isVague: false };
      },
    ),
    form(
      `${FIRST_OF_FOUR}(?:week|woche|semaine|semana|settimana)${OF}\\s${month}`,
      ([a, b, c, d, name, year]): Period | undefined =>
        name === undefined
          ? undefined
          : { year: yearOf(year), month: monthOf(name), ...vague("days", windowOf(WEEK_DAYS, [a, b, c, d])) },
    ),
    form(`${PARTS}${month}`, ([a, b, c, name, year, bare]) =>
      name === undefined
        ? { year: yearOf(bare), ...vague("months", windowOf(PART_MONTHS, [a, b, c])) }
        : { year: yearOf(year), month: monthOf(name), ...vague("days", windowOf(PART_DAYS, [a, b, c])) },
    ),
    form(`(?<![\\p{L}])${SEASONS}${OF}\\s${YEAR}`, ([a, b, c, d, year]) => ({
      year: yearOf(year),
      ...vague("months", windowOf(SEASON_MONTHS, [a, b, c, d])),
    })),
  ];
}

function vague(
  unit: "days" | "months",
  [first, last, ...core]: Window,
): Pick<Period, "days" | "months" | "core" | "isVague"> {
  return { [unit]: [first, last], core, isVague: true };
}

/** The window of the name that a text has. */
function windowOf(windows: readonly Window[], names: Groups): Window {
  return windows[whichOf(names)] as Window; // The pattern has matched one of the names.
}

function whichOf(names: Groups): number {
  return names.findIndex((name) => name !== undefined);
}

function yearOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function third(at: number, year: string | undefined): Period {
  return { year: yearOf(year), months: [3 * at, 3 * at + 2], isVague: false };
}

function half(at: number, year: string | undefined): Period {
  return { year: yearOf(year), months: [6 * at, 6 * at + 5], isVague: false };
}
