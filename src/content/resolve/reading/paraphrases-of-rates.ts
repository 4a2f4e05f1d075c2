import { NAME, type Paraphrase, paraphrase } from "./paraphrase.ts";

const OF_RATES = { asks: /\b(?<!(?:deposit|lending|mortgage|prime)\s)interest\srates\b/iu };
const INFLATION = { asks: /\binflation\b(?!.*\b(?:core|food|services|monthly|producer))/iu };

const OPENING = { asks: /\bopening\sweekend\b/iu };

/** Constructions about figures: rates of central banks, prices, the economy, and what a film earns. */
export const RATES: readonly Paraphrase[] = [
  // The board of a central bank, and the names of its rate
  paraphrase(
    `(?:the\\s)?(?:(?:executive|governing|rate-setting|monetary(?:\\spolicy)?|policy)\\s(?:board|committee|council))\\sof\\s(?=(?:the\\s)?(?-i:\\p{Lu}))`,
    "",
    OF_RATES,
  ),
  paraphrase(
    `(?-i:(?<bank>${NAME}))['’]s?\\s(?:executive|governing|rate-setting|monetary(?:\\spolicy)?|policy)\\s(?:board|committee|council)\\b`,
    "$<bank>",
    OF_RATES,
  ),
  paraphrase(
    "(?<!['’]s?\\s)(?:the\\s)?(?:executive\\sboard|governing\\scouncil|(?:rate-setting|monetary(?:\\spolicy)?)\\s(?:board|committee|council))\\b(?!\\sof\\s)",
    "the bank",
    OF_RATES,
  ),
  paraphrase(
    "(?:decided|voted|opted|agreed|chose)\\sto\\s(?:keep|leave|hold)\\s(?=interest\\srates|(?:its|the)\\s(?:[\\p{L}-]+\\s){0,2}?rates?)",
    "left ",
    OF_RATES,
  ),
  paraphrase(
    "(?:(?:the|its|their)\\s)?(?:benchmark|policy|key|main|base|cash|repo)\\s(?:interest\\s|lending\\s|policy\\s)?rates?\\b|(?:(?:the|its)\\s)?(?:borrowing\\scosts|interest\\srate)\\b",
    "interest rates",
    OF_RATES,
  ),
  paraphrase(
    "(?<verb>held|holds|kept|keeps|left|leaves|cut|cuts|raised|raises|hiked|hikes|lowered|lowers|trimmed|maintained|maintains)\\srates?\\b",
    "$<verb> interest rates",
    OF_RATES,
  ),
  paraphrase(
    "(?:maintain(?:s|ed)?|(?:kept?|keeps|left|leave|leaves|hold|held|holds)\\sinterest\\srates\\swhere\\s(?:it|they)\\s(?:was|were|is|are|has\\sbeen|have\\sbeen))(?:\\sinterest\\srates)?\\b",
    "left interest rates unchanged",
    OF_RATES,
  ),
  paraphrase("lift(?:s|ed)\\sinterest\\srates", "raised interest rates", OF_RATES),
  paraphrase(
    "(?<=^|[’']s\\s|\\bits\\s)(?:the\\s)?(?:economy|gross\\sdomestic\\sproduct)\\b|\\bthe\\s(?:economy|gross\\sdomestic\\sproduct)\\b",
    "GDP",
    { asks: /\bGDP\b/u },
  ),
  paraphrase("(?:GDP|gross\\sdomestic\\sproduct)\\b", "economy", { asks: /\beconomy\b/iu }),
  paraphrase("(?:first|debut)\\sweekend\\b|(?:first|opening)\\sthree\\sdays\\b", "opening weekend", OPENING),
  paraphrase("(?:took|takes|pulled|raked|hauled)\\sin\\s(?=[$€£])", "grossed ", OPENING),
  paraphrase(
    "(?:opened|debuted|opens|debuts)\\s(?:to|with|at)\\s(?:(?:an?|just|only|about|around|estimated)\\s)*(?<n>[$€£]\\s?\\d[\\d.,]*(?:\\s?(?:million|billion))?)(?!\\s(?:abroad|overseas|internationally|worldwide|globally|outside|in\\s(?:the\\s)?(?-i:\\p{Lu})))",
    "grossed $<n> in its opening weekend",
    OPENING,
  ),
  // "Consumer prices rose 2.8 percent in September from a year earlier"
  paraphrase(
    `(?:(?:the|its)\\s)?(?:consumer\\s(?:price\\sindex|prices)(?:\\s\\(CPI\\))?|CPI)\\s(?<where>in\\s(?-i:\\p{Lu}[\\p{L}-]*)\\s)?(?:rose|increased|climbed|were\\sup|was\\sup|went\\sup)\\s(?:by\\s)?(?<n>\\d[\\d.,]*\\s?(?:%|percent|per\\scent))\\sin\\sthe\\s(?:year|(?:12|twelve)\\smonths)\\sto\\s`,
    "annual inflation rate $<where>was $<n> in ",
    INFLATION,
  ),
  paraphrase(
    `(?:(?:the|its)\\s)?(?:consumer\\s(?:price\\sindex|prices)(?:\\s\\(CPI\\))?|CPI)\\s(?<where>in\\s(?-i:\\p{Lu}[\\p{L}-]*)\\s)?(?:rose|increased|climbed|were\\sup|was\\sup|went\\sup)\\s(?:by\\s)?(?<n>\\d[\\d.,]*\\s?(?:%|percent|per\\scent))\\s(?<when>in\\s\\p{L}+\\s)?(?:from|compared\\swith|on)\\s(?:a\\syear|the\\syear|twelve\\smonths)\\s(?:earlier|before|ago)`,
    "annual inflation rate $<where>was $<n> $<when>",
    INFLATION,
  ),
  paraphrase(
    `(?:(?:the|its)\\s)?(?:consumer\\s)?prices\\s(?<where>in\\s(?-i:\\p{Lu}[\\p{L}-]*)\\s)?(?<when>in\\s(?-i:\\p{Lu}[\\p{L}]*)\\s)?were\\s(?<n>\\d[\\d.,]*\\s?(?:%|percent|per\\scent))\\shigher\\sthan\\s(?:a|one)\\syear\\s(?:earlier|before|ago)`,
    "annual inflation rate $<where>was $<n> $<when>",
    INFLATION,
  ),
  paraphrase("picked\\sup\\s(?=to\\s|by\\s|in\\s|slightly\\s|sharply\\s)", "rose ", { asks: /\d/u }),
  paraphrase(
    "(?:(?:slightly|a\\slittle|much|far)\\s)?(?:more|less|faster|further|lower|higher)\\sthan\\s(?:(?:had\\sbeen\\s)?(?:expected|forecast|predicted|feared|hoped)|(?:economists|analysts|forecasters)(?:\\shad)?\\s(?:expected|forecast|predicted))\\s",
    "",
    { asks: /\d/u },
  ),
];
