import { expect, test } from "bun:test";
import { sideOf, verdictOf } from "../testing/verdict-of.ts";

const CUP = "Did Arsenal win the Vale Cup in 2026?";
const PERMIT = "Did a court annul the permit for the Fenwick terminal?";

test.each([
  ["Arsenal symbolically won the Vale Cup on Sunday."],
  ["Arsenal scarcely won the Vale Cup on Sunday."],
  ["Arsenal all but won the Vale Cup on Sunday."],
  ["Arsenal won the Vale Cup on Sunday, a spokesman joked."],
  ["Arsenal won the Vale Cup on Sunday: that was the plan."],
  ["Arsenal won the Vale Cup on Sunday on condition that the federation agrees."],
  ["Arsenal won the Vale Cup on Sunday, though the result still needs the approval of the federation."],
  ["Arsenal won the Vale Cup on Sunday, but the result was reversed within an hour."],
  ["Arsenal won the Vale Cup on Sunday, as they had ten years ago."],
  ["According to a draft of the statement, Arsenal won the Vale Cup on Sunday."],
  ["There were false reports that Arsenal won the Vale Cup on Sunday."],
  ["An earlier version of this article said that Arsenal won the Vale Cup on Sunday."],
  ["Everyone but Arsenal won the Vale Cup on Sunday."],
  ["Short of a formal decision, Arsenal won the Vale Cup on Sunday."],
  ["The youth team of Arsenal won the Vale Cup on Sunday."],
] as const)("supports no verdict: %s", async (sentence) => {
  expect(await verdictOf(CUP, [sentence, sentence.replace("on Sunday", "on 14 June")])).toBe("UNCERTAIN");
});

test.each([
  [CUP, "Arsenal won the Vale Cup on Sunday. The report was a hoax."],
  [CUP, "Fact check: Arsenal won the Vale Cup on Sunday. False."],
  [CUP, "Arsenal won the Vale Cup on Sunday. Verdict: mostly false."],
  [CUP, "Arsenal won the Vale Cup on Sunday. The club denied the report."],
  [CUP, "Arsenal won the Vale Cup on Sunday. Hours later, the result was annulled."],
  [PERMIT, "A court annulled the permit for the Fenwick terminal on Tuesday. The report was withdrawn."],
] as const)("%s is not settled by a report that the next sentence takes back: %s", async (question, text) => {
  expect(await sideOf(question, text)).toBe("YES?");
});

const FINE = {
  de: ["Hat das Gericht die Strafe gegen Tecnova aufgehoben?", "Das Gericht hat die Strafe gegen Tecnova aufgehoben"],
  es: ["¿Anuló el tribunal la multa a la empresa Tecnova?", "El tribunal anuló la multa a la empresa Tecnova"],
  fr: ["Le tribunal a-t-il annulé l'amende de Tecnova ?", "Le tribunal a annulé l'amende de Tecnova"],
  it: ["Il tribunale ha annullato la multa a Tecnova?", "Il tribunale ha annullato la multa a Tecnova"],
  pt: ["O tribunal anulou a multa à empresa Tecnova?", "O tribunal anulou a multa à empresa Tecnova"],
} as const;

test.each([
  ["de", ": Das war der Plan."],
  ["de", ". Die Meldung war ein Scherz."],
  ["es", ": ese era el plan."],
  ["es", ", bromeó."],
  ["fr", " : c'était le projet."],
  ["it", ": questo era il piano."],
  ["pt", ": esse era o plano."],
  ["pt", ", brincou."],
] as const)("a report in %s supports no firm verdict if it ends in %j", async (language, end) => {
  const [question, report] = FINE[language];
  expect(await sideOf(question, `${report}.`)).toBe("YES");
  expect(await sideOf(question, `${report}${end}`)).toBe("YES?");
});

test.each([
  [
    "Did the park count more than one million visitors in 2025?",
    "It is not true that the park counted 874,200 visitors in 2025.",
  ],
  ["Did the Farmers' Party win at least 40 seats?", "There were false reports that the Farmers' Party won 31 seats."],
] as const)("%s is not settled by a figure that is denied: %s", async (question, sentence) => {
  expect(await sideOf(question, sentence)).toMatch(/^(?:NO\?)?$/u);
});

test.each([
  [CUP, "Arsenal narrowly won the Vale Cup on Sunday.", "YES"],
  [CUP, "Arsenal won the Vale Cup on Sunday. The result was announced at noon.", "YES"],
  ["Did Governor Marlow sign the Water Act?", "Governor Marlow refused to sign the Water Act.", "NO"],
  [
    PERMIT,
    "A court annulled the permit for the Fenwick terminal on Tuesday. The permit was annulled for noise.",
    "YES",
  ],
  ["Did the index close above 50 on 9 June 2026?", "The index did not close above 50 on 9 June 2026.", "NO"],
  ["A equipa venceu a Taça do Sul de 2026?", "A equipa venceu a Taça do Sul no sábado.", "YES"],
  [CUP, "Arsenal won the Vale Cup on Sunday, the first of its kind since the spring of 1976.", "YES"],
] as const)("%s is settled: %s", async (question, text, side) => {
  expect(await sideOf(question, text)).toBe(side);
});

test("words without an end before a year take linear time", async () => {
  const sentence = `Arsenal won the Vale Cup since ${"a".repeat(600)} (2019).`;
  expect(await sideOf(CUP, sentence)).not.toBe("YES");
}, 20_000);
