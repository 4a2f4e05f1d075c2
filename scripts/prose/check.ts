/** Checks the prose of one file: its sentences against the rules, and words that stand twice. */
import { type Sentence } from "nlcst";
import { toString } from "nlcst-to-string";
import retextEnglish from "retext-english";
import retextRepeatedWords from "retext-repeated-words";
import { unified } from "unified";
import { SKIP, visit } from "unist-util-visit";
import { VFile } from "vfile";
import { type Passage, passagesOfMarkdown, passagesOfTypeScript } from "./passages.ts";
import { judge } from "./rules.ts";

/** One problem; line and column count from 1. */
export interface ProseDiagnostic {
  readonly line: number;
  readonly column: number;
  readonly rule: string;
  readonly message: string;
}

const reader = unified().use(retextEnglish).use(retextRepeatedWords).freeze();

/** All problems in a Markdown document or a TypeScript file, in their order. */
export function checkProse(path: string, source: string): ProseDiagnostic[] {
  const passages = path.endsWith(".md") ? passagesOfMarkdown(source) : passagesOfTypeScript(source, path);
  return passages
    .flatMap((passage) => diagnosticsIn(passage, source))
    .toSorted((a, b) => a.line - b.line || a.column - b.column);
}

function diagnosticsIn(passage: Passage, source: string): ProseDiagnostic[] {
  const file = new VFile(passage.text);
  const tree = reader.parse(file);
  reader.runSync(tree, file);
  const found: { at: number; rule: string; message: string }[] = [];
  for (const message of file.messages) {
    const { place: position } = message;
    const point = position !== undefined && "start" in position ? position.start : position;
    // Placeholders of code may stand beside each other, as may keywords of SQL, and `A-Z a-z`.
    if (/^Unexpected repeated `(?:X+|[A-Z]{2,}|a-z)`/.test(message.reason)) continue;
    found.push({ at: point?.offset ?? 0, rule: "repeated-word", message: message.reason });
  }
  visit(tree, "SentenceNode", (sentence: Sentence) => {
    const offset = sentence.position?.start.offset ?? 0;
    for (const problem of judge(toString(sentence), wordsIn(sentence))) {
      found.push({ ...problem, at: offset + problem.at });
    }
    return SKIP;
  });
  return found.map(({ at, rule, message }) => ({ ...positionOf(source, passage.start + at), rule, message }));
}

/**
 * The most words without a colon or the end of a sentence between them. A list after a colon is a thought of its own, and the
 * parser takes "200. The" and "5 s. A" for the middle of a sentence.
 */
function wordsIn(sentence: Sentence): number {
  return Math.max(
    ...toString(sentence)
      .split(/:\s|\.\s+(?=\p{Lu})/u)
      .map((part) => part.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0),
  );
}

function positionOf(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
