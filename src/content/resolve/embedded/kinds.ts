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

/** Whether a sentence asks. */
export function isQuestion(sentence: string): boolean {
  return /[?？]["”»)]?\s*$/u.test(sentence);
}
