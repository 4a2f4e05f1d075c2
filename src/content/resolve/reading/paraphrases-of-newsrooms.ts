import { APPROVE, HAS, NAME, NP, type Paraphrase, paraphrase, START, WIN } from "./paraphrase.ts";

const FINE = { asks: /\bfined?\b/iu };
const A_FINE = String.raw`an?\s(?!(?:suspended|proposed|provisional|potential|possible|conditional)\b)(?:[^,;.]{1,40}?\s)?fine`;
const OPEN = { outcomes: ["open"] };
const END = { outcomes: ["end"] };
const JOIN = { outcomes: ["join"] };
const APPOINT = { outcomes: ["appoint"] };

/** Words of headlines for an outcome, and the plain verb. */
const LINES: readonly (readonly [from: string, to: string, rest: Pick<Paraphrase, "outcomes" | "asks">])[] = [
  ["signed\\soff\\son\\s", "approved ", APPROVE],
  [
    `(?:gave|gives|given)\\s(?<thing>the\\s${NP}{3,60}?)\\s(?:its|their|the)\\s(?:(?:final|full|formal)\\s)?(?:(?:stamp|seal)\\sof\\sapproval|approval|backing|assent|consent)\\b(?!\\s(?:for|to))`,
    "approved $<thing>",
    APPROVE,
  ],
  [
    `${START}(?<thing>${NP}{3,80}?)\\s${HAS}(?:won|wins|gained|secured)\\sthe\\s(?:backing|approval|assent|consent)\\sof\\s(?=(?:the\\s)?(?-i:\\p{Lu}))`,
    "$<thing> was approved by ",
    APPROVE,
  ],
  ["won\\sconfirmation\\s(?:from|by)\\s", "was confirmed by ", { asks: /\bconfirm/iu }],
  ["ink(?:ed|s)\\s(?=(?:the|an?|its|their)\\s)", "signed ", { outcomes: ["sign"] }],
  ["cuts?\\sthe\\sribbon\\s(?:on|at)\\s", "opened ", OPEN],
  ["(?:is|are)\\snow\\sopen(?=[,.;]|\\sto\\s(?:traffic|the\\spublic|passengers|visitors)|$)", "opened", OPEN],
  ["triumph(?:ed|s)\\s(?:at|in)\\s(?=the\\s)", "won ", WIN],
  [
    "made\\shistory\\s(?:on\\s\\p{L}+day\\s)?(?:as|by\\sbecoming)\\sthe\\s(?=first|youngest|oldest)",
    "became the ",
    { asks: /\bbecome\b/iu },
  ],
  ["is\\s(?:now\\s)?over(?=[,.;]|$)", "ended", END],
  ["call(?:ed|s)\\san\\send\\sto\\s", "ended ", END],
  ["became\\sa\\s(?:full\\s)?member\\sof\\s|(?:formally\\s)?acceded\\sto\\s|was\\sadmitted\\sto\\s", "joined ", JOIN],
  [
    `(?:tapp(?:ed|s)|pick(?:ed|s)|hir(?:ed|es)|promot(?:ed|es))\\s(?-i:(?<who>${NAME}))\\s(?:as|to\\sbe|(?<=promot.*)to)\\s(?:(?:its|the|their)\\s)?(?:(?:next|new)\\s)?`,
    "appointed $<who> ",
    APPOINT,
  ],
  [`(?:was|were|been|is)\\s(?:hit|slapped|handed|served)\\s(?:with\\s)?${A_FINE}\\sby\\s`, "was fined by ", FINE],
  [
    `(?:impose[sd]|slapped|slaps|levie[sd]|issue[sd]|handed\\sdown)\\s${A_FINE}(?:\\sof\\s[^,;.]{2,40}?)?\\son\\s`,
    "fined ",
    FINE,
  ],
  [`(?:slapped|hits?)\\s(?-i:(?<who>${NAME}))\\swith\\s${A_FINE}\\b`, "fined $<who>", FINE],
  [
    `(?-i:(?<who>${NAME}))['’]s?\\s(?:IPO|initial\\spublic\\soffering)\\s(?:raised|brought\\sin|pulled\\sin)\\s(?<n>[$€£]\\d[\\d.,]*\\d(?:\\s(?:million|billion))?)`,
    "$<who> raised $<n> in its IPO",
    { asks: /\braise\b.*\bIPO\b/iu },
  ],
];

/** Constructions of headlines and of reports of newsrooms. */
export const NEWSROOMS: readonly Paraphrase[] = LINES.map((line) => paraphrase(...line));
