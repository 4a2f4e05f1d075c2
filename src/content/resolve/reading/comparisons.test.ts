import { expect, test } from "bun:test";
import { planOf } from "../evidence/plan.ts";

const NOW = Date.UTC(2026, 11, 1);

test.each([
  ["above 3", "Will inflation be in excess of 3%?"],
  ["above 3", "Will inflation be > 3%?"],
  ["above 3", "Will inflation be north of 3%?"],
  ["at least 3", "Will inflation be at or above 3%?"],
  ["at least 3", "Will inflation be greater than or equal to 3%?"],
  ["at least 3", "Will inflation be ≥3%?"],
  ["at least 3", "Will inflation be >=3%?"],
  ["at least 3", "Will inflation be 3%+?"],
  ["below 3", "Will inflation be < 3%?"],
  ["below 3", "Will inflation come in cooler than 3%?"],
  ["at most 3", "Will inflation be ≤3%?"],
  ["at most 3", "Will inflation be at or below 3%?"],
  ["below 5000000000", "Will Orbis miss $5 billion in revenue?"],
  ["at least 4.3, at most 4.5", "Will unemployment be 4.3%-4.5%?"],
  ["above 1", "L'inflation en France sera-t-elle supérieure à 1 % ?"],
  ["above 7", "Le taux de chômage dépassera-t-il 7 % ?"],
  ["above 3", "L'inflation excédera-t-elle 3 % ?"],
  ["below 7", "Le chômage sera-t-il inférieur à 7 % ?"],
  ["above 2.5", "¿Será la inflación de España superior al 2,5 %?"],
  ["above 2", "¿Será el crecimiento mayor que el 2 %?"],
  ["below 3", "¿Será la inflación menor al 3 %?"],
  ["at least 3", "¿Será la inflación de al menos el 3 %?"],
  ["above 2", "L'inflazione in Italia sarà superiore al 2%?"],
  ["below 1.5", "L'inflazione sarà inferiore all'1,5%?"],
  ["at least 3", "L'inflazione sarà pari o superiore al 3%?"],
  ["at least 3", "L'inflazione sarà di almeno il 3%?"],
  ["above 4", "A inflação será maior do que 4%?"],
  ["at least 3", "A inflação será igual ou superior a 3%?"],
  ["above 2", "Wird die Inflation mehr als 2 Prozent betragen?"],
])("%s: %s", (bound, question) => {
  const { thresholds } = planOf(question, "", NOW);
  expect(thresholds.map(({ comparison, value }) => `${comparison} ${value}`).join(", ")).toBe(bound);
});

test("a bound of growth in a quarter leaves the quarter as the time", () => {
  const { from, deadline } = planOf("Will US GDP grow by more than 3% in the third quarter of 2026?", "", NOW);
  expect([from, deadline]).toEqual([Date.UTC(2026, 6, 1), Date.UTC(2026, 9, 1) - 1]);
});
