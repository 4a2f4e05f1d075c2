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

/** A sentence and its side, and the host and the title of its page. */
type Stated = readonly [side: Side, sentence: string, host?: string, title?: string];

/** Like `describeSides`, for pages of a day with a host and a title. */
export function describePages(
  questions: readonly (readonly [question: string, published: string, sentences: readonly Stated[]])[],
): void {
  describe.each(questions)("%s, on %s", (question, published, sentences) => {
    test.each([...sentences])("%j: %s", async (side, sentence, host = "news.example", title = "") => {
      const page = { sentence, title, host, published: Date.parse(published) };
      expect(await sideOfPage(question, page, NOW)).toBe(side);
    });
  });
}
