import { describe, expect, test } from "bun:test";
import { passagesOf } from "../evidence/passages.ts";
import { planOf } from "../evidence/plan.ts";
import { datesAround } from "../reading/dates.ts";
import { undatedTokensOf } from "../reading/spans.ts";
import { measured } from "./measures.ts";
import { askedOf } from "./question.ts";

const NOW = Date.UTC(2026, 8, 28);
const PUBLISHED = Date.UTC(2026, 5, 15);

type Row = readonly [measure: string, sentence: string];

/** Questions with sentences, and how these measure: the side, the factor by which their words are bound to it, and the clause. */
const QUESTIONS: Readonly<Record<string, readonly Row[]>> = {
  "Had at least 15 states joined the Seabed Treaty?": [
    ["NO 1.00: Twelve states have joined the Seabed Treaty", "Twelve states have joined the Seabed Treaty."],
    [
      "NO 1.00: No more than 12 states have joined the Seabed Treaty",
      "No more than 12 states have joined the Seabed Treaty.",
    ],
    ["nothing", "Twelve states have not joined the Seabed Treaty."],
    ["nothing", "Sixteen states have yet to join the Seabed Treaty."],
    ["nothing", "Sixteen states want to join the Seabed Treaty."],
    ["nothing", "Sixteen states claim to have joined the Seabed Treaty."],
    ["nothing", "Sixteen states have joined talks about the Seabed Treaty."],
  ],
  "Did the Farmers' Party win at least 40 seats?": [
    ["YES 1.00: The Farmers' Party of Estmark won 41 seats", "The Farmers' Party of Estmark won 41 seats."],
    ["nothing", "The youth wing of the Farmers' Party won 41 seats."],
    ["nothing", "41 seats were won by the youth wing of the Farmers' Party."],
    ["YES 1.00: 41 seats were won by the Farmers' Party", "41 seats were won by the Farmers' Party."],
  ],
  "Haben mindestens 15 Staaten das Meeresabkommen ratifiziert?": [
    ["YES 1.00: 16 Staaten haben das Meeresabkommen ratifiziert", "16 Staaten haben das Meeresabkommen ratifiziert."],
    ["nothing", "16 Staaten haben das Meeresabkommen noch nicht ratifiziert."],
  ],
  "Au moins 15 pays ont-ils ratifié le traité ?": [
    ["YES 1.00: Seize pays ont ratifié le traité", "Seize pays ont ratifié le traité."],
    ["nothing", "Seize pays n'ont pas ratifié le traité."],
  ],
  "Did Merrow have more than 400,000 visitors in 2026?": [
    ["YES 1.00: Merrow had 500,000 visitors", "Merrow had 500,000 visitors in 2026."],
    ["NO 1.00: Merrow had 300,000 visitors", "Merrow had 300,000 visitors in 2026."],
    ["nothing", "Merrow had 500,000 visitors in 2024."],
    ["YES 1.00: Merrow had 500,000 visitors", "Merrow had 500,000 visitors in 2026, and Durne had 300,000 visitors."],
    ["YES 1.00: Merrow had 500,000 visitors", "Merrow had 500,000 visitors (2024: 300,000)."],
    ["nothing", "Merrow had 500,000 visitors since 2020."],
    ["nothing", "Merrow had 500,000 visitors on 31 December 2025."],
    ["nothing", "Merrow had 500,000 visitors on 1 January 2027."],
    ["nothing", "Merrow had 500,000 visitors by January 2027."],
    ["YES 1.00: Merrow's visitors were 500,000 people", "Merrow's visitors were 500,000 people."],
    ["nothing", "Greater Merrow had 500,000 visitors."],
    ["nothing", "Merrow and its partners had 500,000 visitors."],
    ["nothing", "Durne had 500,000 visitors."],
    ["YES 1.00: In Durne 500,000 visitors of Merrow were counted", "In Durne 500,000 visitors of Merrow were counted."],
    ["nothing", "Merrow had 500,000 more visitors than Durne."],
    ["nothing", "Merrow had 500,000 visitors more than Durne."],
    ["YES 1.00: Merrow had 500,000 visitors", "Merrow had 500,000 visitors, up from 300,000."],
    ["YES 1.00: Merrow had 500,000 visitors against 300,000", "Merrow had 500,000 visitors against 300,000 before."],
    ["nothing", "Merrow had an average of 500,000 visitors."],
    ["nothing", "Merrow averaged 500,000 visitors."],
    ["nothing", "Merrow may have 500,000 visitors."],
    ["NO 1.00: Merrow did not have 400,000 visitors", "Merrow did not have 400,000 visitors."],
    ["NO 1.00: Merrow fell short of 400,000 visitors", "Merrow fell short of 400,000 visitors."],
    ["YES 1.00: Visitors of Merrow: 500,000", "Visitors of Merrow: 500,000"],
    ["YES 1.00: visitors: 500,000", "Merrow, visitors: 500,000"],
    ["nothing", "Merrow counted 500,000 dogs."],
    ["YES 1.00: 500,000 people visited Merrow", "500,000 people visited Merrow."],
    ["YES 1.00: and 500,000 visitors came", "Merrow has 3 museums, and 500,000 visitors came."],
    ["YES 1.00: The visitors of Merrow were 500,000 to 600,000", "The visitors of Merrow were 500,000 to 600,000."],
    ["nothing", "The visitors of Merrow were 300,000 to 600,000."],
    ["nothing", "The visitors of Merrow, 500,000, paid 300,000 crowns."],
  ],
  "Were more than 20 people killed in the Halle fire?": [
    ["YES 1.00: In the Halle fire 25 people were killed", "In the Halle fire 25 people were killed."],
    ["nothing", "In the Halle fire 25 people were injured."],
    ["NO 1.00: In the Halle fire 15 people were killed", "In the Halle fire 15 people were killed."],
    ["YES 1.00: The death toll of the Halle fire has risen to 25", "The death toll of the Halle fire has risen to 25."],
    ["nothing", "The Halle fire closed a toll gate, and people were killed at 25 houses."],
    ["YES 1.00: In the Halle fire 25 people died", "In the Halle fire 25 people died."],
    ["nothing", "In the Halle fire 25 people were injured and 15 people were killed."],
    ["YES 1.00: Killed in the Halle fire: 25", "Killed in the Halle fire: 25"],
    ["YES 1.00: killed: 25", "Halle fire, killed: 25"],
    ["nothing", "The Halle fire cost 25 million crowns."],
  ],
  "Is the rate of Norvane exactly 4 percent in 2026?": [
    ["YES 0.70: The rate of Norvane is 4 percent", "The rate of Norvane is 4 percent."],
    ["NO 0.70: The rate of Norvane is 5 percent", "The rate of Norvane is 5 percent."],
    [
      "NO 0.70: The rate of Norvane rose from 4 percent to 5 percent",
      "The rate of Norvane rose from 4 percent to 5 percent.",
    ],
    ["nothing", "Norvane's bank met at 5 percent."],
  ],
  "Did Orwell Air carry more than 2 million passengers in 2026?": [
    ["YES 1.00: Orwell Air carried 3 million passengers", "Orwell Air carried 3 million passengers in 2026."],
    ["nothing", "Orwell group carried 3 million passengers in 2026."],
    ["NO 1.00: Orwell Air carried 1 million passengers", "Orwell Air carried 1 million passengers."],
    ["nothing", "Orwell carried 3 million passengers."],
    ["nothing", "The firm carried 3 million passengers."],
    [
      "YES 1.00: Orwell Air carried 3 million passengers on its first day",
      "Orwell Air carried 3 million passengers on its first day.",
    ],
  ],
  "Did Orwell Air carry more than 2 million passengers on its first day?": [
    [
      "YES 1.00: Orwell Air carried 3 million passengers on its first day",
      "Orwell Air carried 3 million passengers on its first day.",
    ],
    ["nothing", "Orwell Air carried 3 million passengers."],
  ],
  "Does Acme Robotics have more than 500 employees?": [
    ["YES 1.00: Acme Robotics has 620 employees", "Acme Robotics has 620 employees."],
    ["YES 1.00: The number of employees of Acme Robotics is 620", "The number of employees of Acme Robotics is 620."],
    ["nothing", "The revenue of Acme Robotics is 620 per employee, and the employees know it."],
    ["nothing", "Acme Robotics has 620."],
    ["nothing", "Acme Robotics has 620 shops."],
    ["YES 1.00: Employees of Acme Robotics: 620", "Employees of Acme Robotics: 620"],
  ],
  "Did core inflation in Sarin exceed 3 percent in May 2026?": [
    ["YES 1.00: Core inflation in Sarin exceeded 3 percent", "Core inflation in Sarin exceeded 3 percent in May 2026."],
    ["YES 1.00: Core inflation in Sarin was 3.5 percent in May", "Core inflation in Sarin was 3.5 percent in May."],
    ["nothing", "Food inflation in Sarin was 3.5 percent in May."],
    ["nothing", "Core inflation in Sarin was 3.5 percent in April."],
    [
      "NO 1.00: Core inflation in Sarin was 2.5 percent",
      "Core inflation in Sarin was 2.5 percent in May, below the 3.5 percent forecast.",
    ],
  ],
  "Has Zeta at least 20 million paying users?": [
    ["YES 1.00: Zeta has 25 million paying users", "Zeta has 25 million paying users."],
    ["YES 0.70: Zeta has 25 million users", "Zeta has 25 million users."],
    ["NO 1.00: Zeta has 15 million paying users", "Zeta has 15 million paying users."],
  ],
  "Did the price of gold top 3,000 euros between 1 May 2026 and 31 May 2026?": [
    ["YES 0.80: The price of gold was 3,100 euros", "The price of gold was 3,100 euros on 2 May 2026."],
    ["YES 0.80: The price of gold was 3,100 euros", "The price of gold was 3,100 euros on 1 June 2026."],
    ["nothing", "The price of gold was 3,100 euros in June 2026."],
    ["nothing", "The price of gold was 3,100 euros in April 2026."],
    ["nothing", "The price of gold was 3,100 euros in 2025."],
    ["nothing", "The price of gold was 3,100 dollars."],
  ],
  "Hat die Grube Halden 2026 mehr als 250 Tonnen Gold geliefert?": [
    ["YES 1.00: Die Grube Halden hat 300 Tonnen Gold geliefert", "Die Grube Halden hat 300 Tonnen Gold geliefert."],
    ["nothing", "Die Grube Halden hat 300 Tonnen Gold mehr als 2025 geliefert."],
    [
      "YES 1.00: Die Grube Halden lieferte nach 200 nun 300 Tonnen Gold",
      "Die Grube Halden lieferte nach 200 nun 300 Tonnen Gold.",
    ],
  ],
  "Did core inflation in Sarin exceed 3 percent in April or May 2026?": [
    ["YES 1.00: Core inflation in Sarin was 3.5 percent in April", "Core inflation in Sarin was 3.5 percent in April."],
    ["nothing", "Core inflation in Sarin was 3.5 percent in June."],
    ["nothing", "Core inflation in Sarin was 3.5 percent in March."],
  ],
  "La mine de Halden a-t-elle produit plus de 250 tonnes d'or en mai 2026 ?": [
    [
      "YES 1.00: La mine de Halden a produit 300 tonnes d'or en mai",
      "La mine de Halden a produit 300 tonnes d'or en mai.",
    ],
    ["nothing", "La mine de Halden a produit 300 tonnes d'or en avril."],
  ],
};

function measureOf(question: string, text: string): string {
  const plan = planOf(question, "", NOW);
  const asked = askedOf(plan, NOW);
  const source = { url: "https://a.test/", title: "", text, published: PUBLISHED, language: "", isHint: true };
  const [passage] = passagesOf(plan, source);
  if (passage === undefined) return "no passage";
  const dates = datesAround(text, PUBLISHED);
  const tokens = undatedTokensOf(text, dates, passage.words);
  const found = measured(asked, passage, { language: asked.language ?? "en", dates, tokens });
  if (found === undefined) return "nothing";
  const { sign, factor, part } = found;
  return `${sign > 0 ? "YES" : "NO"} ${factor.toFixed(2)}: ${text.slice(part.start, part.end)}`;
}

describe.each(Object.entries(QUESTIONS))("%s", (question, rows) => {
  test.each(rows)("%s / %s", (measure, sentence) => expect(measureOf(question, sentence)).toBe(measure));
});
