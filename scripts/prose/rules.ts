/** The rules of plain English: the patterns of CONTRIBUTING.md, "Plain English". */

/** One problem in a sentence. */
export interface ProseProblem {
  /** Offset in the sentence, in characters. */
  readonly at: number;
  readonly rule: string;
  readonly message: string;
}

/** Words in a sentence. Each piece of code counts as one word. A colon starts the count again. */
export const MAX_SENTENCE_WORDS = 30;

interface Pattern {
  readonly rule: string;
  readonly pattern: RegExp;
  readonly message: string;
  /** Sentences in which the words are right. */
  readonly unless?: RegExp;
}

const PATTERNS: readonly Pattern[] = [
  {
    rule: "vague-person",
    pattern: /\b(?:nobody|whoever|whomever|whosoever|anybody|somebody|everybody)\b/gi,
    message: "name the client, user, program or operator",
  },
  {
    rule: "archaic",
    pattern: /\bso (?:many|much)\b(?! (?:that|as))/gi,
    message: "give the number or the setting's name",
  },
  { rule: "archaic", pattern: /\bsuch (?:a one|ones|a thing)\b/gi, message: "repeat the noun" },
  {
    rule: "archaic",
    pattern: /\b(?<!there )(?:is|are|was|were) no (?!longer|more|other|one\b)(?!\w+er\b)[a-z]+/gi,
    message: 'write "is not a"',
  },
  { rule: "archaic", pattern: /\b(?:is|are|was|were|has|have) none\b/gi, message: 'write "is not" or "there is no"' },
  {
    rule: "archaic",
    pattern:
      /\b(?:lately|dear(?:er|est)?|therein|thereof|thereby|wherein|whereof|whence|thence|hitherto|nought|naught)\b/gi,
    message: "use a common word",
  },
  { rule: "archaic", pattern: /\bbesides(?=[.,;:)])/gi, message: 'write "also"' },
  {
    rule: "archaic",
    pattern:
      /\b(?:anew|hence|in the midst|for want of|in vain|be it|be they|no sooner|comes? to nothing|asks? for nothing)\b/gi,
    message: 'use common words: "again", "so", "during", "without", "fails", "even if"',
  },
  {
    rule: "archaic",
    pattern: /\bof (?:yours|ours|theirs|hers|his)\b/gi,
    message: 'write "your", "our" or "their" before the noun',
  },
  {
    rule: "passive-telling",
    pattern: /\b(?:is|are|was|were|be|been) (?:said|told|had)\b/gi,
    message: 'name the actor and the action: "the client receives", "the log shows"',
  },
  {
    rule: "person-for-program",
    pattern: /\b(?:he|him|his|she|her)\b/gi,
    message: 'people are "they", programs are "it" or have a name',
  },
  {
    rule: "where-for-if",
    pattern:
      /\bwhere (?:there (?:is|are)|it (?:is|has|can|cannot|does|must)|one (?:is|has)|none|nothing|no|possible|needed|necessary)\b/gi,
    message: 'use "if" or "when" for a condition',
  },
  { rule: "spelling", pattern: /\btime-outs?\b/gi, message: 'write "timeout"' },
  {
    rule: "term",
    pattern: /\bheader block\b/gi,
    message: 'RFC 9110 says "field section" or "header section"',
  },
  {
    rule: "term",
    pattern: /\banswer(?:s|ed|ing)?\b/gi,
    message: 'RFC 9110 says "response" and "respond"',
    // A question has a response.
    unless: /\b(?:questions?|claims?|language models?|analysts?|probability)\b/i,
  },
];

/** These begin a sentence whose subject is a clause, unless it is a question. */
const CLAUSE_SUBJECT = /^(?:What|Whatever|Who|Which|Whichever|How|Where|That which)\s+(?!is\s+not\s+there)/;

/** Judges one sentence; `words` is how many words it has. Code in it is replaced by one word. */
export function judge(sentence: string, words: number): ProseProblem[] {
  const found: ProseProblem[] = [];
  for (const { rule, pattern, message, unless } of PATTERNS) {
    if (unless?.test(sentence) === true) continue;
    for (const match of sentence.matchAll(pattern)) {
      found.push({ at: match.index, rule, message: `"${match[0].replaceAll(/\s+/g, " ")}": ${message}` });
    }
  }
  const isQuestion = /\?\W*$/.test(sentence);
  if (!isQuestion && CLAUSE_SUBJECT.test(sentence) && /[.:;]\W*$/.test(sentence)) {
    found.push({ at: 0, rule: "clause-subject", message: "begins with a clause as its subject; name the thing" });
  }
  if (words > MAX_SENTENCE_WORDS) {
    found.push({
      at: 0,
      rule: "long-sentence",
      message: `has ${words} words; split it (at most ${MAX_SENTENCE_WORDS})`,
    });
  }
  return found;
}
