import { describe, expect, test } from "bun:test";
import { sideOfPage } from "./verdict-of.ts";

const NOW = Date.UTC(2026, 11, 1);
const PUBLISHED = Date.UTC(2026, 9, 6);

/** The side of a sentence. One with a question mark supports no firm verdict. */
type Side = "YES" | "YES?" | "NO" | "NO?" | "";

/** Tests on which side the embedded analyst counts the only sentence of a page of 6 October 2026, for each question. */
export function describeSides(
  questions: Readonly<Record<string, Readonly<Partial<Record<Side, readonly string[]>>>>>,
): void {
  describe.each(Object.entries(questions))("%s", (question, sides) => {
    const sentences = Object.entries(sides).flatMap(([side, all]) =>
      all.map((sentence): [string, string] => [side, sentence]),
    );
    test.each(sentences)("%j: %s", async (side, sentence) => {
      const page = { sentence, title: "", host: "news.example", published: PUBLISHED };
      expect(await sideOfPage(question, page, NOW)).toBe(side);
    });
  });
}
