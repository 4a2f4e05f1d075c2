import { expect, test } from "bun:test";
import { datesOf } from "./dates.ts";
import { boundedDate, isCounting, spanOf } from "./deadline.ts";

const NOW = Date.UTC(2026, 11, 1);

function dayOf(instant: number | undefined): string {
  return instant === undefined ? "" : new Date(instant).toISOString().slice(0, 10);
}

/** Questions, and the first and the last day that count. With a slash: the earliest and the latest reading of the last one. */
test.each([
  ["Did the Senate pass the act within 3 years of 1 June 2026?", "2026-06-01..2029-06-01"],
  ["Did the Senate pass the act within 2 months of 1 June 2026?", "2026-06-01..2026-08-01"],
  ["Did the Senate pass the act 2 weeks before 1 June 2026?", "2026-05-18..2026-06-01"],
  ["Did the Senate pass the act a year before 1 June 2026?", "2025-06-01..2026-06-01"],
  ["Did the Senate pass the act more than 2 weeks before 1 June 2026?", "..2026-05-18"],
  ["Did the Senate pass the act more than 30 days after 1 June 2026?", "2026-07-01.."],
  ["Did the Senate pass the act by the end of this quarter?", "..2026-12-31"],
  ["Did the Senate pass the act by mid-June 2026?", "..2026-06-09/2026-06-22"],
  ["Did the Senate pass the act in mid-June 2026?", "2026-06-12..2026-06-18/2026-06-22"],
  ["Did the Senate pass the act in early June 2026?", "2026-06-01..2026-06-10/2026-06-14"],
  ["Did the Senate pass the act in late June 2026?", "2026-06-21..2026-06-30/2026-06-30"],
  ["Did the Senate pass the act by early June 2026?", "..2026-06-01/2026-06-14"],
  ["Did the Senate pass the act by late June 2026?", "..2026-06-17/2026-06-30"],
  ["Did the Senate pass the act in the first half of 2026?", "2026-01-01..2026-06-30"],
  ["Did the Senate pass the act in the first half of June 2026?", "2026-06-01..2026-06-15"],
  ["Did the Senate pass the act in the second half of June 2026?", "2026-06-16..2026-06-30"],
  ["Did the Senate pass the act in the second half of June?", "2026-06-16..2026-06-30"],
  ["Did the Senate pass the act in the second half of 2026?", "2026-07-01..2026-12-31"],
  ["Did the Senate pass the act by the first half of 2026?", "..2026-06-30"],
  ["Did the Senate pass the act in H1 2026?", "2026-01-01..2026-06-30"],
  ["Did the Senate pass the act in H2 of 2026?", "2026-07-01..2026-12-31"],
  ["Did the Senate pass the act in the first six months of 2026?", "2026-01-01..2026-06-30"],
  ["Did the Senate pass the act in the first week of June 2026?", "2026-06-01..2026-06-07/2026-06-09"],
  ["Did the Senate pass the act by the end of the first week of June 2026?", "..2026-06-01/2026-06-09"],
  ["Did the Senate pass the act by the middle of June 2026?", "..2026-06-09/2026-06-22"],
  ["Did the Senate pass the act by the start of June 2026?", "..2026-06-01/2026-06-14"],
  ["Did the Senate pass the act by the beginning of 2026?", "..2026-01-01/2026-05-31"],
  ["Did the Senate pass the act in the summer of 2026?", "2026-07-01..2026-08-31/2026-09-30"],
  ["Did the Senate pass the act by summer 2026?", "..2026-06-01/2026-09-30"],
  ["Did the Senate pass the act before summer 2026?", "..2026-05-31/2026-09-29"],
  ["Did the Senate pass the act by the end of summer 2026?", "..2026-06-01/2026-09-30"],
  ["Did the Senate pass the act by year-end 2026?", "..2026-12-31"],
  ["Did the Senate pass the act before 2027?", "..2026-12-31"],
  ["Did the Senate pass the act in Q2 2026?", "2026-04-01..2026-06-30"],
  ["Did the Senate pass the act by Q2 2026?", "..2026-06-30"],
  ["Did the Senate pass the act by the end of Q2 2026?", "..2026-06-30"],
  ["Did the Senate pass the act before Q3 2026?", "..2026-06-30"],
  ["Did the Senate pass the act by June 2026?", "..2026-06-30"],
  ["Did the Senate pass the act before June 2026?", "..2026-05-31"],
  ["Did the Senate pass the act by June 30?", "..2026-06-30"],
  ["Did the Senate pass the act within 30 days of 1 June 2026?", "2026-06-01..2026-07-01"],
  ["Did the Senate pass the act within a month after 1 June 2026?", "2026-06-01..2026-07-01"],
  ["Did the Senate pass the act in the first 10 days of June 2026?", "2026-06-01..2026-06-30"],
  ["Did the Senate pass the act a week before 1 June 2026?", "2026-05-25..2026-06-01"],
  ["Did the Senate pass the act between 1 and 15 June 2026?", "2026-06-01..2026-06-15"],
  ["Did the Senate pass the act from June through August 2026?", "2026-06-01..2026-08-31"],
  ["Did the Senate pass the act in June or July 2026?", "2026-06-01..2026-07-31"],
  ["Did the Senate pass the act in June and July 2026?", "2026-06-01..2026-07-31"],
  ["Did the Senate pass the act on 30 June 2026?", "2026-06-30..2026-06-30"],
  ["Did the Senate pass the act on or before 30 June 2026?", "..2026-06-30"],
  ["Did the Senate pass the act on or after 30 June 2026?", "2026-06-30.."],
  ["Did the Senate pass the act after 30 June 2026?", "2026-07-01.."],
  ["Did the Senate pass the act after June 2026?", "2026-07-01.."],
  ["Did the Senate pass the act since 1 June 2026?", "2026-06-01.."],
  ["Did the Senate pass the act in the week of 1 June 2026?", "2026-06-01..2026-06-07"],
  ["Did the Senate pass the act in the week ending 7 June 2026?", "2026-06-01..2026-06-07"],
  ["Did the Senate pass the act in the week starting 1 June 2026?", "2026-06-01..2026-06-07"],
  ["Did the Senate pass the act by the third quarter of 2026?", "..2026-09-30"],
  ["Did the Senate pass the act in the last quarter of 2026?", "2026-10-01..2026-12-31"],
  ["Hat der Senat das Gesetz im ersten Halbjahr 2026 beschlossen?", "2026-01-01..2026-06-30"],
  ["Hat der Senat das Gesetz in der ersten Jahreshälfte 2026 beschlossen?", "2026-01-01..2026-06-30"],
  ["Hat der Senat das Gesetz bis Mitte Juni 2026 beschlossen?", "..2026-06-09/2026-06-22"],
  ["Hat der Senat das Gesetz Anfang Juni 2026 beschlossen?", "2026-06-01..2026-06-10/2026-06-14"],
  ["Hat der Senat das Gesetz bis Jahresende 2026 beschlossen?", "2026-01-01..2026-12-31"],
  ["Hat der Senat das Gesetz bis Ende 2026 beschlossen?", "..2026-12-31"],
  ["Hat der Senat das Gesetz im Juni 2026 beschlossen?", "2026-06-01..2026-06-30"],
  ["Hat der Senat das Gesetz vor Juni 2026 beschlossen?", "..2026-05-31"],
  ["Hat der Senat das Gesetz im Sommer 2026 beschlossen?", "2026-07-01..2026-08-31/2026-09-30"],
  ["Hat der Senat das Gesetz noch 2026 beschlossen?", "2026-01-01..2026-12-31"],
  ["Hat der Senat das Gesetz spätestens am 30. Juni 2026 beschlossen?", "..2026-06-30"],
  ["Le Sénat a-t-il adopté la loi au premier semestre 2026 ?", "2026-01-01..2026-06-30"],
  ["Le Sénat a-t-il adopté la loi à la mi-juin 2026 ?", "2026-06-12..2026-06-18/2026-06-22"],
  ["Le Sénat a-t-il adopté la loi avant la mi-juin 2026 ?", "..2026-06-08/2026-06-21"],
  ["Le Sénat a-t-il adopté la loi début juin 2026 ?", "2026-06-01..2026-06-10/2026-06-14"],
  ["Le Sénat a-t-il adopté la loi d'ici fin juin 2026 ?", "..2026-06-30"],
  ["Le Sénat a-t-il adopté la loi d'ici la fin de l'année 2026 ?", "2026-01-01..2026-12-31"],
  ["Le Sénat a-t-il adopté la loi avant l'été 2026 ?", "..2026-05-31/2026-09-29"],
  ["Le Sénat a-t-il adopté la loi courant juin 2026 ?", "2026-06-01..2026-06-30"],
  ["¿Aprobó el Senado la ley en el primer semestre de 2026?", "2026-01-01..2026-06-30"],
  ["¿Aprobó el Senado la ley a mediados de junio de 2026?", "2026-06-12..2026-06-18/2026-06-22"],
  ["¿Aprobó el Senado la ley a principios de junio de 2026?", "2026-06-01..2026-06-10/2026-06-14"],
  ["¿Aprobó el Senado la ley antes de finales de junio de 2026?", "..2026-06-16/2026-06-29"],
  ["¿Aprobó el Senado la ley antes de que acabara junio de 2026?", "..2026-06-30"],
  ["¿Aprobó el Senado la ley antes del verano de 2026?", "..2026-05-31/2026-09-29"],
  ["Il Senato ha approvato la legge nel primo semestre del 2026?", "2026-01-01..2026-06-30"],
  ["Il Senato ha approvato la legge entro metà giugno 2026?", "..2026-06-09/2026-06-22"],
  ["Il Senato ha approvato la legge a inizio giugno 2026?", "2026-06-01..2026-06-10/2026-06-14"],
  ["Il Senato ha approvato la legge entro la fine del 2026?", "..2026-12-31"],
  ["Il Senato ha approvato la legge entro l'estate 2026?", "..2026-06-01/2026-09-30"],
  ["O Senado aprovou a lei no primeiro semestre de 2026?", "2026-01-01..2026-06-30"],
  ["O Senado aprovou a lei até meados de junho de 2026?", "..2026-06-09/2026-06-22"],
  ["O Senado aprovou a lei no início de junho de 2026?", "2026-06-01..2026-06-10/2026-06-14"],
  ["O Senado aprovou a lei até o fim do ano de 2026?", "2026-01-01..2026-12-31"],
  // "by" before a measure or an actor bounds no time.
  ["Will the bank cut its rate by at least 50 basis points in September 2026?", "2026-09-01..2026-09-30"],
  ["Was the law passed by the senate in June 2026?", "2026-06-01..2026-06-30"],
  ["Was the law approved by voters on 7 June 2026?", "2026-06-07..2026-06-07"],
  ["Was the law passed by the senate by June 2026?", "..2026-06-30"],
  ["Did the bank cut rates by the close of trading on 30 September 2026?", "..2026-09-30"],
  ["Did the bank cut rates by 5 p.m. on 30 September 2026?", "..2026-09-30"],
  ["Did the team win by two goals on 3 May 2026?", "2026-05-03..2026-05-03"],
  ["Senkte die Zentralbank den Leitzins um bis zu 50 Basispunkte im September 2026?", "2026-09-01..2026-09-30"],
  ["¿Subió el precio hasta 50 euros en septiembre de 2026?", "2026-09-01..2026-09-30"],
])("%s", (question, days) => {
  const { from, deadline, ambiguity } = spanOf(question, "", { now: NOW, order: undefined });
  const earliest = ambiguity === undefined ? "" : `${dayOf(ambiguity.earliest)}/`;
  expect(`${dayOf(from)}..${earliest}${dayOf(deadline)}`).toBe(days);
});

test.each([
  ["opened on 1 June 2026", "2026-06-01..2026-06-01"],
  ["opened before 20 June 2026", "..2026-06-20"],
  ["opened after the vote on 1 May 2026", "2026-05-01.."],
  ["opened between 1 and 20 June 2026", "2026-06-01..2026-06-20"],
  ["opened two weeks after 1 June 2026", "2026-06-01..2026-06-15"],
  ["opened a year before 1 June 2026", "2025-06-01..2026-06-01"],
  ["opened more than 30 days after 1 June 2026", "2026-07-01.."],
  ["opened more than 30 days before 1 June 2026", "..2026-05-02"],
])("the time of an event that %s is %s", (text, span) => {
  const dates = datesOf(text, NOW);
  const [date] = dates;
  if (date === undefined) throw new Error("no date");
  const { from, to } = boundedDate(text, date, dates);
  expect([from, to].map((instant) => (Math.abs(instant) > 8e15 ? "" : dayOf(instant))).join("..")).toBe(span);
});

test.each([
  [true, "opened 30 days after 1 June 2026", "30 days"],
  [true, "fined 30 people 20 days after 1 June 2026", "20 days"],
  [false, "fined 30 people 20 days after 1 June 2026", "30 people"],
  [false, "opened on 1 June 2026, 20 days late", "20 days"],
])("%p: in %j, %j counts days from a date", (counts, text, number) => {
  const start = text.indexOf(number);
  expect(isCounting(text, datesOf(text, NOW), { start, end: start + number.length })).toBe(counts);
});
