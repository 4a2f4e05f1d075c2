import { GRAMMARS } from "./grammar.ts";
import { wordsOf } from "./words.ts";

/** A construction, and the plain verb with its subject and object that says the same. */
interface Paraphrase {
  /** It is read for questions of these outcomes, or of any outcome. */
  readonly outcomes?: readonly string[];
  /** A pattern that the question matches. */
  readonly asks?: RegExp;
  readonly from: RegExp;
  /** The plain words, with the groups of `from`. */
  readonly to: string;
}

/** The beginning of a clause. A conjunction stays before the plain words, so that it governs them. */
const START = String.raw`(?<=^|[,;:–—]\s|\b(?:that|if|whether|when|after|before|because|and|but|as|while|unless)\s)`;
/** Words of one clause. */
const NP = String.raw`(?:(?!\b(?:that|if|whether|when|after|before|because|and|but|as|while|unless|who|which|whose)\b)[^,;:–—.()?!"“”])`;
/** A name and its parts, to the next preposition or mark. */
const NAME = String.raw`(?:(?:the|an?)\s)?(?:[\p{L}'’-]+\s){0,3}?\p{Lu}[\p{L}'’.-]*(?:\s(?:(?:of|de|da|van|von|the)\s)*\p{Lu}[\p{L}'’-]*)*`;
const BODY = String.raw`(?:[Tt]he\s|\p{Lu}[\p{L}-]*['’]s\s)?(?:(?:\p{Lu}[\p{L}-]*|national|federal|state|city|lower|upper)\s){0,2}(?:[Ss]enate|[Pp]arliament|[Cc]ongress|[Aa]ssembly|[Cc]ouncil|[Cc]hamber|[Ll]egislature|[Hh]ouse|[Bb]oard)(?:\sof\s(?:the\s)?\p{Lu}[\p{L}-]*(?:\s\p{Lu}[\p{L}-]*)*)?(?!['’]|\s(?:\p{L}+\s){0,2}(?:committee|panel|subcommittee|caucus|group|members?|president|speaker|leader))`;
/** Groups of people who vote, with their owner. */
const VOTERS = String.raw`(?:[Tt]he\s|\p{Lu}[\p{L}-]*(?:\s\p{Lu}[\p{L}-]*){0,3}['’]s?\s)?(?:[Ss]hareholders|[Mm]embers|[Vv]oters|[Dd]elegates|[Cc]reditors|[Ww]orkers|[Rr]esidents|[Ll]awmakers|[Dd]eputies|[Ss]enators|MPs)(?:\s(?:of|in|at)\s(?:the\s)?\p{Lu}[\p{L}-]*(?:\s\p{Lu}[\p{L}-]*)*)?`;
const NUMBER = String.raw`(?:(?:some|about|around|only|just|more\sthan|over|nearly|almost|roughly|at\sleast|a\stotal\sof)\s)?(?:\d[\d.,]*\d|\d)(?:\s(?:thousand|million))?`;
const HAS = String.raw`(?:ha[sd]\s|have\s)?`;
const CAN_BE_WON = String.raw`(?:title|championship|crown|trophy|cup|promotion|victory|prize|award|medal|gold)`;

const CLEARANCE = String.raw`(?:(?:final|full|formal|regulatory|marketing)\s)?(?:approval|authori[sz]ation|clearance)`;

const WIN = ["win", "win award"];
const APPROVE = ["approve", "enact", "reject"];
const RE_ELECTED = { outcomes: ["win", "elect"], asks: /\bre-?elect/iu };

function paraphrase(from: string, to: string, rest: Pick<Paraphrase, "outcomes" | "asks">): Paraphrase {
  return { ...rest, from: new RegExp(from, "iu"), to };
}

const PLACES = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");
const TOPS = "one two three four five six seven eight nine ten".split(" ");

function placesOf(list: readonly string[]): string {
  return `(?:finished|came|placed|ended)\\s(?:in\\s)?(?:${list.join("|")})(?:\\splace)?\\b`;
}

/** "finished third" for "finish in the top four", by the number of the question. */
const RANKS = TOPS.flatMap((top, at) => {
  const asks = new RegExp(`\\btop\\s(?:${top}|${at + 1})\\b`, "iu");
  return [
    paraphrase(placesOf(PLACES.slice(0, at + 1)), `finished in the top ${top}`, { asks }),
    paraphrase(placesOf([...PLACES.slice(at + 1), "last"]), `did not finish in the top ${top}`, { asks }),
  ];
});

const PARAPHRASES: readonly Paraphrase[] = [
  ...RANKS,
  paraphrase(
    "(?<=(?:won|wins|took|takes|claimed|earned)\\s)(?:an?\\s|the\\s)?(?:gold|silver|bronze)\\b(?:\\smedal)?",
    "a medal",
    {
      asks: /\ba\smedal\b/iu,
    },
  ),
  // "Best Actress went to Lena Okoro"
  paraphrase(
    `${START}(?<prize>${NP}{3,80}?)\\s${HAS}(?:went|goes|gone)\\s(?:(?:on|in|at)\\s[^,;.]{2,24}?\\s)?to\\s(?-i:(?<winner>${NAME}))`,
    "$<winner> won $<prize>",
    { outcomes: WIN },
  ),
  paraphrase(
    "(?:won|wins|picked\\sup|picks\\sup|took\\shome|takes\\shome|collected|collects|received|receives|scooped|claimed|claims|landed|earned)\\s(?:the|a)\\s(?:[\\p{L}-]+\\s){0,2}?(?:prize|award|trophy|honou?r)\\sfor\\s(?=(?-i:\\p{Lu}))",
    "won ",
    { outcomes: WIN },
  ),
  paraphrase(
    "(?:was|is|has\\sbeen)\\s(?:named|voted|crowned|declared|chosen\\sas)\\s(?=(?:the\\s|\\d{4}\\s)*(?-i:\\p{Lu}))",
    "won ",
    {
      outcomes: WIN,
    },
  ),
  // "The winner of the cup is Velmoor"
  paraphrase(
    `${START}the\\s(?:winner|champion)\\s(?:of|at)\\s(?<prize>${NP}{3,60}?)\\s(?:is|was)\\s(?-i:(?<winner>${NAME}))`,
    "$<winner> won $<prize>",
    { outcomes: WIN },
  ),
  paraphrase(`(?:lost\\sout|loses\\sout)\\s(?:to\\s(?-i:${NAME})\\s)?(?:for|on|in)\\s`, "lost ", { outcomes: WIN }),
  paraphrase(
    `${START}(?-i:(?<loser>${NAME}))\\s(?:was|were|has\\sbeen)\\s(?:beaten|defeated)\\sby\\s(?-i:(?<winner>${NAME}))`,
    "$<winner> beat $<loser>",
    { outcomes: WIN },
  ),
  paraphrase(
    `${START}(?-i:(?<loser>${NAME}))\\s${HAS}(?:lost|loses)\\s(?:[\\d,\\s-]+\\s)?to\\s(?-i:(?<winner>${NAME}))`,
    "$<winner> beat $<loser>",
    { outcomes: WIN },
  ),
  paraphrase(
    "(?:came|comes|finished|finishes|placed)\\sfirst\\s(?:in|at)\\s|took\\sfirst\\splace\\s(?:in|at)\\s",
    "won ",
    {
      outcomes: WIN,
    },
  ),
  paraphrase(
    "(?:came|comes|finished|finishes|placed)\\s(?:second|third|fourth|fifth|last|\\d+(?:nd|rd|th))\\s(?:in|at)\\s",
    "lost ",
    { outcomes: WIN },
  ),
  paraphrase(`seal(?:s|ed)\\s(?=(?:the|an?|their|its|his|her)\\s(?:[\\p{L}\\d-]+\\s){0,4}?${CAN_BE_WON}\\b)`, "won ", {
    outcomes: WIN,
  }),
  paraphrase(
    `${START}(?<bill>${NP}{3,80}?)\\s${HAS}(?:cleared|clears|passed|passes|got\\sthrough|gets\\sthrough)\\s(?-i:(?<body>${BODY}))`,
    "$<body> passed $<bill>",
    { outcomes: APPROVE },
  ),
  paraphrase(
    `${START}(?<bill>${NP}{3,80}?)\\s${HAS}(?:failed|fails|fell|was\\sdefeated|been\\sdefeated|is\\sdefeated)\\s(?:to\\spass\\s)?in\\s(?-i:(?<body>${BODY}))`,
    "$<body> rejected $<bill>",
    { outcomes: APPROVE },
  ),
  paraphrase(
    `${START}(?-i:(?<body>${BODY}|${VOTERS}))\\s${HAS}voted\\s(?:in\\sfavou?r\\sof|for)\\s(?!\\p{L}+ing\\s)`,
    "$<body> approved ",
    {
      outcomes: APPROVE,
    },
  ),
  paraphrase(
    `${START}(?-i:(?<body>${BODY}|${VOTERS}))\\s${HAS}voted\\sagainst\\s(?!\\p{L}+ing\\s)`,
    "$<body> rejected ",
    {
      outcomes: APPROVE,
    },
  ),
  paraphrase(`voted\\s${NP}{1,40}?\\sto\\s(?=(?:pass|approve|adopt|reject|ratify|back)\\s)`, "voted to ", {
    outcomes: APPROVE,
  }),
  paraphrase(
    `${START}(?<thing>${NP}{3,80}?)\\s${HAS}(?:won|wins|gained|gains|received|receives|secured|secures|obtained|got|gets)\\s${CLEARANCE}\\s(?:from|by)\\s(?=(?:the\\s)?(?-i:\\p{Lu}))`,
    "$<thing> was approved by ",
    { outcomes: APPROVE },
  ),
  paraphrase(
    `${START}(?<firm>${NP}{3,60}?)\\s${HAS}(?:won|wins|gained|gains|received|receives|secured|secures|obtained|got|gets)\\s${CLEARANCE}\\s(?:for|of)\\s(?:its\\s|their\\s)?(?<thing>${NP}{3,60}?)(?=\\s(?:in|from|by|on|after)\\s|[.,;]|$)`,
    "$<firm>'s $<thing> was approved",
    { outcomes: APPROVE, asks: /\bapproved\b/iu },
  ),
  paraphrase(`(?:was|were|been)\\s(?:denied|refused)\\s${CLEARANCE}\\b`, "was rejected", { outcomes: APPROVE }),
  paraphrase(`(?:denied|denies|refused|refuses|withheld)\\s${CLEARANCE}\\s(?:for|to|of)\\s`, "rejected ", {
    outcomes: APPROVE,
  }),
  paraphrase(
    "(?:granted|grants|gave|gives|given)\\s(?:(?:its|the|their)\\s)?(?:(?:final|full|formal)\\s)?(?:approval|authori[sz]ation|clearance|backing|assent|consent|green\\slight|go-ahead|blessing)\\sto\\s",
    "approved ",
    { outcomes: APPROVE },
  ),
  paraphrase(
    "(?:dismiss(?:es|ed)|reject(?:s|ed)|threw\\sout|throws\\sout|turned\\sdown)\\s(?:the|an?|all|every)\\s(?:[\\p{L}-]+\\s)?(?:challenges?|appeals?|petitions?|complaints?|lawsuits?)\\s(?:to|against|over)\\s",
    "upheld ",
    { outcomes: ["cancel", "repeal", "uphold"] },
  ),
  paraphrase("won\\s(?:an?|another|her|his|their)\\s(?:[\\p{L}-]+\\s){0,2}?term\\b", "won re-election", RE_ELECTED),
  paraphrase(
    "(?:was|been|is)\\sre-?elected(?:\\s(?:as\\s)?(?:mayor|president|governor|senator|chancellor|prime\\sminister|leader|chair))?",
    "won re-election",
    RE_ELECTED,
  ),
  paraphrase(
    `${START}(?<voters>${NP}{3,60}?)\\s${HAS}returned\\s(?-i:(?<who>${NAME}))\\sto\\s(?:office|power)`,
    "$<who> won re-election",
    RE_ELECTED,
  ),
  paraphrase(
    `${START}(?-i:(?<rival>${NAME}))\\s${HAS}(?:unseat(?:s|ed))\\s(?-i:(?<who>${NAME}))`,
    "$<who> lost re-election to $<rival>",
    RE_ELECTED,
  ),
  paraphrase(
    "(?:was|been|is)\\s(?:unseated|voted\\sout|(?:defeated|beaten)(?=\\sby\\s))",
    "lost re-election",
    RE_ELECTED,
  ),
  paraphrase(
    "in\\s(?:the|a)\\sfirst\\s(?:round|vote)\\b(?:,?\\savoiding\\sa\\srun-?off)?|outright\\b",
    "without a runoff",
    { outcomes: WIN, asks: /\bwithout\sa\srun-?off/iu },
  ),
  paraphrase(
    "(?:w[io]ns?|secure[sd]?|clinch(?:es|ed)|captured?|captures)\\s(?<party>(?:the|their|its)\\s(?:[\\p{L}'’-]+\\s){0,4}?)nomination\\b",
    "became $<party>candidate",
    { asks: /\bbecome\s.*\bcandidate\b/iu },
  ),
  paraphrase("(?:won|wins|secured|secures|earned|clinched|sealed|gained)\\spromotion\\b", "was promoted", {
    asks: /\bpromoted\b/iu,
  }),
  paraphrase(
    `(?<n>${NUMBER}\\s?(?:%|percent|per\\scent))\\sof\\s(?:the\\s)?(?:(?:registered|eligible)\\s)?voters\\s(?:turned\\sout|voted|took\\spart)\\b`,
    "turnout was $<n>",
    { asks: /\bturnout\b/iu },
  ),
  // "declared a candidacy for president", "is running for mayor"
  paraphrase(
    "(?:(?:declare[sd]?|announce[sd]?|launch(?:es|ed))\\s(?:a|her|his|their)\\s(?:candidacy|candidature|bid|campaign|run)|(?:enter(?:s|ed)|join(?:s|ed))\\sthe\\srace|(?<!\\b(?:who|which)\\s)(?:is|are)\\srunning)\\s(?=for\\b)",
    "ran ",
    { asks: /\brun\sfor\b/iu },
  ),
  paraphrase("conced(?:es|ed)\\s(?:defeat|the\\s(?:race|election))\\b", "lost re-election", RE_ELECTED),
  paraphrase("(?:approved|adopted|backed|passed|imposed|introduced)\\san?\\sban\\son\\s", "banned ", {
    outcomes: ["ban"],
  }),
  paraphrase(
    "(?:rejected|voted\\sdown|threw\\sout)\\s(?:a|the)\\s(?:proposed\\s|planned\\s)?ban\\son\\s",
    "did not ban ",
    {
      outcomes: ["ban"],
    },
  ),
  paraphrase("is\\s(?:the|its|their)\\snew\\s(?=\\p{L}+\\sof\\s)", "became ", {
    outcomes: ["become", "elect", "appoint"],
  }),
  paraphrase("(?:won|wins)\\s(?=(?:the|a)\\s(?:no-)?confidence\\svote)", "survived ", { outcomes: ["survive"] }),
  paraphrase(
    "ha(?:s|ve)\\sbeen\\s(?:in\\suse|in\\sservice|in\\soperation|open(?:\\sto\\s[\\p{L}\\s]{2,24}?)?)\\ssince\\s",
    "opened on ",
    {
      outcomes: ["open"],
    },
  ),
  paraphrase("(?:walked|walks)\\sfree\\sfrom\\s|left\\s(?=prison\\b)", "was released from ", { outcomes: ["free"] }),
  paraphrase("(?:was|is|been)\\staken\\sout\\sof\\sservice", "was withdrawn from service", {
    outcomes: ["cancel", "leave"],
  }),
  paraphrase(`${START}(?:construction|building|work)\\s(?:of|on)\\s`, "", { outcomes: ["complete"] }),
  paraphrase("(?:beg[au]n|begins|started|starts)\\s(?:selling|shipping)\\s", "released ", { outcomes: ["release"] }),
  paraphrase(
    "(?:hit|hits|reached|reaches)\\s(?:stores|shops|shelves|the\\sshelves|shop\\sshelves)\\b",
    "went on sale",
    {
      outcomes: ["release"],
    },
  ),
  paraphrase(
    "ha(?:s|ve)\\sbeen\\s(?:available|on\\ssale)(?:\\s(?:in|at)\\s(?:shops|stores))?\\ssince\\s",
    "went on sale on ",
    {
      outcomes: ["release"],
    },
  ),
  paraphrase(
    "lift(?:s|ed)\\s(?=(?:its|the|their|his|her)\\s(?:[\\p{L}-]+\\s){0,4}?(?:rates?|prices?|fares?|tax|wages?|dividend|forecast|target|fees?)\\b)",
    "raised ",
    { outcomes: ["rise", "fall"] },
  ),
  paraphrase(
    "(?:kept|keeps|left|leaves|held|holds|maintain(?:s|ed))\\s(?<rate>(?:its|the|their)\\s(?:[\\p{L}-]+\\s){0,4}?rates?)\\s(?:at|steady|on\\shold)\\b",
    "left $<rate> unchanged at",
    { outcomes: ["rise", "fall"] },
  ),
  paraphrase(
    "(?:missed|misses|fell\\sshort\\sof|falls\\sshort\\sof)\\s(?=(?:the|an?|her|his|their)\\s(?:[\\p{L}-]+\\s){0,4}?record\\b)",
    "did not break ",
    { outcomes: ["break"] },
  ),
  paraphrase(`claim(?:s|ed)\\s(?:the\\slives\\sof\\s)?(?<n>${NUMBER})\\s(?:lives|people)`, "killed $<n> people", {
    outcomes: ["die"],
  }),
];

const { says, doubts, denies, modal, not, hedge, have } = GRAMMARS.en;

/**
 * An English sentence with the plain verb for a construction that says the same: "X won the prize" for "The prize went to X". Undefined
 * without such a construction, or if other words may turn what it says.
 */
export function paraphraseOf(text: string, outcomes: ReadonlySet<string>, statement: string): string | undefined {
  for (const { outcomes: own, asks, from, to } of PARAPHRASES) {
    if (own?.some((one) => outcomes.has(one)) === false || asks?.test(statement) === false) continue;
    const found = from.exec(text);
    if (found === null || Object.values(found.groups ?? {}).some(isOpen)) continue;
    const plain = to.replaceAll(/\$<(\w+)>/gu, (_, name: string) => inside(found.groups?.[name] ?? ""));
    return text.slice(0, found.index) + plain + text.slice(found.index + found[0].length);
  }
  return undefined;
}

/** Words from the beginning of a sentence, elsewhere. */
function inside(words: string): string {
  return words.replace(/^(?:The|An?)(?=\s)/u, (article) => article.toLowerCase());
}

/** Whether words that stand for a thing or a person have a verb or a hedge of their own. */
function isOpen(words: string | undefined): boolean {
  return wordsOf(words ?? "").some(({ text, capital }) =>
    [doubts, denies, modal, not, hedge, have, ...(capital ? [] : [says])].some((set) => set.has(text)),
  );
}
