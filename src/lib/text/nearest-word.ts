/** Words longer than this are not compared: the table of distances grows with the square of their length. */
const MAX_LENGTH = 64;

/**
 * The known word that is most likely meant by `word`. It may differ by one edit for each three letters: a letter more,
 * less, or different, or two neighbours swapped. Case is ignored. Undefined if no known word is that near.
 */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  if (wanted.length > MAX_LENGTH) return undefined;
  let nearest: string | undefined;
  let least = Math.floor(wanted.length / 3) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) >= least || candidate.length > MAX_LENGTH) continue;
    const distance = distanceOf(wanted, candidate.toLowerCase());
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

/**
 * The number of edits from one word to another. A swap of neighbours is one edit (optimal string alignment distance).
 */
function distanceOf(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const cost = from[i - 1] === to[j - 1] ? 0 : 1;
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? (beforeLast[j - 2] ?? 0) + 1 : Infinity;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost, swapped));
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length] ?? 0;
}
