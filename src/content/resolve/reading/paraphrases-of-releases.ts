import { type Paraphrase, paraphrase } from "./paraphrase.ts";

const RELEASE = { outcomes: ["release"] };

/** Constructions about what a firm releases, and what it puts off. */
export const RELEASES: readonly Paraphrase[] = [
  paraphrase("(?:beg[au]n|begins|started|starts)\\s(?:selling|shipping)\\s", "released ", RELEASE),
  paraphrase(
    "(?:hit|hits|reached|reaches)\\s(?:stores|shops|shelves|the\\sshelves|shop\\sshelves)\\b",
    "went on sale",
    RELEASE,
  ),
  paraphrase(
    "ha(?:s|ve)\\sbeen\\s(?:available|on\\ssale)(?:\\s(?:in|at)\\s(?:shops|stores))?\\ssince\\s",
    "went on sale on ",
    RELEASE,
  ),
  // "Today we are releasing Cygnus 5", "Cygnus 5 is rolling out to all users"
  paraphrase(
    "(?<=\\btoday\\b.*?)\\b(?:is|are)\\s(?:releasing|launching|introducing)\\s|(?:is|are)\\s(?:now\\s|today\\s)?(?:releasing|launching|introducing)\\s(?=[^.;]*\\b(?:today|(?<!\\bfrom\\s)now)\\b)",
    "released ",
    RELEASE,
  ),
  paraphrase(
    "(?:is|are)\\s(?:now\\savailable|rolling\\sout|(?:generally\\s)?available)\\s?(?:(?:today|now|from\\stoday|starting\\stoday|as\\sof\\stoday)\\b|(?:worldwide|to\\s(?:everyone|all\\s\\p{L}+))\\b)(?![^.;]*\\b(?:preview|beta|alpha|pre-?order|testers|partners|waiting\\slist|waitlist)\\b)",
    "was released",
    RELEASE,
  ),
  // "released its new model, Cygnus 5"
  paraphrase(
    "(?<verb>released|releases|launched|launches)\\s(?:its|their|an?|the)\\s(?:[\\p{L}-]+\\s){1,5}(?:model|phone|smartphone|tablet|console|game|album|film|car|truck|chip|headset|device|system|app|browser|watch|laptop|drug|vaccine),\\s(?=(?-i:\\p{Lu})[\\p{L}\\d\\s.-]*?(?:[,;]|\\.?$|\\s(?:to|in|on|for|with|at|after|worldwide)\\b)(?<!\\band\\s.*))",
    "$<verb> ",
    RELEASE,
  ),
  // "has pushed the flight to November"
  paraphrase(
    "push(?:es|ed)\\s(?<thing>(?:the\\s|its\\s)?[^,;.]{3,50}?)\\s(?:in)?to\\s(?=(?:early\\s|late\\s|mid-)?(?:(?-i:January|February|March|April|May|June|July|August|September|October|November|December)|20\\d\\d|next\\s\\p{L}+))",
    "postponed $<thing> to ",
    { outcomes: ["launch", "release", "open"] },
  ),
];
