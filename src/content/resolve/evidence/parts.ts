import { type Relation } from "../reading/analysis.ts";

/** A question of two events, as two questions of one event each. */
export interface Parts {
  readonly relation: Relation;
  readonly first: string;
  readonly second: string;
}

const ORDER =
  /^(.{8,}?)\s(before|after|avant\sque|avant|après|bevor|nachdem|vor|nach|antes\sde\sque|antes\sque|antes\sdel?|después\sde\sque|después\sdel?|prima\sche|prima\sd(?:i|el|ella|ello|ei|elle|ell['’])|dopo\sche|dopo|antes\sd[eoa]s?|depois\sd[eoa]s?)\s(.{4,})$/iu;
const CONDITION =
  /^(?:if|falls|wenn|si|se|caso)\s(.{8,}?),\s(?:then\s|dann\s|alors\s|entonces\s|allora\s|então\s)?(.{8,})$/iu;
const BOTH =
  /^(.*?)\b(?:both|sowohl|à\sla\sfois|tanto|sia)\s(.{3,}?)\s(?:and|als\sauch|et|como|sia|quanto)\s(.{3,})$/iu;
const AND =
  /^(.{8,}?)\s(?:and|und|et|y|e|ed)\s(?:also\s|then\s|zugleich\s|auch\s|aussi\s|también\s|anche\s|também\s)?(\p{Ll}+\s?.*)$/u;
/** "and deploy its rover": a word before a determiner or a name is a verb. */
const BASE_VERB = /^(?!and\s)\p{Ll}{3,}(?<!ly)\s(?:its?|the|an?|his|her|their|all|\p{Lu}\S*)(?:\s|$)/u;
/** Endings of Romance past forms. */
const PAST = /(?:[oe]u|iu|[aei]ram|ó|aron|ieron|[aiu]t[oi]|é|u|ait)$/u;
const INFINITIVE = /^\p{Ll}{2,}(?:[aei]re?|[aei]r)$/u;
/** "Hat Anna vor Berta das Ziel erreicht": two names. */
const GERMAN_ORDER = /^(Hat|Ist|Wird)\s((?:\p{Lu}\S*\s)+)(vor|nach)\s((?:\p{Lu}[^\d\s]*\s)+)(\p{Ll}.{6,})$/u;
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
  const condition = CONDITION.exec(text);
  if (condition !== null)
    return { relation: "if", first: `${condition[1]}?`, second: `${condition[2]?.replace(/\sas\swell\b/u, "")}?` };
  const both = BOTH.exec(text);
  if (both !== null) return bothOf(both, isVerb);
  const german = GERMAN_ORDER.exec(text);
  if (german !== null) {
    const [, have, one, word, other, rest] = german;
    const relation = word === "vor" ? "before" : "after";
    return { relation, first: `${have} ${one}${rest}?`, second: `${have} ${other}${rest}?` };
  }
  const order = ORDER.exec(text);
  if (order !== null && !TIME.test(order[3] ?? "")) return orderOf(order, isVerb);
  const and = AND.exec(text);
  if (and === null) return undefined;
  const [, head = "", tail = ""] = and;
  const [verb = ""] = tail.split(/\s/u);
  const own = ownSubjectOf(head, tail, isVerb);
  if (own !== undefined) return { relation: "and", first: `${head}?`, second: `${own}?` };
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

/** "Will A pass the budget and the cabinet survive the vote": the second event, if it has a subject of its own. */
function ownSubjectOf(head: string, tail: string, isVerb: (word: string) => boolean): string | undefined {
  const [auxiliary = ""] = head.split(/\s/u);
  if (!ARTICLE.test(tail)) return undefined;
  if (/^(?:Hat|Haben|Wird|Werden)$/u.test(auxiliary))
    return TWO_PHRASES.test(tail) && isVerb(/\S+$/u.exec(tail)?.[0] ?? "") ? `${auxiliary} ${tail}` : undefined;
  const words = tail.split(/\s+/u);
  if (!/^(?:Did|Will)$/u.test(auxiliary))
    return words.slice(1, 6).some((word, at) => HAVE.test(word) && PAST.test(words[at + 2] ?? "")) && HAS.test(head)
      ? tail
      : undefined;
  const verb = words.findIndex(
    (word, at) =>
      at > 1 && (word === "be" || (isVerb(word) && /^(?:the|an?|its|his|her|their)$/u.test(words[at + 1] ?? ""))),
  );
  return verb > 1 && verb < 6 ? `${auxiliary} ${tail}` : undefined;
}

const HAVE = /^(?:ha|hanno|a|ont|han|hat|haben|tem|têm)$/u;
const HAS = /\s(?:ha|hanno|a|ont|han)\s/u;
const TWO_PHRASES = /^(?:der|die|das|ein|eine)\s\S+\s(?:den|die|das|dem|einen?|seinen?|seine|ihren?)\s/u;

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
  const rival = rivalOf(head, rest, isVerb);
  if (rival !== undefined) return { relation, first: `${head}?`, second: `${rival}?` };
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

/** "Will the Bank of A cut rates before the Bank of B": the second event, with the predicate of the first. */
function rivalOf(head: string, rest: string, isVerb: (word: string) => boolean): string | undefined {
  const other = rest
    .replace(/\s(?:in|en|em|na|no|im|dans)\s(?:\S+\s){0,3}\d{4}$/u, "")
    .replace(/^(?:its|their)\srivals?\s/u, "");
  const isEnglish = /^(?:Did|Will)\s/u.test(head);
  const subject = (isEnglish ? (subjectOf(head, isVerb) ?? "") : subjectBefore(head, isVerb)).trim();
  const own = subject.replace(/^(?:Did|Will)\s/u, "");
  if (own === "" || !isLike(own, other)) return undefined;
  // "quello di Castagneto": the noun of the first event.
  const that = /^(?:quello|quella|celui|celle|el|la|o|a)\s(d(?:i|e|el|a|o)\s.+)$/u.exec(other);
  const named = that === null ? other : `${own.replace(/\sd(?:i|e|el|a|o)\s.*$/u, "")} ${that[1]}`;
  const predicate = head.slice(subject.length);
  // The verb is unknown, so that the end of the subject is too.
  if (/^\s(?:of|in|at|on|for|from)\s/u.test(predicate)) return undefined;
  return isEnglish ? `${head.split(" ")[0]} ${named}${predicate}` : `${named}${predicate}`;
}

/** The words of a Romance question before its verb. */
function subjectBefore(head: string, isVerb: (word: string) => boolean): string {
  if (/^(?:Was|Were|Is|Are|Has|Have|Hat|Haben|Ist|Sind|Wurden?|Wird|Werden)\s/u.test(head)) return "";
  const inverted = /^(.{3,}?)\s(?:a-t-|ont-|est-|sont-|\p{L}+-t-|\p{L}+ront-)(?:ils?|elles?)\s/u.exec(head);
  if (inverted !== null) return inverted[1] ?? "";
  const words = head.split(/\s+/u);
  const verb = words.findIndex((word, at) => at > 1 && /^\p{Ll}{3}/u.test(word) && isVerb(word));
  if (verb < 0) return "";
  return words.slice(0, HAVE.test(words[verb - 1] ?? "") ? verb - 1 : verb).join(" ");
}

/** Whether a phrase names another one of the same kind: two names, or a noun of both. */
function isLike(one: string, other: string): boolean {
  if (/^(?:\p{Lu}\S*\s?)+$/u.test(other) || /^(?:quello|quella|celui|celle)\s/u.test(other)) return /\p{Lu}/u.test(one);
  const nouns = new Set(one.split(/\s+/u).filter((word) => word.length > 2 && !ARTICLE.test(`${word} `)));
  return ARTICLE.test(other) && other.split(/\s+/u).some((word) => nouns.has(word));
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
