import { type Paraphrase, paraphrase } from "./paraphrase.ts";

/** Words beside a report that leave it what it is, so that a report without them says the same. */
export const ASIDES: readonly Paraphrase[] = [
  paraphrase(
    ",?\\s(?:(?:largely|broadly|just)\\s)?as\\s(?:had\\sbeen\\s)?(?:widely\\s)?(?:expected|anticipated|forecast)(?:\\sby\\s(?:\\p{L}+\\s)?(?:economists|analysts|markets))?(?=[,.;]|$)",
    "",
    {},
  ),
  paraphrase(
    "\\sfor\\san?\\s\\p{L}+\\s(?:consecutive|straight|successive)\\s(?:meeting|time|month|quarter|year|week|day)\\b|\\sfor\\sthe\\s\\p{L}+\\s(?:(?:consecutive|straight|successive)\\s(?:meeting|time|month|quarter|year|week|day)|(?:meeting|time|month|quarter|year|week|day)\\s(?:running|in\\sa\\srow))\\b",
    "",
    { asks: /^(?!.*\b(?:consecutive|straight|successive|row|running)\b)/iu },
  ),
  // "(ticker: HALV)", "for a total consideration of USD 2.9 billion", "on the Saffir-Simpson scale"
  paraphrase("\\s\\((?:ticker|symbol|(?-i:NASDAQ|NYSE|LSE|ASX|TSX))[:\\s][^()]{1,30}\\)", "", {}),
  paraphrase(
    "\\s(?:(?:in\\sa\\s(?:deal|transaction)\\s(?:worth|valued\\sat)|for(?:\\sa\\s(?:total|final)\\s(?:consideration|price)\\sof)?)\\s(?:about\\s|some\\s|nearly\\s|almost\\s|more\\sthan\\s)?(?:(?-i:[A-Z]{3})\\s|[$€£¥])\\d[\\d.,]*(?:\\s?(?:million|billion|m|bn)\\b)?(?:\\s(?:in\\scash|in\\sshares|in\\sstock))?)",
    "",
    { outcomes: ["acquire", "complete", "merge"], asks: /^(?!.*[$€£¥]).*$/u },
  ),
  paraphrase(
    "\\son\\sthe\\sSaffir-Simpson\\s(?:Hurricane\\s)?(?:Wind\\s)?scale\\b|\\swith\\smaximum\\ssustained\\swinds\\s[^.;]*",
    "",
    {
      asks: /\bcategory\s\d/iu,
    },
  ),
  // Before all that read a decision
  paraphrase(
    "voted\\s(?:by\\s(?:a\\smajority\\sof\\s)?)?(?<yes>\\d+)\\s?(?:[-–]|to)\\s?(?<no>\\d+)(?:\\s(?:on|in)\\s[^,;]{3,24}?)?\\sto\\s",
    "voted to ",
    { fits: ({ yes, no }) => Number(yes) > Number(no) },
  ),
  // "voted 48-52 to pass": the motion failed, or the numbers are turned.
  paraphrase(
    "voted\\s(?:by\\s)?\\d+\\s?[-–]\\s?\\d+(?:\\s(?:on|in)\\s[^,;]{3,24}?)?\\sto\\s",
    "voted on whether to ",
    {},
  ),
  // "In support of its goals, the Committee decided"
  paraphrase(
    "^(?:in\\s(?:support|light|view)\\sof|consistent\\swith|given)\\s(?:its|the|this|these)\\s[^,;.]{3,120},\\s(?=(?:the|(?-i:\\p{Lu})))",
    "",
    {},
  ),
];
