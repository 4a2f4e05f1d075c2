import { type Paraphrase, START, NP, NAME, HAS, TITLES, LEAVES, paraphrase } from "./paraphrase.ts";

const SURVIVE = { outcomes: ["survive"] };
const PARDON = { asks: /\bpardon/iu };
const MARRIAGE = { asks: /\b(?:marry|married|wed)\b/iu };
const CONFIDENCE = String.raw`(?:the|an?|(?-i:\p{Lu}[\p{L}-]*['’]s))\s(?:(?:no-)?confidence|censure)\s(?:vote|motion|challenge)\b`;

/** Constructions about people: who leaves an office or a country, retires, marries, dies, or is pardoned. */
export const PEOPLE: readonly Paraphrase[] = [
  // "Velora ousted its chief executive Daria Holm"
  paraphrase(
    `${START}(?:${NP}{3,60}?)\\s${HAS}(?:oust(?:s|ed)|fired?|fires|sack(?:s|ed)|dismiss(?:es|ed)|remove[sd]|replace[sd]|succeed(?:s|ed))\\s(?:(?:its|the|their)\\s)?${TITLES}(?-i:(?<who>${NAME}))(?!['’])`,
    "$<who> left office",
    LEAVES,
  ),
  paraphrase(
    "(?:was|were|been|is)\\s(?:ousted|fired|sacked|dismissed|removed|replaced|succeeded|forced\\sout|pushed\\sout|voted\\sout)\\b",
    "left office",
    LEAVES,
  ),
  paraphrase(
    `${START}(?<before>${NP}{3,90}?),\\s(?:replacing|succeeding)\\s${TITLES}(?-i:(?<who>${NAME}))(?!['’])`,
    "$<who> left office",
    LEAVES,
  ),
  paraphrase(
    `${START}(?:${NP}{3,60}?)\\s${HAS}part(?:s|ed)\\s(?:ways|company)\\swith\\s(?:(?:its|the|their)\\s)?${TITLES}(?-i:(?<who>${NAME}))(?!['’])`,
    "$<who> left office",
    LEAVES,
  ),
  paraphrase("is\\s(?:out\\sas\\s|no\\slonger\\s(?:the\\s)?(?=\\p{Ll}))", "left office as ", LEAVES),
  paraphrase(
    "(?:lost|loses)\\s(?:his|her|their|the)\\s(?:job|post|position|role)\\s(?:of|as)\\s",
    "left office as ",
    LEAVES,
  ),
  paraphrase("(?:lost|loses)\\s(?:his|her|their|the)\\s(?:job|post|position|role)\\b", "left office", LEAVES),
  paraphrase(
    "left\\s(?=(?:the\\scompany|the\\sclub|the\\spost|(?:his|her|their)\\s(?:job|post)|(?-i:\\p{Lu}[\\p{L}-]*)(?:[,.;]|\\s(?:on|in|after|at|last|with|for|amid|by)\\s|$)))",
    "left office at ",
    LEAVES,
  ),
  paraphrase("(?:walked|walks)\\sfree\\sfrom\\s|left\\s(?=prison\\b)", "was released from ", { outcomes: ["free"] }),
  paraphrase("(?:won|wins)\\s(?=(?:the|a)\\s(?:no-)?confidence\\svote)", "survived ", { outcomes: ["survive"] }),
  paraphrase(
    `(?:(?:saw|sees|fought|fended|beat|warded)\\s(?:off|back)|defeat(?:s|ed)|overc[ao]mes?|wins|won)\\s(?=${CONFIDENCE})`,
    "survived ",
    SURVIVE,
  ),
  paraphrase(
    `(?:loses|lost|(?:was|were|been)\\s(?:toppled|ousted|brought\\sdown|defeated|voted\\sout|unseated)\\s(?:by|in|after|through))\\s(?=${CONFIDENCE})`,
    "did not survive ",
    SURVIVE,
  ),
  paraphrase(
    "(?:calls|called|brings|brought)\\s(?:time|an\\send|the\\scurtain\\sdown|down\\sthe\\scurtain)\\s(?:on|to)\\s(?:an?|his|her|their)\\s(?<career>[^,;.]{0,40}?)career\\b|(?:ends|ended)\\s(?:his|her|their)\\s(?<other>[^,;.]{0,40}?)career\\b|h[au]ng(?:s|ed)?\\sup\\s(?:his|her|their)\\s(?:boots|gloves|racket|skates|spikes|helmet)\\b",
    "retired from $<career>$<other>",
    { asks: /\bretire/iu },
  ),
  paraphrase(
    "(?:took|takes|has\\staken)\\sthe\\soath(?:\\sof\\soffice)?\\sas\\s|(?:was|is|has\\sbeen)\\sinaugurated\\sas\\s",
    "was sworn in as ",
    { asks: /\bsworn\sin\b/iu },
  ),
  paraphrase("passed\\saway\\b", "died", { asks: /\bdie\b/iu }),
  // "Zadie Marlowe and Tomasz Grell tied the knot"
  paraphrase(
    `${START}(?-i:(?<one>${NAME}))\\sand\\s(?-i:(?<two>${NAME}))\\s${HAS}(?:tied\\sthe\\sknot|exchanged\\s(?:wedding\\s)?vows|(?:(?:got|were)\\s)?(?:wed|married))\\b`,
    "$<one> married $<two>",
    MARRIAGE,
  ),
  paraphrase(
    `^.*?\\bpronounced\\s(?:[\\p{Ll}-]+\\s){0,2}?(?-i:(?<one>${NAME}))\\sand\\s(?-i:(?<two>${NAME}))\\s(?:husband|man|wife)\\sand\\s(?:wife|husband)\\b`,
    "$<one> married $<two>",
    MARRIAGE,
  ),
  // "granted Silas Crewe a full pardon", "issued a pardon to Silas Crewe"
  paraphrase(
    `(?:grant(?:s|ed)|gives|gave|issue[sd])\\s(?-i:(?<who>${NAME}))\\san?\\s(?:(?!conditional|partial)\\p{L}+\\s)?pardon\\b`,
    "pardoned $<who>",
    PARDON,
  ),
  paraphrase(
    "(?:grant(?:s|ed)|gives|gave|issue[sd]|signs|signed)\\san?\\s(?:(?!conditional|partial)\\p{L}+\\s)?pardon\\s(?:to|for)\\s",
    "pardoned ",
    PARDON,
  ),
  paraphrase(
    `(?:was|were|been)\\s(?:handed\\sover|surrendered|(?:sent|flown|deported|transferred)(?=.*\\bextradit))\\sto\\s(?=(?-i:\\p{Lu}))`,
    "was extradited to ",
    { asks: /\bextradited\b/iu },
  ),
];
