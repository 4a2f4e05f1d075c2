import {
  type Paraphrase,
  START,
  NP,
  NAME,
  HAS,
  CAN_BE_WON,
  WIN,
  ELECTED,
  RE_ELECTED,
  paraphrase,
} from "./paraphrase.ts";

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

const PROMOTE = { asks: /\bpromoted\b/iu };
const BEAT = { asks: /\b(?:beat|defeat)\b/iu };
/** A draw decides a match of a league, and no final. */
const DRAWN = { asks: /^(?!.*\b(?:final|cup|play-?offs?|round|tie|penalties)\b).*\b(?:beat|defeat)\b/iu };
/** Constructions about who wins, is elected, or goes up or down. */
export const WINS: readonly Paraphrase[] = [
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
    WIN,
  ),
  paraphrase(
    "(?:won|wins|picked\\sup|picks\\sup|took\\shome|takes\\shome|collected|collects|received|receives|scooped|claimed|claims|landed|earned)\\s(?:the|a)\\s(?!runner|second|third|consolation)(?:[\\p{L}-]+\\s){0,2}?(?:prize|award|trophy|honou?r)\\sfor\\s(?=(?-i:\\p{Lu}))",
    "won ",
    WIN,
  ),
  paraphrase(
    "(?:was|is|has\\sbeen)\\s(?:named|voted|crowned|declared|chosen\\sas)\\s(?=(?:the\\s|\\d{4}\\s)*(?-i:\\p{Lu}))",
    "won ",
    WIN,
  ),
  // "were crowned Harvest Cup champions", "A late header gave Westmere the Harvest Cup"
  paraphrase(
    "(?:(?:are|is|were|was|has\\sbeen|have\\sbeen)\\s(?:crowned|named|declared)|are|is|became)\\s(?:the\\s)?(?<cup>(?:\\d{4}\\s)?(?-i:\\p{Lu})[^,;.]{2,50}?)\\schampions?\\b(?!\\s(?-i:\\p{Lu})|['’-])",
    "won the $<cup>",
    WIN,
  ),
  paraphrase(
    `^.*?\\sgave\\s(?-i:(?<who>${NAME}))\\s(?=the\\s(?:(?!(?:of|in|for|to|at)\\s)[\\p{L}\\d-]+\\s){0,4}?${CAN_BE_WON}\\b(?!\\s(?:final|semi|match|game|holders?)))`,
    "$<who> won ",
    WIN,
  ),
  paraphrase(
    `(?:claim(?:s|ed)|collected|bagged|landed)\\s(?=(?:the|their|its|her|his)\\s(?:(?!(?:of|in|for|to|at)\\s)[\\p{L}\\d-]+\\s){0,4}?${CAN_BE_WON}\\b(?!\\s(?:final|semi|match|game|holders?)|[^,.;]*\\s(?:was|is|were|are|had|has|have|would|will|should|belong\\p{L}*)\\b))`,
    "won ",
    WIN,
  ),
  // "were knocked out of the cup", "was beaten in the quarter-finals of the open"
  paraphrase(
    "(?:(?:was|were|been|are|is)\\s(?:knocked\\sout|eliminated|dumped\\sout)|crash(?:ed|es)\\sout|bow(?:ed|s)\\sout|withdrew|pulled\\sout)\\s(?:of|from)\\s(?=the\\s)",
    "lost ",
    { ...WIN, asks: /\bwin\b/iu },
  ),
  paraphrase(
    `(?:was|were|been|is|are)\\s(?:beaten|defeated)\\s(?:by\\s(?-i:${NAME})\\s)?in\\sthe\\s(?:semi-?finals?|quarter-?finals?|(?:first|second|third|fourth)\\sround|final)\\s(?:of|at)\\s`,
    "lost ",
    WIN,
  ),
  // "The committee has decided to award the prize to Lena Okoro"
  paraphrase(
    `${START}(?:${NP}{3,80}?)\\s${HAS}(?:(?:decided|voted|chosen)\\sto\\s)?(?:award(?:ed|s)?|gave|given|presented|conferred)\\s(?<prize>(?:the|its)\\s[^,;.]{3,60}?)\\s(?:to|(?<=conferred.*)on)\\s(?-i:(?<winner>${NAME}))`,
    "$<winner> won $<prize>",
    WIN,
  ),
  // "The electoral commission declared Irena Vasko the winner of the election", "The winner of the cup is Velmoor"
  paraphrase(
    `${START}the\\s(?:(?:central|national|federal|independent|state)\\s)?elect(?:oral|ions?)\\s(?:commission|authority|board|committee)\\s${HAS}declared\\s(?-i:(?<winner>${NAME}))\\s(?:as\\s|to\\sbe\\s)?the\\swinner\\s(?:of|in)\\s`,
    "$<winner> won ",
    ELECTED,
  ),
  paraphrase(
    `${START}the\\s(?:winner|champion)\\s(?:of|at)\\s(?<prize>${NP}{3,60}?)\\s(?:is|was)\\s(?-i:(?<winner>${NAME}))`,
    "$<winner> won $<prize>",
    WIN,
  ),
  paraphrase(`(?:lost\\sout|loses\\sout)\\s(?:to\\s(?-i:${NAME})\\s)?(?:for|on|in)\\s`, "lost ", WIN),
  paraphrase(
    `${START}(?-i:(?<loser>${NAME}))\\s(?:was|were|has\\sbeen)\\s(?:beaten|defeated)\\sby\\s(?-i:(?<winner>${NAME}))`,
    "$<winner> beat $<loser>",
    ELECTED,
  ),
  paraphrase(
    `${START}(?-i:(?<loser>${NAME}))\\s${HAS}(?:lost|loses)\\s(?:[\\d,\\s-]+\\s)?to\\s(?-i:(?<winner>${NAME}))`,
    "$<winner> beat $<loser>",
    WIN,
  ),
  paraphrase(
    "(?:came|comes|finished|finishes|placed)\\s(?:second|third|fourth|fifth|last|\\d+(?:nd|rd|th))\\s(?:in|at)\\s",
    "lost ",
    WIN,
  ),
  paraphrase(
    `seal(?:s|ed)\\s(?=(?:the|an?|their|its|his|her)\\s(?:[\\p{L}\\d-]+\\s){0,4}?${CAN_BE_WON}\\b)`,
    "won ",
    WIN,
  ),
  paraphrase(
    "won\\s(?:an?|another|her|his|their)\\s(?:[\\p{L}-]+\\s){0,2}?term\\b|(?:was|been|is)\\sre-?elected(?:\\s(?:as\\s)?(?:mayor|president|governor|senator|chancellor|prime\\sminister|leader|chair))?",
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
    "(?:was|been|is)\\s(?:unseated|voted\\sout|(?:defeated|beaten)(?=\\sby\\s))|conced(?:es|ed)\\s(?:defeat|the\\s(?:race|election))\\b",
    "lost re-election",
    RE_ELECTED,
  ),
  paraphrase(
    "in\\s(?:the|a)\\sfirst\\s(?:round|vote)\\b(?:,?\\savoiding\\sa\\srun-?off)?|outright\\b",
    "without a runoff",
    { ...WIN, asks: /\bwithout\sa\srun-?off/iu },
  ),
  paraphrase(
    "(?:w[io]ns?|secure[sd]?|clinch(?:es|ed)|captured?|captures)\\s(?<party>(?:the|their|its)\\s(?:[\\p{L}'’-]+\\s){0,4}?)nomination\\b",
    "became $<party>candidate",
    { asks: /\bbecome\s.*\bcandidate\b/iu },
  ),
  paraphrase("(?:won|wins|secured|secures|earned|clinched|sealed|gained)\\spromotion\\b", "was promoted", PROMOTE),
  // "chose Bellamy as their mayor"
  paraphrase(
    `(?:chose|chooses|picked|picks|elected|elects|selected|selects)\\s(?-i:(?<who>${NAME}))\\s(?:as|to\\sbe)\\s(?:their|its|the)\\s(?:next\\s|new\\s)?`,
    "elected $<who> ",
    { outcomes: ["elect"] },
  ),
  paraphrase(
    "conced(?:es|ed)\\s(?:defeat\\s(?:in|at)\\s|(?=(?:the|a)\\s(?:[\\p{L}-]+\\s){0,3}?(?:race|election|contest|run-?off)\\b))",
    "lost ",
    ELECTED,
  ),
  paraphrase(
    `(?:swept|romped|stormed|cruised|sailed|strolled|surged|coasted|powered|raced|eased)\\sto\\s(?:an?\\s(?:[\\p{L}-]+\\s){0,2}?)?(?:victory|win|triumph)\\s(?:in|at)\\s`,
    "won ",
    ELECTED,
  ),
  // "Petr Dolan defeated Irena Vasko in the election"
  paraphrase(
    `(?:beat(?:s|en)?|defeat(?:s|ed)|overcame|ousted|edged(?:\\sout)?|outpolled|trounced|thrashed|unseated)\\s(?!by\\s)(?-i:${NAME})(?:\\sby\\s[^,;]{2,30}?|\\s\\d[\\d\\s,–-]*)?\\s(?:to\\swin|(?:in|for)(?=[^,;.]{1,60}?\\b(?:elections?|votes?|race|run-?off|ballot|contest|primary|referendum|seat|leadership|presidency|nomination|final|decider|match|game|fight|bout|derby|duel|play-?off)\\b))\\s(?=(?:the|an?|(?-i:\\p{Lu}[\\p{L}-]*['’]s))\\s)`,
    "won ",
    { ...ELECTED, asks: /^(?!.*\b(?:beat|defeat))/iu },
  ),
  paraphrase("(?:dropped|went\\sdown|fell)\\s(?:out\\sof|from)\\s", "was relegated from ", { outcomes: ["relegate"] }),
  paraphrase(
    `^.*?(?:confirmed|sealed|completed)\\s(?-i:(?<who>${NAME}))['’]s?\\srelegation\\b`,
    "$<who> was relegated",
    { outcomes: ["relegate"] },
  ),
  paraphrase(
    "(?:secured|sealed|kept|preserved|guaranteed)\\s(?:their|its)\\s(?:place|spot|status|survival)\\sin\\s|(?:survived|stayed\\sup)\\sin\\s|(?:avoided|escaped)\\srelegation\\sfrom\\s",
    "stayed up in ",
    { outcomes: ["relegate"] },
  ),
  paraphrase(
    `(?:named|nominated|picked|chose|selected)\\s(?-i:(?<who>${NAME}))\\s(?:as\\s(?:(?:his|her|the|its|a)\\s)?nominee\\s)?(?:for|to)\\s`,
    "nominated $<who> to ",
    { outcomes: ["nominate"] },
  ),
  paraphrase(
    "(?:missed|misses|fell\\sshort\\sof|falls\\sshort\\sof)\\s(?=(?:the|an?|her|his|their)\\s(?:[\\p{L}'’-]+\\s){0,4}?record\\b)",
    "did not break ",
    { outcomes: ["break"] },
  ),
  // "took 32 seconds off the record"
  paraphrase(
    `(?:took|takes|shaved|shaves|sliced|knocked|cut)\\s[^,;.]{3,40}?\\soff\\s(?=(?:the|an?|her|his|their)\\s(?:[\\p{L}'’-]+\\s){0,4}?record\\b)`,
    "broke ",
    { outcomes: ["break"] },
  ),
  paraphrase("(?:missed|misses)\\s(?:out\\son\\s)?promotion\\b", "was not promoted", PROMOTE),
  // "headed in the winner", "bagged a brace"
  paraphrase(
    "(?:(?:headed|heads|volleyed|volleys|fired|fires|slotted|slots|tapped|taps|curled|curls|drilled|drills|poked|pokes|bundled|bundles|powered|rolled|lashed)\\s(?:in|home)\\b|(?:netted|nets|bagged|bags|grabbed|grabs|struck|hit|got|notched)\\s(?:(?:the|an?|his|her|two|three)\\s(?:[\\p{L}-]+\\s){0,2}?(?:goals?|winner|equali[sz]er|opener|brace|hat-trick)|twice)\\b)",
    "scored",
    { outcomes: ["score"] },
  ),
  paraphrase(
    `${START}(?-i:(?<one>${NAME}))\\s(?:and\\s(?-i:(?<two>${NAME}))\\sdrew(?=\\s\\d+\\s?[-–]\\s?\\d|[.,;]|\\son\\s)|drew\\swith\\s(?-i:(?<three>${NAME}))|were\\sheld\\s(?:to\\sa\\s[\\d–-]*\\s?draw\\s)?by\\s(?-i:(?<four>${NAME})))(?!.*\\bhalf-?time)`,
    "$<one> did not beat $<two>$<three>$<four>",
    DRAWN,
  ),
  paraphrase(`ran\\sout\\s(?:[\\d–-]+\\s)?winners\\s(?:against|over)\\s`, "beat ", BEAT),
  paraphrase(
    `${START}(?-i:(?<one>${NAME}))\\s(?:went\\sdown|slumped|slipped|crashed)\\s(?:[\\d–-]+\\s)?(?:at|to|against)\\s(?-i:(?<other>${NAME}))(?!.*\\b(?:but|before|until)\\b)`,
    "$<other> beat $<one>",
    BEAT,
  ),
  paraphrase(
    "(?:came|comes|finished|finishes|placed)\\sfirst\\s(?:in|at)\\s|took\\sfirst\\splace\\s(?:in|at)\\s|(?:lift|lifts|lifted|hoisted|raised)\\s(?=the\\s(?:(?-i:\\p{Lu})[\\p{L}-]*\\s){1,3}(?:cup|trophy|shield|title)\\b)",
    "won ",
    WIN,
  ),
  paraphrase(
    "(?:is|are)\\sthe\\s(?<cup>(?:\\d{4}\\s)?(?-i:\\p{Lu})[^,;.]{2,50}?)\\s(?:winners?|champions?)(?=[.,;]|$)",
    "won the $<cup>",
    WIN,
  ),
  paraphrase(
    `(?:lost|loses)\\s(?:[\\d–-]+\\s)?to\\s(?-i:${NAME})\\s(?:on\\s\\p{L}+\\s)?in\\s(?=(?:the|(?-i:\\p{Lu}\\p{L}+day['’]s))\\s(?:(?-i:\\p{Lu})[\\p{L}-]*\\s){1,3}final\\b)`,
    "lost ",
    { ...WIN, asks: /\bwin\b/iu },
  ),
];
