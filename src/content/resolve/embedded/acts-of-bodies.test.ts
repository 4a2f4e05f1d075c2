import { expect, test } from "bun:test";
import { verdictOf } from "../testing/verdict-of.ts";

const ANNUL = "Did a court annul the mayoral election in Drumlin?";
const BUY = "Did Halvorsen Foods buy Brightwater Packers?";
const SIGN = "Did President Aldo Marescu sign the press law?";

test.each([
  ["any court is a court", ANNUL, "The administrative court annulled the mayoral election in Drumlin."],
  ["judges act for the court", ANNUL, "On Tuesday judges annulled the mayoral election in Drumlin."],
  ["an adjective names the result", ANNUL, "On Tuesday a court declared the mayoral election in Drumlin void."],
  ["a clause has its own subject", SIGN, "Newspapers protested after President Aldo Marescu signed the press law."],
  ["who is sold a thing has bought it", BUY, "The family sold Brightwater Packers to Halvorsen Foods."],
  ["a regret is of a fact", SIGN, "Editors regret that President Aldo Marescu has signed the press law."],
  [
    "a future tense names the outcome of its verb",
    "O governo anulará o concurso de Serralha?",
    "O governo anulou o concurso de Serralha.",
  ],
])("%s", async (_, question, sentence) => {
  expect(await verdictOf(question, [sentence])).toBe("LIKELY_YES");
});

test.each([
  ["the judges of another place", ANNUL, "On Tuesday judges in Norvane annulled the mayoral election."],
  ["judges that wish", ANNUL, "The opposition hopes that judges annul the mayoral election in Drumlin."],
  ["a sale to nobody", BUY, "The family sold Brightwater Packers on Tuesday."],
  ["a sale by the one who buys", BUY, "Halvorsen Foods sold Brightwater Packers on Tuesday."],
])("%s: no verdict", async (_, question, sentence) => {
  expect(await verdictOf(question, [sentence])).toBe("UNCERTAIN");
});

test("a sale to another one excludes the purchase", async () => {
  expect(await verdictOf(BUY, ["The family sold Brightwater Packers to Corvane Mills."])).toBe("LIKELY_NO");
});

test("the month of an election is not the deadline for its annulment", async () => {
  const question = "Will the court annul the March 2026 election in Drumlin by 30 June 2026?";
  expect(await verdictOf(question, ["On 14 June 2026 the court annulled the election in Drumlin."])).toBe("LIKELY_YES");
});
