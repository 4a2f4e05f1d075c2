import { HAS, NAME, type Paraphrase, paraphrase, START } from "./paraphrase.ts";

/** Offices that people elect, with the adjective and the noun of their elections. */
const OFFICES = [
  ["president", "presidential", "presidency"],
  ["mayor", "mayoral", "mayoralty"],
  ["governor", "gubernatorial", "governorship"],
] as const;

const ELECTION = String.raw`(?:elections?|race|run-?off|contest|vote|ballot|second\sround)`;
const MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)";
const PLACE = String.raw`(?!${MONTH}\b)(?-i:(?<place>\p{Lu}[\p{L}-]*(?:\s\p{Lu}[\p{L}-]*){0,2}))`;
const DAY = String.raw`(?:(?:Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day['’]s\s)`;
const ARTICLE = String.raw`(?:the\s|an?\s|${DAY})(?:\d{4}\s)?(?:(?:close|tight|hard-fought|snap|special)\s)?`;
/** Two to four names, of which none is that of a party. */
const PERSON = String.raw`(?-i:(?:(?!(?:Party|Alliance|Union|Bloc|Coalition|Movement|Front|Democrats?|Republicans?|Greens?|Labour|Conservatives?|Liberals?|Socialists?|League)\b)\p{Lu}[\p{L}'’.-]*\s?){2,4})(?<!\s)`;
const WIN = `${HAS}(?:won|wins|clinched|clinches|secured|secures|captured|captures|swept|claimed|claims|took|takes)\\s`;

/** The words behind a whole election. "In the northern districts" is behind a part of it. */
const BEHIND = String.raw`(?=[,.;]|\s(?:to|on|by|with|after|against|over|amid|late|early)\s(?!become|be|lead)|\sin\s(?-i:\p{Lu})|$)`;

/** Words of questions that ask more than who is elected. */
const HOW =
  /(?<!\p{L})(?:without|outright|first\sround|by\s(?:more|less|at|over|under)|percent|points?|margin|landslide|and)(?!\p{L})|%/iu;

/** For each office, the two forms of a question about its election, and the form that says who is elected. */
const ASKED = OFFICES.flatMap(([office, adjective, noun]) => {
  const election = String.raw`(?:${noun}|${adjective}\s${ELECTION})`;
  const subject = String.raw`^(?<subject>(?:will|did|has)\s${PERSON})\s(?:win|won)\s`;
  const rest = String.raw`(?:\s(?:in|of|for)\s(?<of>(?:the\s)?(?!${MONTH}\b)(?-i:\p{Lu}[\p{L}-]*(?:\s\p{Lu}[\p{L}-]*)*)))?`;
  const owned = `${subject}${PLACE}['’]s?\\s(?<year>\\d{4}\\s)?${election}`;
  const plain = `${subject}(?:the\\s)?(?<year>\\d{4}\\s)?(?:${PLACE}\\s)?${election}${rest}`;
  return [owned, plain].map((pattern) => ({ pattern: new RegExp(pattern, "iu"), turn: turned(office) }));
});

/** "win the mayoral election in Veldt" in a question: others elect the mayor. The office is that of the election. */
export function asElected(statement: string): string {
  if (HOW.test(statement)) return statement;
  return ASKED.reduce((text, { pattern, turn }) => text.replace(pattern, turn), statement)
    .replace(ON_DAY, " on ")
    .replace(IN_YEAR, " in $<year>");
}

function turned(office: string): (...match: unknown[]) => string {
  return (...match) => {
    const { subject = "", place, year, of = place } = match.at(-1) as Readonly<Record<string, string | undefined>>;
    const asked = /^will\s/iu.test(subject) ? `${subject} be` : subject.replace(/^(?:did|has)\s/iu, "was ");
    const where = of === undefined ? "" : ` of ${of}`;
    const when = year === undefined ? "" : ` in ${year.trim()}`;
    return `${asked} elected ${office}${where}${when}`;
  };
}

const ELECTED_IN = String.raw`(?<=\selected\s(?:president|mayor|governor)(?!\p{L})[^,?]*)\sin\sthe\s`;
const POLL = String.raw`(?:run-?off|second\sround|elections?|vote|poll)`;
/** "be elected mayor of Veldt in the run-off of 8 November", "in the 2026 election": the day or the year says which. */
const ON_DAY = new RegExp(
  `${ELECTED_IN}${POLL}\\s(?:of|on)\\s(?=(?:\\d{1,2}\\s\\p{L}|\\p{Lu}\\p{L}+\\s\\d{1,2}(?!\\d)))`,
  "iu",
);
const IN_YEAR = new RegExp(
  `${ELECTED_IN}(?:${POLL}\\s(?:of|in)\\s)?(?<year>(?:\\p{Lu}\\p{L}+\\s)?\\d{4})(?:\\s(?:\\p{L}+\\s)?${POLL})?`,
  "iu",
);

/** Constructions about who is elected to an office, for questions that name it. */
export const ELECTIONS: readonly Paraphrase[] = OFFICES.flatMap(([office, adjective, noun]) => {
  const asks = new RegExp(String.raw`\belected\s(?:as\s)?(?:the\s)?${office}\b`, "iu");
  const election = `(?:${noun}|${adjective}\\s${ELECTION})`;
  // A race or a vote without the office can be another one.
  const decided = `(?:${election}|elections?|run-?off|second\\sround)`;
  return [
    paraphrase(`${WIN}${PLACE}['’]s?\\s(?:\\d{4}\\s)?${election}`, `was elected ${office} of $<place>`, { asks }),
    paraphrase(
      `${WIN}${ARTICLE}(?:${PLACE}\\s)?${election}\\s(?:in|of)\\s(?=(?-i:\\p{Lu}))`,
      `was elected ${office} of `,
      { asks },
    ),
    paraphrase(
      `${WIN}${ARTICLE}${decided}\\s(?:for|to\\sbecome|to\\sbe)\\s(?:the\\s)?(?:next\\s|new\\s)?(?=${office}\\b)`,
      "was elected ",
      { asks },
    ),
    paraphrase(`${WIN}${ARTICLE}${decided}${BEHIND}`, `was elected ${office}`, { asks }),
    paraphrase(
      `${START}(?-i:(?<loser>${NAME}))\\s${HAS}(?:(?:lost|loses)\\s(?:${ARTICLE}${decided}\\s)?to|(?:was|were|been)\\s(?:beaten|defeated|ousted|unseated)\\sby)\\s(?-i:(?<winner>${NAME}))\\sin\\s(?:${ARTICLE}|(?-i:\\p{Lu}[\\p{L}-]*)['’]s\\s)${decided}`,
      `$<winner> was elected ${office}`,
      { asks },
    ),
    paraphrase(
      `(?:will\\sbe|is\\sto\\sbe|is|becomes)\\s(?:the\\s|(?-i:\\p{Lu}[\\p{L}-]*)['’]s\\s)(?:next\\s|new\\s)(?=${office}\\b[^.;]*\\safter\\s(?:winning|beating|defeating|an?\\s(?:\\p{L}+\\s)?victory))`,
      "was elected ",
      { asks },
    ),
    paraphrase(
      `(?:(?:lost|loses)\\s${ARTICLE}${decided}${BEHIND}|conced(?:es|ed)\\s(?:defeat(?!\\s(?:in|at|over)\\s(?!(?:the\\s)?(?:${adjective}\\s)?${ELECTION}))|${ARTICLE}${decided})|conced(?:es|ed)(?=\\sto\\s(?-i:\\p{Lu})|\\s(?:at|on|late|early|shortly)\\s|[.,;]|$))`,
      "lost",
      { asks },
    ),
  ];
});
