import { GRAMMARS } from "./grammar.ts";
import { wordsOf } from "./words.ts";
import {
  type Paraphrase,
  START,
  NP,
  NAME,
  BODY,
  VOTERS,
  NUMBER,
  HAS,
  CHALLENGE,
  CLEARANCE,
  APPROVE,
  UPHOLD,
  RESTRICTION,
  TRANSACTION,
  paraphrase,
} from "./paraphrase.ts";
import { RATES } from "./paraphrases-of-rates.ts";
import { ASIDES } from "./paraphrases-of-asides.ts";
import { PEOPLE } from "./paraphrases-of-people.ts";
import { NEWSROOMS } from "./paraphrases-of-newsrooms.ts";
import { RELEASES } from "./paraphrases-of-releases.ts";
import { ELECTIONS } from "./paraphrases-of-elections.ts";
import { WINS } from "./paraphrases-of-wins.ts";

const SIGN = { outcomes: ["sign"] };
const RULE = { asks: /\brule\sagainst\b/iu };
const BAN = { outcomes: ["ban"] };
const COMPLETE = { outcomes: ["complete"] };
const OPEN = { outcomes: ["open"] };
const NOMINATED = { outcomes: ["nominate"] };
const SEASON = { outcomes: ["renew"] };
const STRIKES = { outcomes: ["strike"] };
const SHOW = String.raw`(?:(?:its|the|their)\s(?:[\p{Ll}-]+\s){0,4}?)?(?<show>["“][^"”]{2,60}["”]|(?-i:\p{Lu}[\p{L}'’-]*(?:\s\p{Lu}[\p{L}'’-]*)*))`;

const PARAPHRASES: readonly Paraphrase[] = [
  ...ASIDES,
  ...WINS,
  ...ELECTIONS,
  ...RATES,
  ...PEOPLE,
  ...RELEASES,
  ...NEWSROOMS,
  paraphrase(
    `${START}(?<bill>${NP}{3,80}?)\\s${HAS}(?:cleared|clears|passed|passes|(?:got|gets|sailed|breezed|squeaked|scraped|sails)\\sthrough)\\s(?-i:(?<body>${BODY}))`,
    "$<body> passed $<bill>",
    APPROVE,
  ),
  paraphrase(
    `${START}(?<bill>${NP}{3,80}?)\\s${HAS}(?:failed|fails|fell(?:\\s[\\p{L}\\d]+\\svotes?\\sshort)?|was\\sdefeated|been\\sdefeated|is\\sdefeated)\\s(?:to\\spass\\s)?in\\s(?-i:(?<body>${BODY}))`,
    "$<body> rejected $<bill>",
    APPROVE,
  ),
  paraphrase(
    `${START}(?-i:(?<body>${BODY}|${VOTERS}))\\s${HAS}voted\\s(?:in\\sfavou?r\\sof|for)\\s(?!\\p{L}+ing\\s)`,
    "$<body> approved ",
    APPROVE,
  ),
  paraphrase(
    `${START}(?-i:(?<body>${BODY}|${VOTERS}))\\s${HAS}voted\\sagainst\\s(?!\\p{L}+ing\\s)`,
    "$<body> rejected ",
    APPROVE,
  ),
  paraphrase(`voted\\s${NP}{1,40}?\\sto\\s(?=(?:pass|approve|adopt|reject|ratify|back)\\s)`, "voted to ", APPROVE),
  paraphrase(
    `${START}(?<thing>${NP}{3,80}?)\\s${HAS}(?:won|wins|gained|gains|received|receives|secured|secures|obtained|got|gets)\\s${CLEARANCE}\\s(?:from|by)\\s(?=(?:the\\s)?(?-i:\\p{Lu}))`,
    "$<thing> was approved by ",
    APPROVE,
  ),
  paraphrase(
    `${START}(?<firm>${NP}{3,60}?)\\s${HAS}(?:won|wins|gained|gains|received|receives|secured|secures|obtained|got|gets)\\s${CLEARANCE}\\s(?:for|of)\\s(?:its\\s|their\\s)?(?<thing>${NP}{3,60}?)(?=\\s(?:in|from|by|on|after)\\s|[.,;]|$)`,
    "$<firm>'s $<thing> was approved",
    { ...APPROVE, asks: /\bapproved\b/iu },
  ),
  paraphrase(`(?:was|were|been)\\s(?:denied|refused)\\s${CLEARANCE}\\b`, "was rejected", APPROVE),
  paraphrase(`(?:denied|denies|refused|refuses|withheld)\\s${CLEARANCE}\\s(?:for|to|of)\\s`, "rejected ", APPROVE),
  paraphrase(
    "(?:granted|grants|gave|gives|given)\\s(?:(?:its|the|their)\\s)?(?:(?:final|full|formal)\\s)?(?:approval|authori[sz]ation|clearance|backing|assent|consent|green\\slight|go-ahead|blessing)\\sto\\s",
    "approved ",
    APPROVE,
  ),
  paraphrase(
    "(?:refused|refuses|declined|declines)\\sto\\s(?:overturn|annul|quash|set\\saside|strike\\sdown|reverse)\\s",
    "upheld ",
    UPHOLD,
  ),
  paraphrase(
    "(?<=(?-i:SEC|FDA|EMA|FCC|[Aa]gency|[Cc]ommission|[Rr]egulators?|[Bb]oard|[Cc]ouncil|[Aa]uthority)\\s(?:has\\s|have\\s)?)denied\\s(?=(?:the|an?)\\s)(?!(?:the|an?)\\s(?:waiver|extension|report|claim|allegation|rumou?r|story|request))(?![^.;]*\\b(?:was|were|is|are|had|has)\\b)",
    "rejected ",
    APPROVE,
  ),
  // "rejected Brightmoor's application for Zelorvan"
  paraphrase(
    "(?:reject(?:s|ed)|turn(?:s|ed)\\sdown|refused|declined)\\s(?:the|an?|[^,;.]{2,30}?['’]s?)\\s(?:(?:new|drug|marketing|licen[cs]e)\\s)*application\\s(?:for|to\\s(?:sell|market))\\s",
    "rejected ",
    APPROVE,
  ),
  paraphrase(
    "(?:dismiss(?:es|ed)|reject(?:s|ed)|threw\\sout|throws\\sout|turned\\sdown)\\s(?:the|an?|all|every)\\s(?:[\\p{L}-]+\\s)?(?:challenges?|appeals?|petitions?|complaints?|lawsuits?)\\s(?:to|against|over)\\s",
    "upheld ",
    UPHOLD,
  ),
  // "threw out Morden's application to set aside the award"
  paraphrase(
    `(?:dismiss(?:es|ed)|reject(?:s|ed)|threw\\sout|throws\\sout|thrown\\sout|turned\\sdown|denie[ds])\\s(?:the\\s|an?\\s|(?:[\\p{L}-]+\\s){1,3}?[\\p{L}-]+['’]s?\\s)(?:${CHALLENGE})\\s(?:(?:by|from|of)\\s[^,;.]{3,50}?\\s)?to\\s(?:have\\s)?(?:set\\saside|annul|overturn|quash|void|cancel|strike\\sdown|block)\\s`,
    "upheld ",
    UPHOLD,
  ),
  paraphrase(
    `${START}(?:the\\s|an?\\s)?(?:[\\p{L}-]+\\s){0,2}?(?:${CHALLENGE})\\s(?:(?:by|from|of)\\s[^,;.]{3,50}?\\s)?(?:to\\s(?:have\\s)?(?:set\\saside|annul|overturn|quash|void|cancel|strike\\sdown|block)|against)\\s(?<thing>${NP}{3,60}?)\\s(?:was|is|were|has\\sbeen)\\s(?:dismissed|rejected|thrown\\sout|turned\\sdown|denied|unsuccessful)\\b`,
    "$<thing> was upheld",
    UPHOLD,
  ),
  paraphrase(
    `(?:left|leaves|let|lets)\\s(?<thing>${NP}{3,60}?)\\s(?:in\\s(?:place|force)|intact|stand(?:ing)?|untouched)\\b`,
    "upheld $<thing>",
    UPHOLD,
  ),
  // "ordered a third season of its hit", "picked up the show for a third run"
  paraphrase(
    `(?:ordered|orders|commissioned|commissions|greenlit|greenlights|confirmed)\\s(?:a|another)\\s(?<n>[\\p{L}-]+)\\s(?:season|series|run)\\sof\\s${SHOW}`,
    "renewed $<show> for a $<n> season",
    SEASON,
  ),
  paraphrase(
    `(?:picked\\sup|picks\\sup|brought\\sback|renewed)\\s${SHOW}\\sfor\\sa\\s(?<n>[\\p{L}-]+)\\s(?:season|series|run)\\b`,
    "renewed $<show> for a $<n> season",
    SEASON,
  ),
  paraphrase(
    "(?<!(?:complet|clos|finali[sz]|sign)\\p{L}*\\s(?:\\p{L}+\\s){0,2})(?<deal>merger|takeover|acquisition|purchase)\\s(?:agreement|contract|deal|pact)\\b",
    "$<deal>",
    COMPLETE,
  ),
  paraphrase(`(?:cleared|clears)\\s(?<who>him|her|them|(?-i:${NAME}))\\sof\\s`, "acquitted $<who> of ", {
    outcomes: ["convict", "acquit"],
  }),
  paraphrase(
    `${START}(?:(?:the|its|ordinary|common)\\s)*shares\\s(?:of|in)\\s(?:[\\p{Ll}-]+\\s){0,3}(?-i:(?<firm>${NAME}))\\.?\\s(?:(?:have\\sbeen|were|are)\\s(?:admitted\\sto|listed\\son)\\s(?:the\\s)?[^,;.]{3,40}|(?:changed\\shands|traded|were\\straded)\\sfor\\sthe\\sfirst\\stime(?!\\s(?:above|below|since|at|in)\\s))`,
    "$<firm> began trading",
    { outcomes: ["list"] },
  ),
  paraphrase(
    "(?:(?:made|makes|completed)\\sits\\s(?:first|maiden|inaugural|debut)\\s(?:(?:orbital|test)\\s)?flight|flew\\sfor\\sthe\\sfirst\\stime|(?:left|leaves)\\s(?:the|its)\\s(?:launch\\s)?pad|lifted\\soff\\son\\sits\\s(?:first|maiden)\\sflight)\\b",
    "launched",
    { outcomes: ["launch"] },
  ),
  paraphrase(
    "(?:pulled\\soff|made|makes|achieved|completed)\\sa\\s(?:(?:soft|gentle|safe|successful|controlled)\\s)?landing\\son\\s",
    "landed softly on ",
    { outcomes: ["land"] },
  ),
  // "The strike by the crews began", "began a strike"
  paraphrase(
    `${START}(?:the|an?)\\s(?:[\\p{L}-]+\\s){0,2}?strike\\s(?:by|of)\\s(?<who>${NP}{3,80}?)\\s(?:began|begins|started|got\\sunder\\sway)\\b`,
    "$<who> went on strike",
    STRIKES,
  ),
  paraphrase(
    "(?:beg[au]n|begins|started|starts|launched|staged)\\s(?:a|an|their|its)\\s(?:(?!(?:hunger|rent|school|air|drone|missile|military|thirst)\\s)[\\p{L}\\d-]+\\s){0,3}?(?:strike|walkout)\\b|(?:is|are)\\son\\sstrike\\b|(?:stopped|downed)\\s(?:work|tools)\\b(?!\\son\\s(?:the|a))|walked\\s(?:off\\sthe\\sjob\\b|out\\b(?!\\s(?:of|on|from|to|with)\\s))",
    "went on strike",
    STRIKES,
  ),
  paraphrase(
    "became\\spart\\sof\\s(?=(?-i:\\p{Lu})[\\p{L}-]*(?:\\s(?-i:\\p{Lu})[\\p{L}-]*){0,2}(?:[,.;]|\\son\\s|\\sin\\s|$))",
    "was bought by ",
    { outcomes: ["acquire"] },
  ),
  paraphrase(
    "(?:the\\s)?(?:eye|cent(?:re|er))\\sof\\s(?<storm>[^,;.]{3,40}?)\\s(?:crossed\\sthe\\scoast\\s(?:of|near|in)|made\\slandfall\\sin)\\s",
    "$<storm> made landfall in ",
    {
      outcomes: ["landfall"],
    },
  ),
  // "has strengthened into a category 5 hurricane"
  ...["become", "reach"].map((verb) =>
    paraphrase(
      `(?:has\\s)?(?:(?:strengthened|intensified|grew|grown)\\s(?:in)?to|became|is\\snow|is|was)\\s(?:an?\\s)?(?:(?:powerful|major|dangerous|monstrous|strong|large)\\s)?(?=category\\s\\d)`,
      verb === "become" ? "became a " : "reached ",
      { asks: new RegExp(`\\b${verb}\\s(?:a\\s)?category\\s\\d`, "iu") },
    ),
  ),
  // "received a Best Actress nomination for", "is among the five nominees for"
  paraphrase(
    "(?:received|got|earned|scored|landed)\\san?\\s(?<prize>[^,;.]{3,50}?)\\snomination\\s(?:for|at|in)\\s",
    "was nominated for $<prize> at ",
    NOMINATED,
  ),
  paraphrase(
    "(?:is|was|are)\\s(?:among|one\\sof)\\sthe\\s(?:\\p{L}+\\s){0,2}?nominees\\sfor\\s",
    "was nominated for ",
    NOMINATED,
  ),
  paraphrase("was\\ssnubbed\\s(?:in|for)\\s(?:the\\s)?", "was not nominated for ", NOMINATED),
  // "The mill now belongs to Karsten"
  paraphrase(
    `${START}(?<thing>${NP}{3,80}?)\\s(?:now\\sbelongs\\sto|(?:is|are)\\snow\\s(?:owned\\sby|in\\sthe\\shands\\sof)|passed\\s(?:in)?to\\sthe\\s(?:hands|ownership)\\sof)\\s`,
    "$<thing> was bought by ",
    { outcomes: ["acquire"] },
  ),
  paraphrase("(?:is|becomes|became)\\sthe\\snew\\sowner\\sof\\s", "bought ", { outcomes: ["acquire"] }),
  paraphrase(
    `${START}(?<thing>${NP}{3,80}?)\\s(?:has|gets|got|found)\\s(?:its\\s|a\\s)?new\\sowner\\s?:\\s(?-i:(?<who>${NAME}))`,
    "$<who> bought $<thing>",
    { outcomes: ["acquire"] },
  ),
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
  paraphrase(
    `(?:scrap(?:s|ped)|end(?:s|ed)|drop(?:s|ped)|remove[sd]|revoke[sd]|abolish(?:es|ed)|rescind(?:s|ed))\\s(?=${RESTRICTION})`,
    "lifted ",
    { outcomes: ["lift"] },
  ),
  paraphrase(`(?:clos(?:ed|es)|wrap(?:ped|s)\\sup|finali[sz]e[sd])\\s(?=${TRANSACTION})`, "completed ", COMPLETE),
  paraphrase(
    `(?:walk(?:s|ed)\\saway\\sfrom|pull(?:s|ed)\\sout\\sof|back(?:s|ed)\\sout\\sof|dropp(?:ed|s)|(?:(?:agreed|decided)\\sto\\s)?(?:mutually\\s)?(?:terminate[sd]?|abandon(?:ed|s)?))\\s(?=${TRANSACTION})`,
    "cancelled ",
    { outcomes: ["complete", "acquire", "merge"] },
  ),
  paraphrase(
    `${START}(?<deal>${NP}{3,90}?)\\s${HAS}(?:collapsed|fell\\sapart|fallen\\sapart|fell\\sthrough|fallen\\sthrough)\\b`,
    "$<deal> was cancelled",
    { outcomes: ["complete", "acquire", "merge"], asks: /\b(?:merger|takeover|acquisition|purchase|deal|sale)\b/iu },
  ),
  paraphrase(
    "(?:carried|welcomed|received|served|admitted)\\s(?:its|their)\\sfirst\\s(?:(?:paying|public)\\s)?(?<who>passengers|visitors|guests|customers|riders|patients|students|travellers|travelers)\\b",
    "opened to $<who>",
    OPEN,
  ),
  ...["passengers", "visitors"].map((who) =>
    paraphrase("opened\\sto\\sthe\\spublic\\b", `opened to ${who}`, {
      outcomes: ["open"],
      asks: new RegExp(`\\bto\\s${who}\\b`, "iu"),
    }),
  ),
  paraphrase(
    `${START}(?-i:(?<who>${NAME}))\\s${HAS}(?:joined|signed\\s(?:for|with)|moved\\sto)\\s(?-i:(?<club>${NAME}))(?!['’])`,
    "$<club> signed $<who>",
    SIGN,
  ),
  paraphrase(
    `${START}(?-i:(?<club>${NAME}))\\s${HAS}(?:signed|unveiled)\\s(?:(?!(?:of|at|for|in|as|a|the)\\s)\\p{Ll}[\\p{L}-]*\\s){0,3}(?-i:(?<who>${NAME}))(?!['’])`,
    "$<who> joined $<club>",
    {
      outcomes: ["join"],
    },
  ),
  paraphrase("(?:put|puts|affixed)\\s(?:their|its|her|his|a)\\s(?:signatures?|names?)\\sto\\s", "signed ", SIGN),
  paraphrase(
    `${START}(?:the\\s)?(?:leaders|presidents|(?:prime|foreign|defen[cs]e)\\sministers|governments|negotiators|envoys)\\s(?:of|from)\\s(?=(?-i:\\p{Lu})[\\p{L}-]*\\sand\\s)`,
    "",
    { outcomes: ["sign", "agree"] },
  ),
  // "struck down the tariffs", for "rule against the tariffs"
  paraphrase("(?:struck|strikes)\\sdown\\s|(?:invalidated|overturned|voided|blocked)\\s", "ruled against ", RULE),
  paraphrase(
    "(?:upheld|upholds|let\\sstand|backed|sided\\swith|ruled\\s(?:in\\sfavou?r\\sof|for))\\s",
    "did not rule against ",
    RULE,
  ),
  paraphrase("became\\slaw\\b", "was approved", { outcomes: ["approve"], asks: /\b(?:pass|approve|adopt)/iu }),
  paraphrase(
    "(?:adjourned|broke\\sup|went\\sinto\\srecess|dissolved|ended\\sits\\ssession)\\s[^.;]{0,40}?without\\s(?:voting\\son|passing|approving|adopting|a\\svote\\son)\\s",
    "did not pass ",
    { outcomes: ["approve"] },
  ),
  paraphrase(
    "(?:slammed\\sinto|crashed\\sinto|hit\\sthe\\scoast\\sof|struck\\sthe\\scoast\\sof|roared\\sashore\\sin)\\s",
    "made landfall in ",
    { outcomes: ["landfall"] },
  ),
  paraphrase(
    "(?:remain(?:s|ed)|stay(?:s|ed)|(?:is|was|are|were)\\sstill)\\s(?:out\\sof\\s(?:service|action|operation|use)|suspended|shut|closed|idle|halted|in\\sdock|offline)\\b",
    "did not resume",
    { outcomes: ["resume"] },
  ),
  paraphrase(
    "(?:complet(?:ed|es)|announc(?:ed|es)|confirm(?:ed|s)|seal(?:ed|s))\\sthe\\ssigning\\sof\\s",
    "signed ",
    SIGN,
  ),
  // "finished removing the dam"
  paraphrase("(?:finish(?:ed|es)|complet(?:ed|es))\\s(?!building)(?<verb>\\p{L}{3,})ing\\s", "$<verb>ed ", {}),
  paraphrase("(?:demolish(?:ed|es)|dismantled|dismantles|torn\\sdown|tore\\sdown)\\b", "removed", {
    asks: /\bremove/iu,
  }),
  paraphrase("entered\\s(?:its|a|their)\\s(?:\\p{L}+-?){1,3}\\s(?:day|week|month|year)\\b", "continued", {
    outcomes: ["end"],
  }),
  paraphrase("voted\\sto\\s(?:continue|extend|prolong)\\s", "continued ", { outcomes: ["end"] }),
  paraphrase("(?:approved|adopted|backed|passed|imposed|introduced)\\san?\\sban\\son\\s", "banned ", BAN),
  paraphrase(
    "(?:rejected|voted\\sdown|threw\\sout)\\s(?:a|the)\\s(?:proposed\\s|planned\\s)?ban\\son\\s",
    "did not ban ",
    BAN,
  ),
  paraphrase("is\\s(?:the|its|their)\\snew\\s(?=\\p{L}+\\sof\\s)", "became ", {
    outcomes: ["become", "elect", "appoint"],
  }),
  paraphrase(
    "ha(?:s|ve)\\sbeen\\s(?:in\\suse|in\\sservice|in\\soperation|open(?:\\sto\\s[\\p{L}\\s]{2,24}?)?)\\ssince\\s",
    "opened on ",
    OPEN,
  ),
  paraphrase("(?:was|is|been)\\staken\\sout\\sof\\sservice", "was withdrawn from service", {
    outcomes: ["cancel", "leave"],
  }),
  paraphrase(`${START}(?:construction|building|work)\\s(?:of|on)\\s`, "", COMPLETE),
  paraphrase(
    "lift(?:s|ed)\\s(?=(?:its|the|their|his|her)\\s(?:[\\p{L}-]+\\s){0,4}?(?:rates?|prices?|fares?|tax|wages?|dividend|forecast|target|fees?)\\b)",
    "raised ",
    { outcomes: ["rise", "fall"] },
  ),
  paraphrase(
    "(?:kept|keeps|left|leaves|held|holds|maintain(?:s|ed))\\s(?<rate>(?:(?:its|the|their)\\s)?(?:[\\p{L}-]+\\s){0,4}?rates?)\\s(?:steady|on\\shold\\b|(?=at\\s))",
    "left $<rate> unchanged ",
    { outcomes: ["rise", "fall", "unchanged"] },
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
  let plain = text;
  for (const { outcomes: own, asks, from, to, fits } of PARAPHRASES) {
    if (own?.some((one) => outcomes.has(one)) === false || asks?.test(statement) === false) continue;
    const found = from.exec(plain);
    if (found === null || fits?.(found.groups ?? {}) === false || Object.values(found.groups ?? {}).some(isOpen))
      continue;
    const words = to.replaceAll(/\$<(\w+)>/gu, (_, name: string) => inside(found.groups?.[name] ?? ""));
    plain = plain.slice(0, found.index) + words + plain.slice(found.index + found[0].length);
  }
  return plain === text ? undefined : plain;
}

/** Words from the beginning of a sentence, elsewhere. */
function inside(words: string): string {
  return words.replace(/^(?:The|An?)(?=\s)/u, (article) => article.toLowerCase());
}

/** Whether words that stand for a thing or a person have a verb or a hedge of their own. */
function isOpen(words: string | undefined): boolean {
  return wordsOf(words ?? "").some(({ text, capital }) =>
    (capital ? [not] : [doubts, denies, modal, not, hedge, have, says]).some((set) => set.has(text)),
  );
}
