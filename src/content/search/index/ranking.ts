/** The parameters of ranking. The bench changes them one by one. */
export interface Ranking {
  /** The weights of a word in the title of the page, the headings of the passage, its text, and the address. */
  readonly weights: readonly [title: number, heading: number, text: number, address: number];
  /** The gain of a page whose title has only words of the query. */
  readonly titleGain: number;
  /** The weight of a page's second-best passage. Each further one has this share of the weight before it. */
  readonly nextPassage: number;
  /** Characters of a passage. A match in a short passage says more than one in a long page. */
  readonly passageLength: number;
  /** Whether words are reduced to their stems. */
  readonly stems: boolean;
  /** Whether misspelt words are corrected. */
  readonly corrections: boolean;
}

/** The parameters that the bench found best. */
export const RANKING: Ranking = {
  weights: [4, 4, 1, 2],
  titleGain: 0.3,
  nextPassage: 0.5,
  passageLength: 450,
  stems: true,
  corrections: true,
};

/** The scores of pages by the scores of their passages, which are ordered with the best first. */
export function scoresOf(
  passages: readonly { readonly page: number; readonly score: number }[],
  { nextPassage }: Ranking,
): ReadonlyMap<number, number> {
  const pages = new Map<number, { score: number; weight: number }>();
  for (const { page, score } of passages) {
    const known = pages.get(page) ?? { score: 0, weight: 1 };
    pages.set(page, { score: known.score + score * known.weight, weight: known.weight * nextPassage });
  }
  return new Map([...pages].map(([page, { score }]) => [page, score]));
}
