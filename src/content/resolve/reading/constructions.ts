/** A construction of a text, and the plain words that say the same. */
export interface Construction {
  /** It is read for questions of these outcomes. Empty: of any outcome. */
  readonly outcomes: readonly string[];
  /** A pattern that the question matches, if it is read for some questions only. */
  readonly asks: RegExp | undefined;
  readonly from: RegExp;
  /** The plain words: `$<name>` stands for a group of `from`. A part in square brackets is left out without its groups. */
  readonly to: string;
}

type Parts = Map<string, string>;

/**
 * Reads a table of constructions. Each of its lines is one of:
 * - `for OUTCOME, OUTCOME; asking PATTERN`: the questions for which the lines below it are read; "all" outcomes
 * - `PATTERN -> WORDS`: a construction, and its plain words
 * - `let NAME = PATTERN`: a part of the patterns below it: `{NAME}`, or `{group:NAME}` for a group of its own
 * - `# TEXT`: a comment
 *
 * A space stands for white space, and `_` for one at an end. Brackets without a name only group. Letters match in both
 * cases, but inside `(?-i:)`.
 */
export function constructionsIn(table: string): readonly Construction[] {
  const parts = partsIn(table, new Map(SHARED));
  let asked: Pick<Construction, "outcomes" | "asks"> = { outcomes: [], asks: undefined };
  return linesIn(table).flatMap((line): Construction[] => {
    if (line.startsWith("for ")) asked = askedIn(line.slice("for ".length), parts);
    const [from = "", to] = line.split(/ ->(?: |$)/u);
    if (to === undefined) return [];
    return [{ ...asked, from: new RegExp(patternOf(from, parts), "iu"), to: to.replaceAll(/^_|_$/gu, " ") }];
  });
}

function linesIn(table: string): string[] {
  return table
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

function partsIn(table: string, parts: Parts): Parts {
  for (const line of linesIn(table)) {
    const [, name, pattern = ""] = /^let (\w+) = (.*)$/u.exec(line) ?? [];
    if (name !== undefined) parts.set(name, patternOf(pattern, parts));
  }
  return parts;
}

function askedIn(text: string, parts: Parts): Pick<Construction, "outcomes" | "asks"> {
  const [outcomes = "", asks] = text.split("; asking ");
  return {
    outcomes: outcomes === "all" ? [] : outcomes.split(", "),
    asks: asks === undefined ? undefined : new RegExp(patternOf(asks, parts), "iu"),
  };
}

const WRITTEN: Readonly<Record<string, string>> = { " ": String.raw`\s`, "(": "(?:" };

/** The regular expression of a pattern in a table. */
function patternOf(text: string, parts: Parts): string {
  return text
    .replaceAll(/^_|_$/gu, " ")
    .replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]|\((?!\?)| /gu, (sign) => WRITTEN[sign] ?? sign)
    .replaceAll(/(?<!\\[pP])\{(?:(\w+):)?([A-Za-z]\w*)\}/gu, (_, group: string | undefined, name: string) => {
      const part = parts.get(name);
      if (part === undefined) throw new Error(`Cannot read the pattern ${text}: there is no part ${name}`);
      return group === undefined ? part : `(?<${group}>${part})`;
    });
}

export type Groups = Readonly<Record<string, string | undefined>>;

/** A text with the plain words of a construction. It stays as it is without the construction, or if groups do not fit. */
export function plainly(text: string, { from, to }: Construction, fits: (groups: Groups) => boolean): string {
  const found = from.exec(text);
  const groups: Groups = found?.groups ?? {};
  if (found === null || !fits(groups)) return text;
  const words = to
    .replaceAll(/\[(.*?\$<(\w+)>.*?)\]/gu, (_, part: string, name: string) => (groups[name] === undefined ? "" : part))
    .replaceAll(/\$<(\w+)>/gu, (_, name: string) => inside(groups[name] ?? ""));
  return text.slice(0, found.index) + words + text.slice(found.index + found[0].length);
}

/** Words from the beginning of a sentence, elsewhere. */
function inside(words: string): string {
  return words.replace(/^(?:The|An?)(?=\s)/u, (article) => article.toLowerCase());
}

/** Parts of patterns that several tables use. */
const SHARED = partsIn(
  String.raw`
    let Capital = (?-i:\p{Lu})
    # The beginning of a clause. A conjunction stays before the plain words, so that it governs them.
    let start = (?<=^|[,;:–—] | - |\b(that|if|whether|when|after|before|because|and|but|as|while|unless) )
    # A letter, and words of one clause
    let letter = ((?!\b(that|if|whether|when|after|before|because|and|but|as|while|unless|who|which|whose)\b)[^,;:–—.()?!"“”])
    let words = {letter}{3,80}?
    # A name and its parts, to the next preposition or mark
    let name = (?-i:((the|an?) )?([\p{L}'’-]+ ){0,3}?\p{Lu}[\p{L}'’.-]*( ((of|de|da|van|von|the) )*\p{Lu}[\p{L}'’-]*)*)
    let has = (ha[sd] |have )?
  `,
  new Map(),
);
