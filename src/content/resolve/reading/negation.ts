import { TURNED_BOUND } from "./comparisons.ts";

/** Words that negate a sentence, in the five supported languages. Each counts once. */
const NEGATORS =
  /(?<![\p{L}])(?:not|never|no|none|nobody|nor|neither|cannot|without|\p{L}+n['’]t|nicht|kein(?:e[nmrs]?)?|nie(?:mals)?|ohne|weder|jamais|aucune?|sans|nunca|jamás|ning[uú]n[ao]?|tampoco|sin|non|nessun[oa]?|né|senza|não|nenhuma?|ninguém|nem|sem|nadie)(?![\p{L}])|(?<![\p{L}])ne\s|(?<![\p{L}])n['’](?=\p{L})|(?:^|[\s,;(¿])no\s|没有|并未|尚未|未能|未曾|从未|不曾|并没|不会|不是|并非/giu;

/** Words that deny the infinitive that they govern. */
const GOVERNS =
  /(?<!\p{L})(?:fail(?:s|ed|ing)?|failure|refus(?:e[sd]?|ing|al)|declin(?:e[sd]?|ing)|unable)\sto(?!\p{L})/giu;

/** Verdicts on a claim, at its end: "Is it true that the photo is fake?" */
const VERDICTS =
  /(?<!\p{L})(?:(?:un|in)(?:true|correct|accurate)|false|fake|hoax|wrong|baseless|unfounded|falsch|faux|fausse|fals[oa])(?=\P{L}*$)|虚假|谣言|不实/giu;

/** Verbs and phrases that deny what follows them. */
const CONTRARY =
  /(?<![\p{L}])(?:fail(?:s|ed|ing)?\sin|rul(?:e[sd]?|ing)\sout|far\sfrom|short\sof|stopp?ed\sshort|lack(?:s|ed|ing)?\b|(?:un|in)(?:true|correct)ly?|inaccurate(?:ly)?|false(?:ly)?|fake|hoax|fabricated|untrue|wrong(?:ly)?|baseless|unfounded|debunked|den(?:y|ies|ied|ying|ial)|refut(?:es?|ed)|rebut(?:ted|s)|disput(?:es?|ed)|reject(?:s|ed)\s(?:claims?|reports?|rumou?rs|suggestions|allegations)|dismiss(?:es|ed)\s(?:claims?|reports?|rumou?rs|suggestions)|dementier(?:t|te|en)|bestreit(?:et|en)|bestritt(?:en)?|verneint|falsch|scheitert(?:e|en)?|gescheitert|verfehlt(?:e|en)?|dément(?:i|it|ent)?|nie(?:nt|r)?\savoir|faux|fausse|échou(?:e|é|er)|niega|negó|niegan|desmiente|desmintió|falso|falsa|fracas[óa])(?![\p{L}])|否认|虚假|谣言|不实|失败|拒绝/giu;

/** Phrases that contain a negation word and negate nothing. */
const IDLE =
  /\b(?:not\sonly|no\slonger\s(?:in\s)?doubt|no\sdoubt|without\s(?:a\s)?doubt|nothing\sless|no\ssooner|(?:no|not)\s(?:later|earlier)\sthan|not\sbefore|nicht\s(?:später|früher)\sals|no\s(?:más\starde|después|antes)\sdel?|not\sto\smention|no\.\s?\d|no-\p{L}+|not\sjust|no\swonder|whether\sor\snot|no\sless\sthan|no\smore\sthan|not\sless\sthan|not\smore\sthan|nicht\snur|non\s(?:seulement|solo)|não\ssó|ne\s\S+\sque|no\ssólo|no\ssolo)\b/giu;

const IDLE_BOUND = new RegExp(TURNED_BOUND, "giu");

/** A French negation has two words: "ne … pas". The second is not in the list. */

/** A thing that the event of a question goes without: "without a runoff", and not "without signing". */
const WITHOUT =
  /(?<=\p{L}\s)(?:without|ohne|sans|sin|senza|sem)\s(?!\p{L}+(?:ing|[aei]re?)(?!\p{L})|(?:an?\s)?doubt)(\p{L}[\p{L}-]*(?:\s\p{L}[\p{L}-]*){0,2})/iu;

/** The thing that the event of a question goes without. Undefined if it names none. */
export function exceptionIn(statement: string): string | undefined {
  return WITHOUT.exec(statement)?.[1];
}

/**
 * Whether YES means that the event of a question does not happen: "without a runoff" negates only the runoff, and in "Did X
 * deny it?" the event is the denial.
 */
export function isEventNegated(statement: string): boolean {
  return negationsIn(statement.replace(WITHOUT, " "), [NEGATORS, GOVERNS, VERDICTS]).length % 2 === 1;
}

/** The words and phrases that negate parts of a text. */
export function negationsIn(text: string, negations: readonly RegExp[] = [NEGATORS, GOVERNS, CONTRARY]): string[] {
  const plain = text.replace(IDLE_BOUND, " ").replace(IDLE, " ");
  return negations.flatMap((one) => plain.match(one) ?? []);
}

/** Whether a clause is negated. Two negations cancel each other. */
export function isNegated(clause: string): boolean {
  return negationsIn(clause).length % 2 === 1;
}
