/** Short and long forms of names that initials do not give. */
const KNOWN: readonly (readonly [short: string, long: RegExp])[] = [
  ["Fed", /(?<!\p{L})Federal\sReserve(?:\sBoard|\sSystem)?(?!\p{L}|\sBank)/gu],
  ["US", /(?<!\p{L})(?:U\.S\.(?!\p{L})|United\sStates(?:\sof\sAmerica)?(?!\p{L}))/gu],
  ["CEO", /(?<!\p{L})[Cc]hief\s[Ee]xecutive(?:\s[Oo]fficer)?(?!\p{L})/gu],
  ["UK", /(?<!\p{L})(?:U\.K\.(?!\p{L})|United\sKingdom(?!\p{L}))/gu],
];
const LONG: readonly (readonly [long: string, short: RegExp])[] = [
  ["Federal Reserve", /(?<!\p{L})Fed(?!\p{L})/gu],
  ["United States", /(?<!\p{L})(?:US(?!\p{L})|U\.S\.)/gu],
  ["United Kingdom", /(?<!\p{L})(?:UK(?!\p{L})|U\.K\.)/gu],
];

const ACRONYM = /(?<![\p{L}\d])\p{Lu}{2,6}(?![\p{L}\d])/gu;
/** Initials of fewer words are those of too many names. */
const LEAST_WORDS = 3;
const SMALL = String.raw`(?:(?:of|for|and|on|the|&)\s)*`;
const LONG_NAME = new RegExp(String.raw`(?<!\p{L})\p{Lu}\p{Ll}[\p{L}-]+(?:\s${SMALL}\p{Lu}\p{Ll}[\p{L}-]+){2,5}`, "gu");
/** "Bitcoin (BTC)" */
const SYMBOL = /((?:\p{Lu}[\p{L}\d]*\s)*\p{Lu}[\p{L}\d]*)\s\(\$?([A-Z]{2,6})\)/gu;
const QUESTION = /^(?:Will|Did|Does|Do|Has|Have|Is|Are|Was|Were)\s/u;

/**
 * Writes the names of a text as the statement does, and for a symbol in the question its name: "FDA" for "Food and Drug Administration (FDA)", if the statement has
 * "FDA", and the other way round.
 */
export function aliasesIn(statement: string, question = ""): (text: string) => string {
  const forms: [RegExp, string][] = [];
  for (const [, name = "", symbol = ""] of question.matchAll(SYMBOL))
    forms.push([new RegExp(String.raw`(?<!\p{L})${symbol}(?!\p{L})`, "gu"), name]);
  for (const [short, long] of KNOWN) if (hasWord(statement, short)) forms.push([long, short]);
  for (const [long, short] of LONG) if (statement.includes(long)) forms.push([short, long]);
  for (const [acronym] of statement.matchAll(ACRONYM)) {
    const words = Array.from(acronym, (letter) => String.raw`${letter}\p{Ll}[\p{L}-]+`);
    if (words.length < LEAST_WORDS) continue;
    const name = words.join(String.raw`\s${SMALL}`);
    forms.push([new RegExp(String.raw`(?<!\p{L})(?:U\.?S\.?\s)?${name}(?:\s\(${acronym}\))?(?!\p{L})`, "gu"), acronym]);
  }
  for (const [name] of statement.replace(QUESTION, "").matchAll(LONG_NAME)) {
    const initials = [...name.matchAll(/(?<!\p{L})\p{Lu}/gu)].join("");
    if (initials.length >= LEAST_WORDS)
      forms.push([new RegExp(String.raw`(?<!\p{L})${initials}(?!\p{L})`, "gu"), name]);
  }
  return (text) => forms.reduce((plain, [from, to]) => plain.replace(from, to), text);
}

function hasWord(text: string, word: string): boolean {
  return new RegExp(String.raw`(?<!\p{L})${word}(?!\p{L})`, "u").test(text);
}
