import { describe, expect, test } from "bun:test";
import { meets, quantitiesOf, sameNumber } from "./quantities.ts";
import { type Language } from "./words.ts";

describe("the quantities of a sentence", () => {
  const cases: readonly (readonly [text: string, language: Language | undefined, ...quantities: string[]])[] = [
    ["It took 2:21:07.", "en", "8467 s: 2:21:07"],
    ["It took 3:58.41.", "en", "238.41 s: 3:58.41"],
    ["It took 2 hours 20 minutes.", "en", "8400 s: 2 hours 20 minutes"],
    ["It took 2 hours and 20 minutes.", "en", "8400 s: 2 hours and 20 minutes"],
    ["It took 20 minutes and 2 hours.", "en", "1200 s: 20 minutes", "7200 s: 2 hours"],
    ["It took 2 hours and 2 hours.", "en", "7200 s: 2 hours", "7200 s: 2 hours"],
    ["It took 2 hours after 20 minutes.", "en", "7200 s: 2 hours", "1200 s: 20 minutes"],
    ["It took 3 minutes and 4 km.", "en", "180 s: 3 minutes", "4000 m: 4 km"],
    ["It has 1,234,567 people.", "en", "1234567 people: 1,234,567 people"],
    ["Es hat 1.234.567,5 Euro.", "de", "1234567.5 eur: 1.234.567,5 Euro"],
    ["It has 12,34,567 rupees.", "en", "1234567 inr: 12,34,567 rupees"],
    ["Il a 97 150 euros.", "fr", "97150 eur: 97 150 euros"],
    ["It rose 2.5 percent.", "en", "2.5 percent: 2.5 percent"],
    ["Es stieg um 2,5 Prozent.", "de", "2.5 percent: 2,5 Prozent"],
    ["It cost $2.5 billion.", "en", "2500000000 usd: $2.5 billion"],
    ["It cost US$3k.", "en", "3000 usd: US$3k"],
    ["It cost €3m.", "en", "3000000 eur: €3m"],
    ["It is 3 m long.", "en", "3 m: 3 m"],
    ["It cost 2 billion euros.", "en", "2000000000 eur: 2 billion euros"],
    ["Es kostet 2 Billionen Euro.", "de", "2000000000000 eur: 2 Billionen Euro"],
    ["Cuesta 3 mil millones de euros.", "es", "3000000000 eur: 3 mil millones de euros"],
    ["收于10.4万美元。", undefined, "104000 usd: 10.4万美元"],
    ["收于3百万美元。", undefined, "3000000 usd: 3百万美元"],
    ["Over two dozen ships.", "en", "24 ship: two dozen ships"],
    [
      "Half a dozen ships and half a million dogs.",
      "en",
      "6 ship: Half a dozen ships",
      "500000 dog: half a million dogs",
    ],
    ["A dozen ships, a ship.", "en", "12 ship: A dozen ships"],
    [`It has ${"9".repeat(400)} ships and 12 boats.`, "en", "12 boat: 12 boats"],
    ["It has 500 new measles cases.", "en", "500 cas: 500 new measles cases"],
    ["It beat 12 ships last week.", "en", "12 ship: 12 ships"],
    ["It had 8 named storms of which 3 were strong.", "en", "8 storm: 8 named storms", "3 : 3"],
    ["It has thirty-two goals.", "en", "32 goal: thirty-two goals"],
    ["Es hat zweiunddreißig Tore.", "de", "32 tor: zweiunddreißig Tore"],
    ["Il a trente-deux buts.", "fr", "32 but: trente-deux buts"],
    ["Tiene treinta y dos goles.", "es", "32 gol: treinta y dos goles"],
    ["Ha trentadue gol.", "it", "32 gol: trentadue gol"],
    ["Tem trinta e dois gols.", "pt", "32 gol: trinta e dois gols"],
    ["One of two dogs.", "en", "1 dog: two dogs"],
    ["One million dogs.", "en", "1000000 dog: One million dogs"],
    ["In Nine Wells, nine dogs.", "en", "9 dog: nine dogs"],
    ["It was 20 degrees Celsius.", "en", "20 celsius: 20 degrees Celsius"],
    ["It was 68 degrees Fahrenheit.", "en", "68 fahrenheit: 68 degrees Fahrenheit"],
    ["It was 20°C.", "en", "20 celsius: 20°C"],
    ["It rose 25 basis points.", "en", "0.25 percent: 25 basis points"],
    ["It rose 5 per cent.", "en", "5 percent: 5 per cent"],
    ["È salita al 5 per cento.", "it", "5 percent: 5 per cento"],
    ["Subiu 5 por cento.", "pt", "5 percent: 5 por cento"],
    ["It has 3 of 4 of them.", "en", "3 : 3 of 4"],
    ["B52 and 7-zip.", "en", "7 zip: 7-zip"],
    ["It drove 36 km/h.", "en", "10 m/s: 36 km/h"],
    ["It rose 26 bps.", "en", "0.26 percent: 26 bps"],
    ["It cost 3 dollars.", "en", "3 usd: 3 dollars"],
    ["It cost £3.", "en", "3 gbp: £3"],
    ["It cost 4 yen.", "en", "4 jpy: 4 yen"],
    ["It cost 5 yuan.", "en", "5 cny: 5 yuan"],
    ["It is 2 metres long.", "en", "2 m: 2 metres"],
    ["It is 3 kilometres long.", "en", "3000 m: 3 kilometres"],
    ["It is 2 miles long.", "en", "3218.688 m: 2 miles"],
    ["It is 10 feet long.", "en", "3.048 m: 10 feet"],
    ["It is 8 cm long.", "en", "0.08 m: 8 cm"],
    ["It is 7 mm long.", "en", "0.007 m: 7 mm"],
    ["It is 4 inches long.", "en", "0.102 m: 4 inches"],
    ["It weighs 3 kilograms.", "en", "3 kg: 3 kilograms"],
    ["It weighs 2 tonnes.", "en", "2000 kg: 2 tonnes"],
    ["It weighs 5 lbs.", "en", "2.268 kg: 5 lbs"],
    ["It took 30 seconds.", "en", "30 s: 30 seconds"],
    ["It took 3 days.", "en", "259200 s: 3 days"],
    ["It took 2 weeks.", "en", "1209600 s: 2 weeks"],
    ["It drove 100 mph.", "en", "44.704 m/s: 100 mph"],
    ["It has 9 persons.", "en", "9 people: 9 persons"],
    ["It won 60 or more seats.", "en", "60 seat: 60 or more seats"],
    ["It won 60 or more.", "en", "60 : 60"],
    ["It has 5 Lantern awards.", "en", "5 : 5"],
  ];
  test.each(cases)("%s (%s)", (text, language, ...quantities) => {
    const found = quantitiesOf(text, language);
    expect(
      found.map(({ value, unit, start, end }) => `${Number(value.toFixed(3))} ${unit}: ${text.slice(start, end)}`),
    ).toEqual(quantities);
  });

  test("have places, and leave dates out", () => {
    const text = "On 5 May 2026 it had 40 dogs.";
    const found = quantitiesOf(text, "en", [{ start: 3, end: 13 }]);
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(["40 dogs"]);
    const next = "It had 40 dogs5 May";
    expect(quantitiesOf(next, "en", [{ start: 14, end: 19 }])).toHaveLength(1);
  });

  test("are at most 24", () => {
    expect(quantitiesOf("5 dogs, ".repeat(25), "en")).toHaveLength(24);
  });

  test("have a rough value after a word like about", () => {
    expect(quantitiesOf("About 40 dogs and 50 cats.", "en").map(({ rough }) => rough)).toEqual([true, false]);
  });

  test.each([
    ["more than 5 hours 30 minutes", 19_800, Number.POSITIVE_INFINITY],
    ["less than 5 hours 30 minutes", Number.NEGATIVE_INFINITY, 19_800],
    ["at least 5 s", 5, Number.POSITIVE_INFINITY],
    ["at most 5 s", Number.NEGATIVE_INFINITY, 5],
    ["5 hours 30 minutes", 19_800, 19_800],
    ["one of two dogs", 1, 1],
    ["5 of 7 dogs", 5, 5],
  ])("%s is from %p to %p", (text, low, high) => {
    expect(quantitiesOf(text, "en")).toMatchObject([{ low, high }]);
  });
});

describe("a quantity meets a threshold", () => {
  type Case = readonly [text: string, above: string, atLeast: string, below: string, atMost: string, equal: string];
  const cases: readonly Case[] = [
    ["99 dogs", "no", "no", "yes", "yes", "yes"],
    ["98 dogs", "no", "no", "yes", "yes", "no"],
    ["100 dogs", "no", "yes", "no", "yes", "yes"],
    ["103 dogs", "yes", "yes", "no", "no", "no"],
    ["more than 100 dogs", "yes", "yes", "no", "no", "open"],
    ["at least 100 dogs", "open", "yes", "no", "open", "open"],
    ["less than 100 dogs", "no", "no", "yes", "yes", "open"],
    ["at most 100 dogs", "no", "open", "open", "yes", "open"],
    ["more than 90 dogs", "open", "open", "open", "open", "open"],
    ["more than 110 dogs", "yes", "yes", "no", "no", "no"],
    ["less than 90 dogs", "no", "no", "yes", "yes", "no"],
    ["about 104 dogs", "open", "open", "open", "open", "yes"],
    ["about 106 dogs", "yes", "yes", "no", "no", "yes"],
    ["about 94 dogs", "no", "no", "yes", "yes", "yes"],
    ["about 80 dogs", "no", "no", "yes", "yes", "no"],
  ];
  test.each(cases)("%s of 100: above %s, at least %s, below %s, at most %s, equal %s", (text, ...expected) => {
    const [quantity] = quantitiesOf(text, "en");
    if (quantity === undefined) throw new Error("no quantity");
    const comparisons = ["above", "at least", "below", "at most", "equal"] as const;
    expect(comparisons.map((comparison) => meets(quantity, { comparison, value: 100 }))).toEqual(expected as "yes"[]);
  });

  test.each([
    [0, 0, true],
    [0, 1, false],
    [-5, 5, false],
    [1_000, 1_020, true],
    [1_000, 1_021, false],
    [-1_020, -1_000, true],
    [100, 101, true],
    [100, 102, false],
    [9, 9.04, true],
    [9, 9.06, false],
    [10, 10.11, true],
    [9.99, 10, true],
    [999, 1_010, true],
    [980, 1_000, true],
    [979, 1_000, false],
  ])("%p and %p are the same number: %p", (a, b, same) => {
    expect(sameNumber(a, b)).toBe(same);
  });
});

test.each([
  ["found guilty on two out of seven counts", "en", [2]],
  ["three of the seven counts", "en", [3]],
  ["one of the 400 houses", "en", [1]],
  ["10 million of 30 million euros", "en", [10_000_000]],
  ["a total of 12 states", "en", [12]],
  ["zwei von sieben Punkten", "de", [2]],
  ["tres de los siete cargos", "es", [3]],
  ["1 340 ruches sur 4 100", "fr", [1_340, 4_100]],
] as const)("a part of a whole is counted: %s", (text, language, values) => {
  expect(quantitiesOf(text, language).map(({ value }) => value)).toEqual([...values]);
});

test("a part of a whole ends with the whole, and has its unit", () => {
  const text = "paid 10 million of 30 million euros";
  expect(quantitiesOf(text, "en")).toMatchObject([{ value: 10_000_000, unit: "eur", start: 5, end: text.length }]);
});
