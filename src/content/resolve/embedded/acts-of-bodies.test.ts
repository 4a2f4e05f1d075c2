import { expect, test } from "bun:test";
import { sideOf, verdictOf } from "../testing/verdict-of.ts";

const ANNUL = "Did a court annul the mayoral election in Drumlin?";
const BUY = "Did Halvorsen Foods buy Brightwater Packers?";
const SIGN = "Did President Aldo Marescu sign the press law?";
const RATIFY = "Did Corvane ratify the Water Treaty?";
const RATE = "Did Corvane raise its key interest rate?";
const CONVICT = "Was Dana Rook convicted of fraud?";

test.each([
  ["any court is a court", ANNUL, "The administrative court annulled the mayoral election in Drumlin."],
  ["judges act for the court", ANNUL, "On Tuesday judges annulled the mayoral election in Drumlin."],
  ["an adjective names the result", ANNUL, "On Tuesday a court declared the mayoral election in Drumlin void."],
  [
    "an adjective names the result of a short noun phrase",
    ANNUL,
    "A court declared the Drumlin mayoral election void.",
  ],
  ["a parliament acts for its state", RATIFY, "Corvane's parliament ratified the Water Treaty."],
  ["a central bank acts for its state", RATE, "Corvane's central bank raised its key interest rate."],
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
  ["another body of a state", RATIFY, "Corvane's youth parliament ratified the Water Treaty."],
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

test.each([
  ["found not guilty", CONVICT, "A jury found Dana Rook not guilty of fraud.", "NO"],
  ["found guilty", CONVICT, "A jury found Dana Rook guilty of fraud.", "YES"],
  [
    "a rate left unchanged",
    "Will Corvane raise its key interest rate in June 2026?",
    "Corvane left its key interest rate unchanged on 11 June 2026.",
    "NO",
  ],
] as const)("%s", async (_, question, sentence, side) => {
  expect(await sideOf(question, sentence)).toBe(side);
});
