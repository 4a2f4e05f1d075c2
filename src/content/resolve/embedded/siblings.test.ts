import { expect, test } from "bun:test";
import { planOf } from "../evidence/plan.ts";
import { weigh } from "../evidence/weigh.ts";
import { type Verdict } from "../reading/analysis.ts";
import { createEmbeddedAnalyst } from "./analyst.ts";

const NOW = Date.UTC(2026, 8, 28);

async function verdictOf(question: string, sentence: string): Promise<Verdict> {
  const plan = planOf(question, "", NOW);
  const published = Date.UTC(2026, 5, 15);
  const source = { url: "https://site.test/", title: "", text: sentence, published, language: "", isHint: true };
  const signal = AbortSignal.timeout(60_000);
  const analysis = await createEmbeddedAnalyst().analyse(plan, [source], { now: NOW, signal });
  return weigh(plan, [source], analysis, NOW).verdict;
}

const CASES: readonly (readonly [question: string, ofAnother: string, ofAsked: string])[] = [
  [
    "Did Amara Lind break the world record in the 400 metres in 2026?",
    "Amara Lind broke the national record in the 400 metres on Sunday.",
    "Amara Lind broke the world record in the 400 metres on Sunday.",
  ],
  [
    "Did Petr Halva break the European record in 2026?",
    "Petr Halva broke the European indoor record on Sunday.",
    "Petr Halva broke the European record on Sunday.",
  ],
  [
    "Was the mayoral election in Greyport annulled by the Supreme Court?",
    "The mayoral election in Greyport was annulled by the district court.",
    "The mayoral election in Greyport was annulled by the Supreme Court.",
  ],
  [
    "Did Senator Mark Ellery resign in June 2026?",
    "Coach Mark Ellery resigned on 9 June.",
    "Senator Mark Ellery resigned on 9 June.",
  ],
  [
    "Was the Clean Rivers Act adopted by the Senate of Tarnova?",
    "The Senate of Tarnova adopted the Clean Rivers Act at first reading.",
    "The Senate of Tarnova adopted the Clean Rivers Act on Tuesday.",
  ],
  [
    "Did Kestrel FC win the Vale League in 2026?",
    "Kestrel FC won the Vale League last season.",
    "Kestrel FC won the Vale League on Sunday.",
  ],
  [
    "Did Orbis launch the satellite Wren-2 before 1 July 2026?",
    "Orbis launched the satellite Wren-1 on Friday.",
    "Orbis launched the satellite Wren-2 on Friday.",
  ],
  [
    "Did the Queen's Bridge reopen to cars and to trains in June 2026?",
    "The Queen's Bridge reopened to cars on 9 June.",
    "The Queen's Bridge reopened to cars and to trains on 9 June.",
  ],
  [
    "Were more than ten people killed in the Halle bridge collapse?",
    "Eighteen people were injured in the Halle bridge collapse.",
    "Eighteen people were killed in the Halle bridge collapse.",
  ],
  [
    "Did the population of Nordhaven exceed 500,000 in 2025?",
    "The population of Greater Nordhaven exceeded 900,000 in 2025.",
    "The population of Nordhaven exceeded 900,000 in 2025.",
  ],
  [
    "Did the Arbor Stadium cost more than 300 million crowns?",
    "The Arbor Stadium was to cost 320 million crowns.",
    "The Arbor Stadium cost 320 million crowns.",
  ],
  [
    "Hat der Landtag von Westmark das Wolfsgesetz verabschiedet?",
    "Der Agrarausschuss des Landtags von Westmark hat am Dienstag das Wolfsgesetz verabschiedet.",
    "Der Landtag von Westmark hat am Dienstag das Wolfsgesetz verabschiedet.",
  ],
  [
    "¿Ganó Elena Ruz el premio Alba de novela en 2026?",
    "Elena Ruz ganó el premio Alba de poesía.",
    "Elena Ruz ganó el premio Alba de novela.",
  ],
];

test.each(CASES)("%s Not by: %s", async (question, ofAnother, ofAsked) => {
  expect(await verdictOf(question, ofAnother)).toBe("UNCERTAIN");
  expect(await verdictOf(question, ofAsked)).toBe("LIKELY_YES");
});

test("what is taken back contradicts its report", async () => {
  const question = "Was the licence of the Dunmore quarry revoked?";
  const undone = "The court of appeal suspended the revocation of the licence of the Dunmore quarry.";
  expect(await verdictOf(question, undone)).toBe("LIKELY_NO");
});
