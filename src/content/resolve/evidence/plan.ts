import { type Plan } from "../reading/analysis.ts";
import { GRAMMARS, isFunctionWord } from "../reading/grammar.ts";
import { firstNumberOf } from "../reading/date-order.ts";
import { conceptsIn } from "../reading/concepts.ts";
import { datesOf } from "../reading/dates.ts";
import { COMPARING } from "../reading/comparisons.ts";
import { asElected } from "../reading/paraphrases-of-elections.ts";
import { partsOf } from "./parts.ts";
import { isCounting, spanOf } from "../reading/deadline.ts";
import { isEventNegated } from "../reading/negation.ts";
import { resolutionSourceOf } from "../reading/resolution-source.ts";
import { quantitiesOf } from "../reading/quantities.ts";
import { isContestWon, isName, thresholdsOf } from "../reading/thresholds.ts";
import { WORDS } from "../reading/vocabulary.ts";
import { type Language, languageOf, questionLanguage, STOP_WORDS, type Word, wordsOf } from "../reading/words.ts";
import { overlap } from "../reading/ranges.ts";

/** Maximum number of characters of question and criteria that are read. The operation accepts no longer questions. */
const MAX_QUESTION = 2_000;
const MAX_CRITERIA = 20_000;
/** Maximum number of terms that are compared with passages. */
const MAX_TERMS = 40;
/** Maximum number of words of a query. The index and the search engines read no more. */
const MAX_QUERY_WORDS = 24;
const MAX_QUERY_LENGTH = 300;

const FRAME =
  /^(?:(?:is|was)\s(?:it|this|the\sfollowing(?:\s(?:claim|statement))?)\s(?:really\s)?(?:true|correct|right|accurate|the\scase|a\sfact)(?:\sthat\s|\s?[:,]\s?|\s(?=["“«]))|(?:true\sor\sfalse|fact\scheck|claim|question)\s?[:,]\s|did\sit\shappen\sthat\s|(?:stimmt\ses|ist\ses\swahr),?\sdass\s|est[- ]il\s(?:vrai|exact)\sque\s|¿?es\s(?:cierto|verdad)\sque\s|[èé]\s(?:vero\sche|verdade\sque)\s)/iu;

/** Reads a question and its criteria. Dates without a year get the year nearest to `now`, Unix ms. */
export function planOf(question: string, criteria: string, now: number): Plan {
  const plan = simplePlanOf(question, criteria, now);
  const language = questionLanguage(question, criteria) ?? "en";
  const parts = partsOf(question.slice(0, MAX_QUESTION), language, now);
  if (parts === undefined) return plan;
  const { relation, first, second } = parts;
  const plans = [first, second].map((part) => ({
    ...withinSpan(simplePlanOf(part, criteria, now), plan),
    known: plan.terms,
  }));
  const [one, other] = plans;
  return one === undefined || other === undefined ? plan : { ...plan, parts: { relation, plans: [one, other] } };
}

/** A part of a question has the question's time, unless it names its own. */
function withinSpan(part: Plan, { deadline, from }: Plan): Plan {
  return { ...part, deadline: part.deadline ?? deadline, from: part.from ?? from };
}

function simplePlanOf(question: string, criteria: string, now: number): Plan {
  const asked = question.slice(0, MAX_QUESTION);
  const rules = criteria.slice(0, MAX_CRITERIA);
  const statement = statementOf(asked);
  const dates = datesOf(statement, now);
  const language = languageOf(asked);
  const all = quantitiesOf(statement, language, dates);
  const numbers = all.filter((one) => !isCounting(statement, dates, one));
  const others = [
    ...dates,
    ...all.filter(
      (number) => !isContestWon(statement, number) && (!numbers.includes(number) || !isName(statement, number)),
    ),
  ];
  const terms = termsOf(statement, language, others);
  const order = firstNumberOf(`${asked}\n${rules}`, languageOf(asked));
  const span = spanOf(statement, rules, { now, order });
  const resolutionSource = resolutionSourceOf(asked, rules);
  return {
    question,
    criteria,
    statement,
    isClaim: FRAME.test(asked.trim()),
    negated: isEventNegated(withoutQuotations(statement)),
    terms: terms.map((word) => word.stem),
    names: terms.filter((word) => word.capital).map((word) => word.stem),
    thresholds: thresholdsOf(statement, numbers),
    ...span,
    resolutionSource,
    queries: queriesOf(statement, terms, resolutionSource?.host ?? resolutionSource?.name),
  };
}

/** The question without its frame, the quotation marks around it and its question mark. */
function statementOf(question: string): string {
  let text = question.trim().replace(/\s+/gu, " ");
  for (let n = 0; n < 2; n += 1) text = text.replace(FRAME, "").trim();
  text = text.replace(/[?？¿\s]+$/u, "").replace(/^¿/u, "");
  const whole = /^["“«„']([^"“”«»„]*)["”»“'][.]?$/u.exec(text);
  return asElected(ofMarket((whole?.[1] ?? text).trim()))
    .replace(FIRST, "win ")
    .replace(VOTE_AGAINST, "$1 reject ")
    .replace(TURN_OUT, "$1 turnout $3 be $2")
    .replace(WILL_APPROVE, "will $<firm>'s $<thing> be approved$<rest>")
    .replace(DID_APPROVE, "was $<firm>'s $<thing> approved$<rest>")
    .replace(/\bbe\sre-?elected\b/iu, "win re-election")
    .replace(FORMER, "$<start>")
    .replace(FORMER_OFFICE, "$<start>$<name>")
    .replace(RATE, "interest rates")
    .replace(/(?<=\p{Lu}[\p{L}\d]*)\s\(\$?[A-Z]{2,6}\)/u, "")
    .replace(
      /\b(?:CPI|HICP|headline)\s(?=inflation\b)|\s?\(?\b(?:year[\s-]o(?:ver|n)[\s-]year|YoY|y\/y)(?:\)|\b)/giu,
      "",
    )
    .replace(FIRST_FLIGHT, "launch")
    .replace(BE_NEXT, "$<subject> become the ")
    .replace(OUT_AS, "will $<subject> leave office as ")
    .replace(LEAVE_FIRM, "$<start>$<who> leave office as $<role> of $<firm>")
    .replace(LEAVE_AS, "$<subject> leave office as ")
    .replace(STILL_AS, "will $<subject> not leave office as $<role> by ")
    .replace(BEFORE_DAY, "before ")
    .replace(/(?<=\b(?:resume|restart|suspend|halt)\s)(?:services?|operations?)(?=\s(?:by|before|in|on)\s|$)/iu, "")
    .replace(BE_CANDIDATE, "$<subject> become $<party>candidate")
    .replace(APPOSITION, (_, name: string | undefined, other = "") => `${name ?? other} `);
}

const NAME = String.raw`\p{Lu}[\p{L}'’-]+(?:\s\p{Lu}[\p{L}'’.-]*){0,3}`;
/** "the mayor of Dunmere, Orla Kemp, …", "Orla Kemp, the mayor of Dunmere, …": the name says who it is. */
const APPOSITION = new RegExp(
  String.raw`(?<!\p{L})the\s[^,]{3,60},\s(${NAME}),\s(?!(?:and|or)\s)|(${NAME}),\sthe\s[^,]{3,60},\s(?!(?:and|or)\s)`,
  "u",
);

const VOTE_AGAINST = /^((?:will|did|has|have)\s(?!more\b)[^,]{3,60})\svoted?\sagainst\s(?=(?:the|an?|its)\s)/iu;
/** "40 percent of voters turn out in the election": its turnout. */
const TURN_OUT =
  /^(did|will|has|have)\s(.{1,60}?)\sof\s(?:the\s)?(?:(?:registered|eligible)\s)?voters\s(?:turn(?:ed)?\sout|vote|take\spart|cast\sa\sballot)\s(in\s.+)$/iu;

const APPROVAL = String.raw`\s(?<firm>.{2,60}?)\s(?:get|gotten|received?|won|win|secured?|obtain(?:ed)?|gain(?:ed)?)\s(?:(?:final|full|regulatory|marketing)\s)?approval\sfor\s(?:its\s|their\s)?(?<thing>.+?)(?<rest>\s(?:in|by|before|on|from)\s.*)?$`;
/** "get approval for its drug": the drug is approved. */
const WILL_APPROVE = new RegExp(`^will${APPROVAL}`, "iu");
const DID_APPROVE = new RegExp(`^(?:did|has)${APPROVAL}`, "iu");

/** Other words for the one who wins. */
const FIRST = /(?<!\p{L})(?:finish|come|place)\sfirst\s(?:in|at)\s|(?<!\p{L})take\sfirst\splace\s(?:in|at)\s/iu;

/** "former warden Silas Crewe": the name says who it is. */
const FORMER_OFFICE = new RegExp(
  String.raw`^(?<start>(?:[Ww]ill|[Dd]id|[Hh]as|[Ii]s|[Ww]as)\s)(?:the\s)?(?:former|ex-)\s?(?:President|Prime\sMinister|Chancellor|Governor|Senator|Mayor|King|Queen)\s(?<name>${NAME})(?:\sof\s${NAME})?(?=\s\p{Ll})`,
  "u",
);
const FORMER =
  /^(?<start>(?:[Ww]ill|[Dd]id|[Hh]as|[Ii]s|[Ww]as)\s)(?:the\s)?(?:former|ex-)\s?(?:\p{Ll}[\p{L}-]*\s){1,3}(?=\p{Lu})/u;
/** The rate of a central bank has many names. */
const RATE =
  /(?<=\s)(?:its|the)\s(?:benchmark|policy|key|main|base|(?:official\s)?cash|repo|overnight|selic)\s(?:(?:interest|lending|policy)\s)?rates?(?!\p{L})|(?<=\s)(?:the\s)?(?:Bank\sRate|federal\sfunds\s(?:target\s)?(?:rate|range))(?!\p{L})|(?<=\s(?:cut|raise|hike|lower|reduce|increase|change)\s)rates(?!\p{L})/iu;
const FIRST_FLIGHT =
  /make\sits\s(?:first|maiden|inaugural)\s(?:(?:orbital|test)\s)?flight(?<=(?:rocket|launcher|launch\svehicle|booster).*)/iu;

/** "Will X be the next mayor of Denby": others choose who becomes it. */
const BE_NEXT = /^(?<subject>(?:will|is)\s.{3,80}?)\s(?:going\sto\s)?be(?:come)?\sthe\s(?:next|new)\s/iu;
const BE_CANDIDATE =
  /^(?<subject>(?:will|is|was)\s.{3,80}?)(?:\s(?:going\sto\s)?be)?\s(?<party>(?:the\s(?:[\p{L}-]+\s){0,3}?|(?:the\s)?\p{Lu}[\p{L}\s-]{2,40}['’]s?\s(?:[\p{L}-]+\s){0,2}?))(?:candidate|nominee)(?!\p{L})/iu;

/** An office, with up to three words before it. */
const OFFICE = String.raw`(?:[\p{L}-]+\s){0,3}?(?:chief\sexecutive|CEO|chair\p{L}*|president|premier|minister|chancellor|mayor|governor|leader|head|coach|manager|captain|director|speaker|secretary)(?!\p{L})`;
/** "Holm out as chief executive by June?", "be out as chief executive", "no longer be chief executive" */
const OUT_AS = new RegExp(
  String.raw`^(?<subject>(?!(?:will|is)\s)[^,?]{2,60}?)\sout\sas\s(?:the\s)?(?=${OFFICE})`,
  "iu",
);
const LEAVE_AS = new RegExp(
  String.raw`^(?<subject>(?:will|did|has)\s.{2,60}?)\s(?:(?:(?:be|been)\s(?:out|gone)|leave|left|depart(?:ed)?|exit(?:ed)?)\sas\s|(?:cease\sto|no\slonger|stop)\sbe(?:ing)?\s)(?:the\s)?(?=${OFFICE})`,
  "iu",
);
/** "Chief Executive Tom Varga leave Orbis" */
const LEAVE_FIRM = new RegExp(
  String.raw`^(?<start>(?:[Ww]ill|[Dd]id|[Hh]as)\s)(?:its\s|the\s)?(?<role>(?:[Cc]hief\s[Ee]xecutive|CEO|[Pp]resident|[Hh]ead\s[Cc]oach|[Cc]oach|[Mm]anager|[Cc]hairman|[Cc]hair))\s(?<who>${NAME})\s(?:leave|quit|exit|depart)\s(?<firm>\p{Lu}[\p{L}'’-]*)`,
  "u",
);
/** "still be chief executive on 30 June": the holder of an office has not left it. */
const STILL_AS = new RegExp(
  String.raw`^(?:will|did|is|was|does)\s(?<subject>.{2,60}?)\s(?:still\sbe|be\sstill|still|remain|stay(?:\son)?(?:\sas)?|continue\s(?:as|to\sbe))\s(?:the\s)?(?<role>${OFFICE}(?:\s(?:of|at|for)\s[^,?]{2,60}?)?)\s(?:on|through|until|as\sof|at|by)\s(?=[^,]{0,20}\d)`,
  "iu",
);

/** "before the transfer window closes on 1 September": the day is the deadline. */
const BEFORE_DAY =
  /(?<!\p{L})before\s[^,?]{2,60}?\s(?:closes|ends|opens|begins|starts|expires|meets|convenes|adjourns)\son\s/iu;

/** "Who will win the cup? – Westmere": one of several outcomes of a market. */
const ONE_OF =
  /^(?:who|which\s[\p{L}\s]{1,40}?|what)\s(will|did|has|is|was)\s([^?]{1,300})\?\s*(?:[–—-]|:)\s+(\S.*)$/iu;
/** "Marvia CPI: will inflation be below 3 %?" */
const TOPIC = /^([^:?]{2,80}):\s(will|did|does|has|is|was)\s(?:(he|she|it|they)\s)?(.+)$/iu;
/** "How many goals did X score? – 3": the number is one of several outcomes. */
const HOW_MANY =
  /^how\s(?:many|much)\s([\p{L}\s]{2,40}?)\s(will|did|has|have|does|do)\s([^?:]{1,300}?)\??\s*(?:[–—:-])\s*(\S.*)$/iu;
const VERB = /(?<!\p{L})(?:will|did|has|is|was|wins?|won|be|gets?|takes?)(?!\p{L})/iu;

/** The statement of a market that does not ask in one sentence. */
function ofMarket(text: string): string {
  const [, aux = "", rest = "", outcome = ""] = ONE_OF.exec(text) ?? [];
  if (outcome !== "") return VERB.test(outcome) ? outcome : `${aux} ${outcome} ${rest}`;
  const [, counted = "", auxiliary = "", event = "", count = ""] = HOW_MANY.exec(text) ?? [];
  if (counted !== "") return `${auxiliary} ${event} ${count} ${counted}`;
  const [, topic = "", verb = "", pronoun, asked = ""] = TOPIC.exec(text) ?? [];
  if (topic === "") return text;
  if (pronoun !== undefined) return `${verb} ${topic} ${asked}`;
  const names = topic.replace(/(?<!\p{L})\p{Lu}{2,5}(?!\p{L})/gu, "").trim();
  return names === "" ? text : `${verb} ${asked} in ${names}`;
}

function withoutQuotations(text: string): string {
  return text.replace(/["“«„][^"“”«»„]{0,400}["”»]/gu, " ");
}

/** The words that matter, each once, names and numbers first. Words inside `others`, such as dates, do not count. */
function termsOf(
  statement: string,
  language: Language | undefined,
  others: readonly { readonly start: number; readonly end: number }[],
): Word[] {
  const seen = new Set<string>();
  const kept: Word[] = [];
  const words = wordsOf(statement);
  const grammar = GRAMMARS[language ?? "en"];
  for (const [index, word] of words.entries()) {
    if (
      isDescription(words, index) ||
      isFunctionWord(word.text, grammar) ||
      STOP_WORDS.has(word.text) ||
      COMPARING.test(word.text) ||
      seen.has(word.stem) ||
      (word.text.length < 2 && !word.capital)
    )
      continue;
    if (others.some((other) => overlap(word, other))) continue;
    // "by the end of June"
    const isMeeting = MEETING.test(word.text);
    const isBefore = others.some(({ start }) => OF_DATE.test(statement.slice(word.end, start)));
    if ((isMeeting || WORDS.time.has(word.text)) && isBefore) continue;
    if (isMeeting && others.some(({ end }) => OF_DATE.test(statement.slice(end, word.start)))) continue;
    seen.add(word.stem);
    kept.push(
      index === 0 || (language === "de" && isGermanNoun(words[index - 1])) ? { ...word, capital: false } : word,
    );
  }
  return kept.slice(0, MAX_TERMS);
}

const OF_DATE = /^\s(?:(?:of|on|in|de|del|di|do|des|the|am|im|vom)\s)?$/u;
/** "at its meeting on 10 September", "at its September meeting": the date says when. */
const MEETING = /^(?:meeting|sitting|session|sitzung|reunion|riunione|reuniao)$/u;

/** German nouns have capital letters too. After an article or a number, such a word is common. */
function isGermanNoun(previous: Word | undefined): boolean {
  return (
    previous !== undefined &&
    (/^\d|^(?:im|am|zum|zur|vom|beim)$/u.test(previous.text) ||
      GRAMMARS.de.determiner.has(previous.text) ||
      UNITS.test(previous.text))
  );
}

const UNITS = /^(?:millionen|milliarden|euro|prozent|tonnen|firma|trainer)$/u;

/** "the weather satellite Kestrel": words between an article and a name describe what the name says already. */
function isDescription(words: readonly Word[], at: number): boolean {
  let name = at;
  while (name < at + 4 && words[name]?.capital === false && beside(words, name)) name += 1;
  let article = at;
  while (article > at - 4 && words[article]?.capital === false && !ARTICLE.test(words[article]?.text ?? ""))
    article -= 1;
  return (
    name > at &&
    words[name]?.capital === true &&
    /^\p{L}/u.test(words[name]?.text ?? "") &&
    !isVerbAt(words, name - 1) &&
    !words.slice(Math.max(0, article) + 1, name).some(({ text }) => STOP_WORDS.has(text)) &&
    ARTICLE.test(words[article]?.text ?? "") &&
    article < at &&
    !words.slice(article, name).some(({ text }) => text === "s" || ORDER.test(text))
  );
}

/** "Did the council elect Marlow", "did the regulator fine Tecnova": the word before a name is the verb. */
function isVerbAt(words: readonly Word[], at: number): boolean {
  if (!WORDS.generic.has(words[at]?.text) && conceptsIn(words.slice(at, at + 1)).size > 0) return true;
  const behind = words.findIndex(({ capital }, n) => n > at && !capital);
  const isLast = behind < 0 || GRAMMARS.en.preposition.has(words[behind]?.text);
  return words[0]?.text === "did" && isLast && !ARTICLE.test(words[at - 1]?.text ?? "");
}

const ARTICLE = /^(?:the|der|die|das|den|dem|le|la|les|l'|el|los|las|il|lo|o|a|os|as)$/u;
const ORDER =
  /^(?:first|second|third|last|next|former|deputy|vice|acting|under|junior|women|men|girls|boys|domestic|net|gross|non)$/u;

function beside(words: readonly Word[], at: number): boolean {
  const [word, next] = [words[at], words[at + 1]];
  return word !== undefined && next !== undefined && next.start - word.end === 1;
}

/**
 * 2 to 5 different queries: the statement, its words without function words, its names, the source that decides, fact
 * checks.
 */
function queriesOf(statement: string, terms: readonly Word[], source: string | undefined): string[] {
  const content = statement
    .split(" ")
    .filter((word) => !STOP_WORDS.has(word.toLowerCase().replace(/[^\p{L}\p{N}]+$/u, "")));
  const names = terms.filter((word) => word.capital).map((word) => statement.slice(word.start, word.end));
  const rest = terms.filter((word) => !word.capital).map((word) => statement.slice(word.start, word.end));
  const base = content.length === 0 ? [statement] : content;
  const candidates = [
    base.slice(0, MAX_QUERY_WORDS).join(" "),
    statement,
    names.length === 0 ? "" : [...names, ...rest.slice(0, 4)].slice(0, 8).join(" "),
    source === undefined ? "" : `${source} ${base.slice(0, 8).join(" ")}`,
    `${base.slice(0, 8).join(" ")} result`,
    `${base.slice(0, 8).join(" ")} fact check`,
  ];
  const different = new Map<string, string>();
  for (const candidate of candidates) {
    const query = candidate.replace(/\s+/gu, " ").trim().slice(0, MAX_QUERY_LENGTH).toWellFormed();
    const key = query.toLowerCase();
    if (query !== "" && !different.has(key)) different.set(key, query);
  }
  return [...different.values()].slice(0, 5);
}
