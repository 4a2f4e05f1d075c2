import { type Relation } from "../reading/analysis.ts";

/** A question of two events, as two questions of one event each. */
export interface Parts {
  readonly relation: Relation;
  readonly first: string;
  readonly second: string;
}

const ORDER =
  /^(.{8,}?)\s(before|after|avant\sque|avant|après|bevor|nachdem|vor|nach|antes\sde\sque|antes\sque|antes\sdel?|después\sde\sque|después\sdel?|prima\sche|prima\sd(?:i|el|ella|ello|ei|elle|ell['’])|dopo\sche|dopo|antes\sd[eoa]s?|depois\sd[eoa]s?)\s(.{4,})$/iu;
const BOTH =
  /^(.*?)\b(?:both|sowohl|à\sla\sfois|tanto|sia)\s(.{3,}?)\s(?:and|als\sauch|et|como|sia|quanto)\s(.{3,})$/iu;
const AND = /^((?:Did|Has|Have|Will|Was|Were|Is)\s.{4,}?)\sand\s(?:also\s|then\s)?(\p{Ll}+\s?.*)$/u;
/** A time is not an event. */
const TIME =
  /^(?:the\s)?(?:end|start|beginning|close|midnight|noon|\d|(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|christmas|easter|q\d)\b|[^\s]+\s?\d{4}$|1er\s|(?:le|el|il|o|a|den?|dem|am)\s\d)/iu;
const ARTICLE = /^(?:the|a|an|le|la|les|l['’]|el|los|las|il|lo|i|gli|o|os|as|der|die|das|dem|den)(?:\s|(?<=['’]))/iu;

/** The two events of a question. Undefined if it asks for one event. `isVerb` recognises the word for what happens. */
export function partsOf(question: string, isVerb: (word: string) => boolean): Parts | undefined {
  const text = question
    .trim()
    .replace(/^¿/u, "")
    .replace(/[?？\s]+$/u, "");
  const both = BOTH.exec(text);
  if (both !== null) return bothOf(both, isVerb);
  const order = ORDER.exec(text);
  if (order !== null && !TIME.test(order[3] ?? "")) return orderOf(order, isVerb);
  const and = AND.exec(text);
  if (and === null) return undefined;
  const [, head = "", tail = ""] = and;
  if (!isVerb(tail.split(/\s/u)[0] ?? "")) return undefined;
  const subject = subjectOf(head, isVerb);
  return subject === undefined ? undefined : { relation: "and", first: `${head}?`, second: `${subject} ${tail}?` };
}

/** "Did the rover both land and drive": the words before "both" belong to each part. */
function bothOf(
  [, head = "", one = "", other = ""]: RegExpExecArray,
  isVerb: (word: string) => boolean,
): Parts | undefined {
  const first = other.split(/\s/u)[0] ?? "";
  if (!isVerb(first) && !isVerb(one.split(/\s/u)[0] ?? "")) return undefined;
  return { relation: "and", first: `${head}${one}?`, second: `${head}${other}?` };
}

function orderOf(
  [, head = "", word = "", rest = ""]: RegExpExecArray,
  isVerb: (word: string) => boolean,
): Parts | undefined {
  const relation = /^(?:before|avant|bevor|vor|antes|prima)/iu.test(word) ? "before" : "after";
  const words = rest.split(/\s+/u);
  const hasVerb = words.some((one, at) => at > 0 && /^\p{Ll}/u.test(one) && isVerb(one));
  if (hasVerb) return { relation, first: `${head}?`, second: `${rest}?` };
  // "Was Heron launched before Kestrel?": the second event has the same verb.
  const predicate = /^(\S+)\s(.*?)\s(\p{Ll}[\p{Ll}-]*(?:\s(?:off|up|down|out))?)$/u.exec(head);
  const [verb = "", ...others] = head.split(/\s+/u);
  if (others.length > 0 && /\p{L}ó$/u.test(verb) && isVerb(verb))
    return { relation, first: `${head}?`, second: `${verb} ${rest}?` };
  if (predicate === null || !isVerb(predicate[3] ?? "") || !/\p{Lu}|\d/u.test(rest)) {
    // "before the referendum": an event without a verb, whose date the pages must give.
    return ARTICLE.test(rest) ? { relation, first: `${head}?`, second: `${rest}?` } : undefined;
  }
  return { relation, first: `${head}?`, second: `${predicate[1]} ${rest} ${predicate[3]}?` };
}

/** The auxiliary and the subject of a question: the words before its first verb. */
function subjectOf(head: string, isVerb: (word: string) => boolean): string | undefined {
  const words = head.split(/\s+/u);
  const verb = words.findIndex((word, at) => at > 1 && /^\p{Ll}/u.test(word) && isVerb(word));
  return verb < 2 ? undefined : words.slice(0, verb).join(" ");
}
