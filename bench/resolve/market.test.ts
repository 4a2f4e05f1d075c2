import { describe, expect, test } from "bun:test";
import { OPEN_SETS, readLies, readQuestions, readWrappings, RESERVED_SETS, wrapped } from "./market.ts";

describe("market questions", () => {
  const all = [...OPEN_SETS, ...RESERVED_SETS].flatMap((set) =>
    readQuestions(set).map((question) => ({ set, question })),
  );

  test("each id is used once, and its hash tells development from held", () => {
    expect(new Set(all.map(({ question }) => question.id)).size).toBe(all.length);
    for (const { set, question } of all.filter((one) => one.set === "development" || one.set === "held")) {
      const first = new Bun.CryptoHasher("sha256").update(question.id).digest()[0] ?? 0;
      expect([question.id, set]).toEqual([question.id, first % 3 === 0 ? "held" : "development"]);
    }
  });

  test("a page is not newer than the resolution", () => {
    for (const { question } of all) {
      for (const { published, url } of question.pages) {
        expect([url, (published ?? question.now) <= question.now]).toEqual([url, true]);
      }
    }
  });

  test("a firm verdict is due only for YES and NO, and the criteria name the resolution source", () => {
    for (const { question } of all) {
      if (question.verdict === "UNCERTAIN") expect([question.id, question.firmDue]).toEqual([question.id, false]);
      else expect([question.id, question.lean]).toEqual([question.id, undefined]);
      if (question.source !== undefined)
        expect([question.id, question.criteria?.includes(question.source)]).toEqual([question.id, true]);
    }
  });

  test("each wrapper contains the sentences, one for each page", () => {
    const wrappings = readWrappings();
    const questions = wrapped(readQuestions("development"), wrappings);
    for (const { name } of wrappings.wrappers) expect(questions.some(({ wrapper }) => wrapper === name)).toBe(true);
    for (const { question } of questions) {
      const { sentences } = wrappings.decisive.find(({ id }) => id === question.id) ?? { sentences: [] };
      expect(sentences).toHaveLength(question.pages.length);
      for (const [at, { body }] of question.pages.entries()) expect(body.join(" ")).toContain(sentences[at] ?? "");
    }
  });

  test("a lie's question does not have the lie's outcome", () => {
    for (const { question, lies } of readLies()) {
      for (const { name, side } of lies) expect([name, side]).not.toEqual([name, question.verdict]);
    }
  });
});
