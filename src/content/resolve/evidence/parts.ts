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
const AND =
  /^(.{8,}?)\s(?:and|und|et|y|e|ed)\s(?:also\s|then\s|zugleich\s|auch\s|aussi\s|también\s|anche\s|também\s)?(\p{Ll}+\s?.*)$/u;
/** "and deploy its rover": a word before a determiner or a name is a verb. */
const BASE_VERB = /^(?!and\s)\p{Ll}{3,}(?<!ly)\s(?:its?|the|an?|his|her|their|all|\p{Lu}\S*)(?:\s|$)/u;
/** Endings of Romance past forms. */
const PAST = /(?:[oe]u|iu|[aei]ram|ó|aron|ieron|[aiu]t[oi]|é|u|ait)$/u;
const INFINITIVE = /^\p{Ll}{2,}(?:[aei]re?|[aei]r)$/u;
/** A time is not an event. */
const TIME =
  /^(?:the\s)?(?:end|start|beginning|close|midnight|noon|\d|(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|christmas|easter|q\d)\b|[^\s]+\s?\d{4}$|1er\s|(?:le|el|il|o|a|den?|dem|am)\s\d)/iu;
const ARTICLE =
  /^(?:the|a|an|its|his|her|their|le|la|les|l['’]|el|los|las|il|lo|i|gli|o|os|as|der|die|das|dem|den)(?:\s|(?<=['’]))/iu;

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
  const [verb = ""] = tail.split(/\s/u);
  if (/^(?:Hat|Haben|Ist|Sind|Wurden?)\s/u.test(head)) return germanOf(head, tail, isVerb);
  const isEnglish = /^(?:Did|Has|Have|Will|Was|Were|Is)\s/u.test(head);
  if (
    !isVerb(verb) &&
    !(isEnglish ? /^(?:Did|Will)\s/u.test(head) && BASE_VERB.test(tail) : PAST.test(verb) && verb.length > 4)
  )
    return undefined;
  if (!isEnglish && isVerb(head.split(/\s/u)[0] ?? ""))
    return { relation: "and", first: `${head}?`, second: `${tail}?` };
  const subject = subjectOf(head, isVerb);
  return subject === undefined ? undefined : { relation: "and", first: `${head}?`, second: `${subject} ${tail}?` };
}

/** "Did the rover both land and drive": the words before "both" belong to each part. */
function bothOf(
  [, head = "", one = "", other = ""]: RegExpExecArray,
  isVerb: (word: string) => boolean,
): Parts | undefined {
  const first = other.split(/\s/u)[0] ?? "";
  // "the shareholders of both Aldine Bank and Fenwick Bank approve": two names.
  const named = /^((?:\p{Lu}\S*\s)+)(\p{Ll}.*)$/u.exec(other);
  if (named !== null && /^(?:\p{Lu}\S*\s?)+$/u.test(one))
    return { relation: "and", first: `${head}${one} ${named[2]}?`, second: `${head}${named[1]}${named[2]}?` };
  if (!isVerb(first) && !isVerb(one.split(/\s/u)[0] ?? "")) return undefined;
  return { relation: "and", first: `${head}${one}?`, second: `${head}${other}?` };
}

function orderOf(
  [, head = "", word = "", rest = ""]: RegExpExecArray,
  isVerb: (word: string) => boolean,
): Parts | undefined {
  const relation = /^(?:before|avant|bevor|vor|antes|prima)/iu.test(word) ? "before" : "after";
  const words = rest.split(/\s+/u);
  // "before Y did": the second event has the same predicate.
  const elliptic = /^(.+)\s(?:did|does|was|were|had|has)$/iu.exec(rest);
  const subject = elliptic === null ? undefined : (NAMED_SUBJECT.exec(head)?.[0].trim() ?? subjectOf(head, isVerb));
  if (elliptic !== null && subject !== undefined)
    return {
      relation,
      first: `${head}?`,
      second: `${head.split(" ")[0]} ${elliptic[1]}${head.slice(subject.length)}?`,
    };
  const hasVerb = words.some((one, at) => at > 0 && /^\p{Ll}/u.test(one) && isVerb(one));
  // "antes de recibir el premio": the subject is that of the first event.
  const romance = INFINITIVE.test(words[0] ?? "") ? /^\p{L}+[óouié]u?\s((?:\p{Lu}\S*\s?)+)/u.exec(head) : null;
  if (romance !== null)
    return { relation, first: `${head}?`, second: `${words[0]} ${romance[1]?.trim()} ${words.slice(1).join(" ")}?` };
  if (hasVerb) return { relation, first: `${head}?`, second: `${rest}?` };
  // "Was Heron launched before Kestrel?": the second event has the same verb.
  const predicate = /^(\S+)\s(.*?)\s(\p{Ll}[\p{Ll}-]*(?:\s(?:off|up|down|out))?)$/u.exec(head);
  const [verb = "", ...others] = head.replace(/^se\s/iu, "").split(/\s+/u);
  if (others.length > 0 && /\p{L}ó$/u.test(verb) && isVerb(verb))
    return { relation, first: `${head}?`, second: `${verb} ${rest}?` };
  if (predicate === null || !isVerb(predicate[3] ?? "") || !/\p{Lu}|\d/u.test(rest)) {
    // "before the referendum", "before Tern Dynamics": an event without a verb, whose date the pages must give.
    return ARTICLE.test(rest) || /\p{Lu}/u.test(rest) ? { relation, first: `${head}?`, second: `${rest}?` } : undefined;
  }
  return { relation, first: `${head}?`, second: `${predicate[1]} ${rest} ${predicate[3]}?` };
}

/** "Hat der Rat den Haushalt beschlossen und die Steuer erhöht": the verbs stand last. */
function germanOf(head: string, tail: string, isVerb: (word: string) => boolean): Parts | undefined {
  const isLast = (text: string): boolean => isVerb(/\S+$/u.exec(text)?.[0] ?? "");
  const subject = /^\S+\s(?:(?:der|die|das|ein|eine)\s)?(?:(?!(?:de[nmr]|d[ai]s|die|einen?|eine)\s)\S+\s)+/u.exec(
    head,
  )?.[0];
  return subject !== undefined && isLast(head) && isLast(tail)
    ? { relation: "and", first: `${head}?`, second: `${subject}${tail}?` }
    : undefined;
}

/** "Did the Ferry Aurora": an auxiliary and a name. */
const NAMED_SUBJECT = /^(?:Did|Will)\s(?:the\s|an?\s)?(?:\d{4}\s)?(?:\p{Lu}[^\s]*(?:\s|$))+/u;

/** The auxiliary and the subject of a question: the words before its first verb. */
function subjectOf(head: string, isVerb: (word: string) => boolean): string | undefined {
  const words = head.split(/\s+/u);
  const verb = words.findIndex((word, at) => at > 1 && /^\p{Ll}/u.test(word) && isVerb(word));
  if (verb >= 2) return words.slice(0, verb).join(" ");
  return NAMED_SUBJECT.exec(head)?.[0].trim();
}
