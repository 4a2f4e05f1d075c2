import { expect, test } from "bun:test";
import { sideOf } from "../testing/verdict-of.ts";

const MEDALS = ["Rank\tNation\tGold\tSilver\tMedals", "1\tCastelmar\t21\t14\t52", "7\tArvanne\t4\t6\t15"];
const GOLD = ["Rank\tNation\tGold\tSilver\tTotal", "1\tCastelmar\t21\t14\t52", "7\tArvanne\t4\t6\t15"];
const MÉDAILLES = ["Rang\tDélégation\tOr\tArgent\tTotal", "1\tCastelmar\t21\t14\t52", "7\tArvanne\t4\t6\t15"];

/** The side on which the analyst counts a row of a page. */
const sideIn = async (question: string, rows: readonly string[]): Promise<string> =>
  await sideOf(question, `${rows.join("\n\n")}\n\n`);

test.each([
  ["Will Arvanne win at least 12 medals at the 2026 Youth Games?", MEDALS, "YES"],
  ["Will Arvanne win at least 5 gold medals at the 2026 Youth Games?", GOLD, "NO"],
  ["Will Arvanne win at least 3 gold medals at the 2026 Youth Games?", GOLD, "YES"],
  ["L'Arvanne remportera-t-elle au moins 12 médailles aux Jeux de la Jeunesse 2026 ?", MÉDAILLES, ""],
])("%s", async (question, rows, side) => {
  const about = question.startsWith("L'") ? "Jeux de la Jeunesse 2026" : "The 2026 Youth Games";
  expect(await sideIn(question, [about, ...rows])).toBe(side);
});
