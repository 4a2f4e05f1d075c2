/** A construction, and the plain verb with its subject and object that says the same. */
export interface Paraphrase {
  /** It is read for questions of these outcomes, or of any outcome. */
  readonly outcomes?: readonly string[];
  /** A pattern that the question matches. */
  readonly asks?: RegExp;
  readonly from: RegExp;
  /** The plain words, with the groups of `from`. */
  readonly to: string;
  /** Whether the groups of `from` fit. */
  readonly fits?: (groups: Readonly<Record<string, string>>) => boolean;
}

/** The beginning of a clause. A conjunction stays before the plain words, so that it governs them. */
export const START = String.raw`(?<=^|[,;:–—]\s|\b(?:that|if|whether|when|after|before|because|and|but|as|while|unless)\s)`;
/** Words of one clause. */
export const NP = String.raw`(?:(?!\b(?:that|if|whether|when|after|before|because|and|but|as|while|unless|who|which|whose)\b)[^,;:–—.()?!"“”])`;
/** A name and its parts, to the next preposition or mark. */
export const NAME = String.raw`(?:(?:the|an?)\s)?(?:[\p{L}'’-]+\s){0,3}?\p{Lu}[\p{L}'’.-]*(?:\s(?:(?:of|de|da|van|von|the)\s)*\p{Lu}[\p{L}'’-]*)*`;
export const BODY = String.raw`(?:[Tt]he\s|\p{Lu}[\p{L}-]*['’]s\s)?(?:(?:\p{Lu}[\p{L}-]*|national|federal|state|city|lower|upper)\s){0,2}(?:[Ss]enate|[Pp]arliament|[Cc]ongress|[Aa]ssembly|[Cc]ouncil|[Cc]hamber|[Ll]egislature|[Hh]ouse|[Bb]oard)(?:\sof\s(?:the\s)?\p{Lu}[\p{L}-]*(?:\s\p{Lu}[\p{L}-]*)*)?(?!['’]|\s(?:\p{L}+\s){0,2}(?:committee|panel|subcommittee|caucus|group|members?|president|speaker|leader))`;
/** Groups of people who vote, with their owner. */
export const VOTERS = String.raw`(?:[Tt]he\s|\p{Lu}[\p{L}-]*(?:\s\p{Lu}[\p{L}-]*){0,3}['’]s?\s)?(?:[Ss]hareholders|[Mm]embers|[Vv]oters|[Dd]elegates|[Cc]reditors|[Ww]orkers|[Rr]esidents|[Ll]awmakers|[Dd]eputies|[Ss]enators|MPs)(?:\s(?:of|in|at)\s(?:the\s)?\p{Lu}[\p{L}-]*(?:\s\p{Lu}[\p{L}-]*)*)?`;
export const NUMBER = String.raw`(?:(?:some|about|around|only|just|more\sthan|over|nearly|almost|roughly|at\sleast|a\stotal\sof)\s)?(?:\d[\d.,]*\d|\d)(?:\s(?:thousand|million))?`;
export const HAS = String.raw`(?:ha[sd]\s|have\s)?`;
export const CAN_BE_WON = String.raw`(?:title|championship|crown|trophy|cup|promotion|victory|prize|award|medal|gold)`;

export const CLEARANCE = String.raw`(?:(?:final|full|formal|regulatory|marketing)\s)?(?:approval|authori[sz]ation|clearance)`;

export const WIN = { outcomes: ["win", "win award"] };
export const ELECTED = { outcomes: [...WIN.outcomes, "elect"] };
export const APPROVE = { outcomes: ["approve", "enact", "reject"] };
export const UPHOLD = { outcomes: ["cancel", "repeal", "uphold"] };
export const CHALLENGE =
  "applications?|appeals?|challenges?|petitions?|complaints?|lawsuits?|bids?|requests?|motions?|attempts?|suits?";
export const RESTRICTION = String.raw`(?:its|the|their|a|an|all)\s(?:[\p{L}\d-]+\s){0,4}?(?:ban|restrictions?|sanctions|embargo|curfew|blockade|moratorium|tariffs?|suspension|lockdown|limits?|cap)\b`;
export const TRANSACTION = String.raw`(?:its|the|their|a|an)\s(?:[^,;\s]+\s){0,5}?(?:merger|acquisition|takeover|purchase|deal|sale)\b`;
/** Words for what a person is, before the name. */
export const TITLES = String.raw`(?:(?!(?:of|at|for|in|as)\s)\p{Ll}[\p{L}-]*\s){0,4}`;
export const LEAVES = { asks: /\bleave\soffice\b/iu };
export const RE_ELECTED = { outcomes: ["win", "elect"], asks: /\bre-?elect/iu };

/** A paraphrase of a pattern. Letters match in both cases, but inside `(?-i:)`. */
export function paraphrase(from: string, to: string, rest: Pick<Paraphrase, "outcomes" | "asks" | "fits">): Paraphrase {
  return { ...rest, from: new RegExp(from, "iu"), to };
}
