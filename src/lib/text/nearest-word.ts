import { editDistance } from "./edit-distance.ts";

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
    const distance = editDistance(wanted, candidate.toLowerCase(), least - 1);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}
