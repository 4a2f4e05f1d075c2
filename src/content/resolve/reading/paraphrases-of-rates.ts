import { NAME, type Paraphrase, paraphrase } from "./paraphrase.ts";

const OF_RATES = { asks: /\b(?<!(?:deposit|lending|mortgage|prime)\s)interest\srates\b/iu };
const INFLATION = { asks: /\binflation\b(?!.*\b(?:core|food|services|monthly|producer))/iu };

const GDP = { asks: /\bGDP\b/u };
const JOBS = { asks: /\beconomy\sadd\b.*\bjobs\b/iu };

const OPENING = { asks: /\bopening\sweekend\b/iu };

/** "by a quarter of a percentage point" */
const STEPS = Object.entries({ quarter: 25, half: 50, "three[\\s-]quarters": 75, full: 100 }).map(([part, points]) =>
  paraphrase(
    `(?:an?\\s)?${part}(?:\\sof\\sa|\\sa)?[\\s-](?:percentage[\\s-])?point\\b`,
    `${points} basis points`,
    OF_RATES,
  ),
);

/** The adjectives of the committee that decides on rates. */
const MONETARY = String.raw`monetary(?:\spolicy(?:\sand\sfinancial\sstability)?)?`;

/** Constructions about figures: rates of central banks, prices, the economy, and what a film earns. */
export const RATES: readonly Paraphrase[] = [
  // The board of a central bank, and the names of its rate
  paraphrase(
    `(?:the\\s)?(?:(?:executive|governing|rate-setting|${MONETARY}|policy)\\s(?:board|committee|council))\\sof\\s(?=(?:the\\s)?(?-i:\\p{Lu}))`,
    "",
    OF_RATES,
  ),
  // A run of names is tried from its first one only, so that the time stays linear.
  paraphrase(
    `(?-i:(?<!\\p{Lu}[\\p{L}'’-]{0,30}\\s|[\\p{L}'’-])(?<bank>${NAME}))['’]s?\\s(?:executive|governing|rate-setting|${MONETARY}|policy)\\s(?:board|committee|council)\\b`,
    "$<bank>",
    OF_RATES,
  ),
  paraphrase(
    `(?<!['’]s?\\s)(?:the\\s)?(?:executive\\sboard|governing\\scouncil|(?:rate-setting|federal\\sopen\\smarket|${MONETARY})\\s(?:board|committee|council)|(?-i:FOMC|MPC|Copom|(?<=[Tt]he\\s)(?:Committee|Board)))\\b(?!\\sof\\s|['’])`,
    "the bank",
    OF_RATES,
  ),
  paraphrase(
    "(?:the\\starget\\srange\\sfor\\s)?(?:the\\s)?federal\\sfunds\\s(?:target\\s)?r(?:ate|ange)\\b|Bank\\sRate\\b|(?:(?:the|its|their)\\s)?(?:target\\sfor\\sthe\\s)?(?:three\\s)?(?:(?-i:(?<!\\p{L})(?:\\p{Lu}\\p{L}+\\s){1,3}Bank)\\s)?(?:benchmark|policy|key|main|base|(?:official\\s)?cash|repo|overnight|selic)\\s(?:(?:interest|lending|policy|overnight|borrowing|deposit|short-term|(?-i:[A-Z]{2,5}))\\s){0,2}rates?(?:\\starget)?\\b|(?:the\\s)?(?-i:OCR)\\b|(?:(?:the|its)\\s)?(?:borrowing\\scosts|interest\\srate)\\b",
    "interest rates",
    OF_RATES,
  ),
  paraphrase(
    "(?<verb>held|holds|kept|keeps|left|leaves|cut|cuts|raised|raises|hiked|hikes|lowered|lowers|trimmed|maintained|maintains)\\srates?\\b",
    "$<verb> interest rates",
    OF_RATES,
  ),
  paraphrase(
    "(?:(?:(?:decided|voted|opted|agreed|chose)\\sto\\s)?maintain(?:s|ed)?(?=\\sinterest\\srates)|(?:kept?|keeps|left|leave|leaves|hold|held|holds)\\sinterest\\srates\\swhere\\s(?:it|they)\\s(?:was|were|is|are|has\\sbeen|have\\sbeen))(?:\\sinterest\\srates)?\\b",
    "left interest rates unchanged",
    OF_RATES,
  ),
  paraphrase(
    "(?:(?:decided|voted|opted|agreed|chose)\\sto\\s(?:keep|leave|hold)|is\\s(?:keeping|leaving|holding))\\s(?=interest\\srates)",
    "left ",
    OF_RATES,
  ),
  ...STEPS,
  // "The SNB is lowering the SNB policy rate"
  paraphrase("agreed\\sto\\s(?=(?:cut|lower|reduce|raise|increase)\\sinterest\\srates)", "decided to ", OF_RATES),
  paraphrase("is\\s(?<verb>lower|rais|reduc|increas)ing\\s(?=interest\\srates)", "$<verb>ed ", OF_RATES),
  paraphrase("lift(?:s|ed)\\sinterest\\srates", "raised interest rates", OF_RATES),
  paraphrase(
    "(?:\\breal\\s)?(?:(?<=^|[’']s\\s|\\bits\\s|\\breal\\s|\\bthe\\sUS\\s|^)(?:the\\s)?(?:economy|gross\\sdomestic\\sproduct)|\\bthe\\s(?:economy|gross\\sdomestic\\sproduct))\\b(?:\\s\\(GDP\\))?",
    "GDP",
    GDP,
  ),
  paraphrase(
    "(?<=(?<!(?:current-dollar|nominal|business)\\s)\\bGDP\\s)(?:increased|grew|expanded|rose)\\sat\\san\\sannual(?:i[sz]ed)?\\srate\\sof\\s",
    "grew by ",
    GDP,
  ),
  paraphrase(
    "(?<=(?<!(?:current-dollar|nominal|business)\\s)\\bGDP\\s)(?:decreased|contracted|shrank|fell|declined)\\sat\\san\\sannual(?:i[sz]ed)?\\srate\\sof\\s",
    "shrank by ",
    GDP,
  ),
  paraphrase("jobless\\srate\\b", "unemployment rate", { asks: /\bunemployment\srate\b/iu }),
  // "Total nonfarm payroll employment rose by 147,000", "changed little (+22,000)"
  paraphrase(
    "(?<=^|[,;:]\\s|\\b(?:US|the|that)\\s)(?:total\\s)?(?:non-?farm\\s)?payroll(?:\\semployment|s)\\s(?:rose|increased|grew|edged\\sup|changed\\slittle)\\s(?<when>in\\s\\p{L}+\\s)?(?:by\\s|\\(\\+)(?<n>\\d[\\d,]*\\d)\\)?",
    "the economy added $<n> jobs $<when>",
    JOBS,
  ),
  paraphrase("(?<=^|\\bUS\\s)employers\\s(?=add)", "economy ", JOBS),
  paraphrase("(?:GDP|gross\\sdomestic\\sproduct)\\b", "economy", { asks: /\beconomy\b/iu }),
  paraphrase("(?:first|debut)\\sweekend\\b|(?:first|opening)\\sthree\\sdays\\b", "opening weekend", OPENING),
  paraphrase("(?:took|takes|pulled|raked|hauled)\\sin\\s(?=[$€£])", "grossed ", OPENING),
  paraphrase(
    "(?:opened|debuted|opens|debuts)\\s(?:to|with|at)\\s(?:(?:an?|just|only|about|around|estimated)\\s)*(?<n>[$€£]\\s?\\d[\\d.,]*(?:\\s?(?:million|billion))?)(?!\\d|[.,]\\d|\\s?(?:million|billion)\\b|\\s(?:on\\s\\p{L}+day|in\\s(?:previews|its\\sfirst\\sday)|at\\shome\\sand|abroad|overseas|internationally|worldwide|globally|outside|in\\s(?:the\\s)?(?-i:\\p{Lu})))",
    "grossed $<n> in its opening weekend",
    OPENING,
  ),
  // "Consumer prices rose 2.8 percent in September from a year earlier"
  paraphrase(
    `(?:(?:the|its)\\s)?(?:consumer\\s(?:prices?\\sindex|prices)(?:\\s\\(CPI\\))?|(?<=^|[,;:]\\s|\\b(?:the|its|UK|US|headline|annual)\\s|[’']s\\s)CPI)\\s(?<where>in\\s(?-i:\\p{Lu}[\\p{L}-]*)\\s)?(?:rose|increased|climbed|were\\sup|was\\sup|went\\sup)\\s(?:by\\s)?(?<n>\\d[\\d.,]*\\s?(?:%|percent|per\\scent))\\sin\\sthe\\s(?:year|(?:12|twelve)\\smonths)\\sto\\s`,
    "annual inflation rate $<where>was $<n> in ",
    INFLATION,
  ),
  paraphrase(
    `(?:(?:the|its)\\s)?(?:consumer\\s(?:price\\sindex|prices)(?:\\s\\(CPI\\))?|CPI)\\s(?<where>in\\s(?-i:\\p{Lu}[\\p{L}-]*)\\s)?(?:rose|increased|climbed|were\\sup|was\\sup|went\\sup)\\s(?:by\\s)?(?<n>\\d[\\d.,]*\\s?(?:%|percent|per\\scent))\\s(?<when>in\\s\\p{L}+\\s)?(?:from|compared\\swith|on)\\s(?:a\\syear|the\\syear|twelve\\smonths)\\s(?:earlier|before|ago)`,
    "annual inflation rate $<where>was $<n> $<when>",
    INFLATION,
  ),
  // "The all items index rose 3.2 percent for the 12 months ending September"
  paraphrase(
    `(?:the\\s)?(?:all\\sitems\\sindex|index\\sfor\\sall\\sitems)\\s(?:rose|increased|climbed|was\\sup)\\s(?:by\\s)?(?<n>\\d[\\d.,]*\\s?(?:%|percent|per\\scent))\\s(?:(?:for|in|over)\\sthe\\s12\\smonths\\sending\\s(?:in\\s)?(?<month>\\p{L}+)|(?:over|for)\\sthe\\s(?:last|past)\\s(?:12|twelve)\\smonths)`,
    "annual inflation rate was $<n> in $<month>",
    INFLATION,
  ),
  paraphrase(
    `(?<=^|[,;:]\\s|\\bthat\\s)(?:(?:the|its)\\s)?(?:consumer\\s)?prices\\s(?<where>in\\s(?-i:\\p{Lu}[\\p{L}-]*)\\s)?(?<when>in\\s(?-i:\\p{Lu}[\\p{L}]*)\\s)?were\\s(?<n>\\d[\\d.,]*\\s?(?:%|percent|per\\scent))\\shigher\\sthan\\s(?:a|one)\\syear\\s(?:earlier|before|ago)`,
    "annual inflation rate $<where>was $<n> $<when>",
    INFLATION,
  ),
  paraphrase("picked\\sup\\s(?=to\\s|by\\s|in\\s|slightly\\s|sharply\\s)", "rose ", { asks: /\d/u }),
  paraphrase(
    ",?\\s(?:(?:slightly|a\\slittle|much|far|well)\\s)?(?:more|less|fewer|faster|further|lower|higher|better|worse)\\sthan\\s(?:(?:had\\sbeen\\s)?(?:expected|forecast|predicted|feared|hoped)|(?:economists|analysts|forecasters)(?:\\shad)?\\s(?:expected|forecast|predicted))(?=[\\s.,;]|$)",
    "",
    { asks: /\d/u },
  ),
];
