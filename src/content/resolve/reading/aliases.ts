const ACRONYM = /(?<![\p{L}\d])\p{Lu}{2,6}(?![\p{L}\d])/gu;
const SMALL = String.raw`(?:(?:of|for|and|on|the|&)\s)*`;
/** "Bitcoin (BTC)" */
const SYMBOL = /((?:\p{Lu}[\p{L}\d]*\s)*\p{Lu}[\p{L}\d]*)\s\(\$?([A-Z]{2,6})\)/gu;
/** A name that stands alone: not "Thailand's SEC". */
const START = String.raw`(?<!\p{L}|['’]s?\s)`;
const CEO = /(?<!\p{L})CEO(?!\p{L})/u;
const CHIEF = /(?<!\p{L})[Cc]hief\s[Ee]xecutive(?:\s[Oo]fficer)?(?!\p{L})/gu;

/** Countries and bodies with a short and a long name. */
const KNOWN = `
US|United States
UK|United Kingdom
EU|European Union
UN|United Nations
Fed|Federal Reserve
ECB|European Central Bank
BoE|Bank of England
BOJ|Bank of Japan
RBA|Reserve Bank of Australia
SNB|Swiss National Bank
IMF|International Monetary Fund
WHO|World Health Organization
ICC|International Criminal Court
FDA|Food and Drug Administration
EMA|European Medicines Agency
SEC|Securities and Exchange Commission
FTC|Federal Trade Commission
FCC|Federal Communications Commission
FAA|Federal Aviation Administration
EPA|Environmental Protection Agency
CMA|Competition and Markets Authority
DOJ|Department of Justice
BLS|Bureau of Labor Statistics
BEA|Bureau of Economic Analysis
ONS|Office for National Statistics
NHC|National Hurricane Center
ESA|European Space Agency
`
  .trim()
  .split("\n")
  .map((line) => line.split("|"))
  .map(([short = "", long = ""]) => bodyOf(short, long));

/**
 * Writes the names of a text as the statement does, and for a symbol in the question its name: "FDA" for "Food and Drug
 * Administration (FDA)", if the statement has "FDA", and the other way round. Initials stand only for a known body, or
 * for a name that the text gives with them.
 */
export function aliasesIn(statement: string, question = ""): (text: string) => string {
  const forms: [RegExp, string][] = [];
  for (const [, name = "", symbol = ""] of question.matchAll(SYMBOL)) forms.push([wordOf(symbol), name]);
  for (const { short, long, hasShort, hasLong, inLong, inShort } of KNOWN) {
    if (hasShort.test(statement)) forms.push([inLong, short]);
    else if (hasLong.test(statement)) forms.push([inShort, long]);
  }
  if (CEO.test(statement)) forms.push([CHIEF, "CEO"]);
  for (const [acronym] of statement.matchAll(ACRONYM)) {
    const name = Array.from(acronym, (letter) => String.raw`${letter}\p{Ll}[\p{L}-]+`).join(String.raw`\s${SMALL}`);
    forms.push([new RegExp(String.raw`${START}${name}\s\(${acronym}\)`, "gu"), acronym]);
  }
  return (text) => forms.reduce((plain, [from, to]) => plain.replace(from, to), text);
}

function wordOf(word: string, flags = "gu"): RegExp {
  return new RegExp(String.raw`(?<!\p{L})${word}(?!\p{L})`, flags);
}

interface Body {
  readonly short: string;
  readonly long: string;
  /** Whether a statement has the name. */
  readonly hasShort: RegExp;
  readonly hasLong: RegExp;
  /** The long name in a text, also with its country and its short name beside it. "Federal Reserve Bank of Denby" is another one. */
  readonly inLong: RegExp;
  readonly inShort: RegExp;
}

function bodyOf(short: string, long: string): Body {
  const dotted = /^U[SK]$/u.test(short) ? String.raw`|${short.split("").join(String.raw`\.`)}\.` : "";
  const name = String.raw`(?:U\.?S\.?\s)?${long}(?:\s(?:Board|System|of\sAmerica)|\s\(${short}\))?(?!\p{L}|\sBank)`;
  return {
    short,
    long,
    hasShort: wordOf(short, "u"),
    hasLong: wordOf(long, "u"),
    inLong: new RegExp(String.raw`${START}(?:${name}${dotted})`, "gu"),
    inShort: new RegExp(String.raw`${START}(?:${short}(?!\p{L})${dotted})`, "gu"),
  };
}
