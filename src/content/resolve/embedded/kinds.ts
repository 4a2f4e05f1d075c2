import { type StatementKind } from "../reading/analysis.ts";

const ANNOUNCES =
  /\b(?:will|would|shall|plans?|planned|planning|intends?|intended|aims?|hopes?|hoped|expects?|expected|set\sto|due\sto\s(?!the|a|an|its|their|his)|scheduled|slated|poised|about\sto|going\sto|seeks?|vows?|vowed|pledg(?:es?|ed)|promis(?:es?|ed)|propos(?:es?|ed)|proposal|considering|considers|upcoming|is\sto|are\sto|on\strack|prepar(?:es|ing)|ready\sto|calls?\sfor|urged?|wird|werden|soll(?:en|te)?|will|plant|planen|beabsichtigt|voraussichtlich|(?:va|vont)\s(?=\p{L}+(?:er|ir|re)\b)|prévoit|prévu(?:e|es|s)?|devrait|devraient|compte|sera|seront|planea|prevé|prevista?|previsto|será|serán|va\sa|van\sa|debería)(?![\p{L}'’])|\p{L}+(?:ra|ront|rá|rán)(?=\s(?:le|la|les|el|los|las|un|une|una)\s)|将|计划|拟于|拟|预计|有望/iu;
/** "Senate to ratify treaty": a headline of names, "to" and a verb. */
const HEADLINE_TO = /^\p{Lu}\S*(?:\s\p{Lu}\S*){0,4}\sto\s\p{Ll}+\s[^.!?]+[^.!?]$/u;
const HEDGES =
  /\b(?:may|might|could|can\sbe|reportedly|allegedly|alleged|rumou?r(?:s|ed)?|likely|unlikely|probably|possibly|possible|perhaps|potential(?:ly)?|unconfirmed|unclear|uncertain|appears?\sto|seems?\sto|seemingly|suggests?|speculat\w+|predict(?:s|ed)?|forecasts?|projected|odds|if|unless|whether|könnte[n]?|angeblich|möglicherweise|vielleicht|wohl|mutmaßlich|gerüchte|pourrait|pourraient|serait|aurait|auraient|peut-être|probable(?:ment)?|rumeurs?|podría[n]?|habría|supuestamente|presunt[oa]|quizás?|tal\svez|rumor(?:es)?)(?![\p{L}'’])|可能|据传|或许|或将|传闻|疑似|是否/iu;
const QUOTES =
  /\b(?:claims?|claimed|claiming|alleges?|alleged|tweeted|tweets?|posted|wrote\son|according\sto\s(?:a|an|some|social|the)\s(?:post|posts|rumou?r|tweet|message|user|users|video|meme|viral|media\sposts)|viral|shared\son|facebook\spost|social\smedia\s(?:posts?|users)|meme|behauptet(?:e|en)?|prétend(?:ent)?|affirme(?:nt)?\sque|afirma(?:n)?\sque|asegura(?:n)?\sque|(?:earlier|previous)\sversion|originally\sreported|(?:had|was|were)\s(?:wrongly|incorrectly|mistakenly|erroneously)\s(?:said|stated|reported))(?![\p{L}])|声称|网传/iu;
const FACT_CHECK =
  /\b(?:(?:is|are|was|were|as|rated|rating:?|verdict:?|ruling:?|completely|totally|simply|partly|mostly)\s(?:false|fake|untrue|incorrect|misleading|inaccurate|a\shoax|fabricated|satire|baseless|unfounded|altered|doctored|debunked|wrong|misattributed|out\sof\scontext)|no\s(?:evidence|proof|record|indication|truth|basis|credible|such)|not\s(?:true|accurate|correct|supported|real|authentic|genuine)|never\s(?:said|made|happened|existed|took\splace|appeared)|debunk\w*|fact[- ]check\w*|misinformation|disinformation|hoax)(?![\p{L}])/iu;
const DENIES =
  /\b(?:den(?:y|ies|ied|ying)|refut(?:es?|ed)|rejects?\s(?:claims?|reports?)|dismiss(?:es|ed)\s(?:the\s)?(?:claims?|reports?|rumou?rs)|dementier(?:t|te|en)|bestreitet|bestritt|dément(?:i|it)?|niega|negó|desmiente|desmintió)(?![\p{L}])|否认/iu;
const RETRACTS =
  /\b(?:retract(?:s|ed|ion)|correction\s?:|corrected\sto|withdrawn\sby\s(?:the\s)?(?:editors?|publisher|authors?)|editor['’]s\snote|(?:earlier|previous)\sversion\sof\sthis|has\sbeen\scorrected|richtigstellung|korrektur\s?:|rectificati(?:f|on)|correctif|fe\sde\serratas|rectificación)(?![\p{L}])|更正|撤回/iu;

const WITHDRAWN =
  /\b(?:retract(?:s|ed|ion)|withdrawn\sby\s(?:the\s)?(?:editors?|publisher|authors?)|zurückgezogen|rétractée?)(?![\p{L}])|撤回/iu;

/** Whether a sentence retracts the page that contains it. */
export function isWithdrawal(sentence: string): boolean {
  return WITHDRAWN.test(sentence);
}

/** Whether a sentence corrects or retracts another part of its page. */
export function isRetraction(sentence: string): boolean {
  return RETRACTS.test(sentence);
}

/** Whether a sentence announces a later event. */
export function isAnnouncement(sentence: string): boolean {
  return ANNOUNCES.test(sentence) || HEADLINE_TO.test(sentence);
}

/** The kind of a sentence. If several kinds match, returns the one with the least weight. */
export function kindOf(sentence: string): StatementKind {
  if (/[?？]["”»)]?\s*$/u.test(sentence)) return "question";
  if (FACT_CHECK.test(sentence)) return "fact-check";
  if (HEDGES.test(sentence)) return "hedged";
  if (isAnnouncement(sentence)) return "announcement";
  if (DENIES.test(sentence)) return "denial";
  if (QUOTES.test(sentence)) return "quotation";
  return "report";
}
