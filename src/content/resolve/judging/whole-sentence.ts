const ENDS = /[.!?。！？…"”’»)\]]$/u;
const STARTS_IN_SENTENCE = /^\p{Ll}/u;

/**
 * Whether a piece of a text is a whole sentence: neither the text before it nor the text after it continues it. A long
 * sentence is cut into pieces, and a negation can be in another one.
 */
export function isWholeSentence(text: string, piece: string): boolean {
  const start = text.indexOf(piece);
  if (start === -1) return false;
  const [before, after] = [text.slice(0, start), text.slice(start + piece.length)];
  const gap = /[\s#>*|-]*$/u.exec(before.slice(-100))?.[0] ?? "";
  const isBegun = ENDS.test(before.slice(-100).trimEnd()) || (gap.includes("\n") && !STARTS_IN_SENTENCE.test(piece));
  if (before.trim() !== "" && !isBegun) return false;
  return (
    ENDS.test(piece) || after.trim() === "" || (/^\s*\n/u.test(after) && !STARTS_IN_SENTENCE.test(after.trimStart()))
  );
}
