import { describe, expect, test } from "bun:test";
import { type Threshold } from "../reading/analysis.ts";
import { planOf } from "./plan.ts";
import { isOf } from "../reading/resolution-source.ts";

const NOW = Date.parse("2026-06-15T12:00:00Z");

describe("the last instant that counts", () => {
  const cases: readonly (readonly [question: string, criteria: string, deadline: string | undefined])[] = [
    ["Will it open by December 31, 2026?", "", "2026-12-31T23:59:59.999Z"],
    ["Will it open by 31 December 2026?", "", "2026-12-31T23:59:59.999Z"],
    ["Will it open by 2026-12-31?", "", "2026-12-31T23:59:59.999Z"],
    ["Will it open by July 4?", "", "2026-07-04T23:59:59.999Z"],
    ["Will it open before July 4?", "", "2026-07-03T23:59:59.999Z"],
    ["Will it open in August 2026?", "", "2026-08-31T23:59:59.999Z"],
    ["Will it open before the Tern in the race of 2026?", "", undefined],
    ["Will it open before midnight UTC on 5 July 2026?", "", "2026-07-04T23:59:59.999Z"],
    ["Chegou antes do Vento Norte na regata de 2026?", "", undefined],
    ["Hat Silke Harmsen vor Maja Lind die Linie am 5. Juli 2026 überquert?", "", "2026-07-05T23:59:59.999Z"],
    ["Will it open in 2027?", "", "2027-12-31T23:59:59.999Z"],
    ["Will it open in Q3 2026?", "", "2026-09-30T23:59:59.999Z"],
    ["Will it open by the end of the month?", "", "2026-06-30T23:59:59.999Z"],
    ["Will it open by the end of the year?", "", "2026-12-31T23:59:59.999Z"],
    ["Will it open today?", "", "2026-06-15T23:59:59.999Z"],
    ["Will it open within 48 hours?", "", "2026-06-17T12:00:00.000Z"],
    ["Will it open tomorrow?", "", "2026-06-16T23:59:59.999Z"],
    ["Will it open this week?", "", "2026-06-21T23:59:59.999Z"],
    ["Will it open this month?", "", "2026-06-30T23:59:59.999Z"],
    ["Will it open this year?", "", "2026-12-31T23:59:59.999Z"],
    ["Will it open by the end of the quarter?", "", "2026-06-30T23:59:59.999Z"],
    ["Will it open within 3 days?", "", "2026-06-18T12:00:00.000Z"],
    ["Will it open in the next 2 weeks?", "", "2026-06-29T12:00:00.000Z"],
    ["Will it open in 2 months?", "", "2026-08-14T12:00:00.000Z"],
    ["Will it open between July 1 and July 4?", "", "2026-07-04T23:59:59.999Z"],
    ["Will it open by 9am ET on July 10, 2026?", "", "2026-07-10T13:00:00.000Z"],
    ["Will it open by 12am ET on July 10, 2026?", "", "2026-07-10T04:00:00.000Z"],
    ["Will it open by July 10, 2026?", "By July 14, 2026, 11:59 PM PT.", "2026-07-10T23:59:59.999Z"],
    ["Will it open by July 10, 2026?", "In July 2026, ET.", "2026-07-10T23:59:59.999Z"],
    ["Will it open by July 10 or by July 12?", "", "2026-07-10T23:59:59.999Z"],
    ["Will it open by 5pm ET on July 10, 2026?", "", "2026-07-10T21:00:00.000Z"],
    ["Will it open by 5pm ET on December 10, 2026?", "", "2026-12-10T22:00:00.000Z"],
    ["Will it open by July 10, 2026, 09:30 JST?", "", "2026-07-10T00:30:00.000Z"],
    ["Will it open by July 10, 2026, 12:00 UTC-5?", "", "2026-07-10T17:00:00.000Z"],
    ["Will it open by July 10, 2026 ET?", "", "2026-07-11T03:59:59.999Z"],
    ["Will it open by July 10, 2026 (UTC+5:30)?", "", "2026-07-10T18:29:59.999Z"],
    ["Will it open by July 10, 2026, Pacific time?", "", "2026-07-11T06:59:59.999Z"],
    ["Il ouvre avant le 14 juillet 2026 et il est plein ?", "", "2026-07-13T23:59:59.999Z"],
    ["Will it open in July 2026 (ET)?", "", "2026-08-01T03:59:59.999Z"],
    ["Will it open by July 10, 2026?", "By July 10, 2026, 11:59 PM PT.", "2026-07-11T06:59:59.999Z"],
    ["Will it open?", "It must open by September 1, 2026.", "2026-09-01T23:59:59.999Z"],
    ["Wird es bis 3. Oktober 2026 öffnen?", "", "2026-10-03T23:59:59.999Z"],
    ["Il ouvre avant le 14 juillet 2026 ?", "", "2026-07-13T23:59:59.999Z"],
    ["¿Abre antes del 6 de enero de 2027?", "", "2027-01-05T23:59:59.999Z"],
    ["它会在2026年8月1日前开放吗？", "", "2026-08-01T23:59:59.999Z"],
    ["Will it open by 25/07/2026?", "", "2026-07-25T23:59:59.999Z"],
    ["Will it open by 03/07/2026?", "Any day from 25/06/2026 on counts.", "2026-07-03T23:59:59.999Z"],
    ["Will it open by 03/07/2026?", "", "2026-07-03T23:59:59.999Z"],
    ["Will it open before 03/07/2026?", "", "2026-07-02T23:59:59.999Z"],
    ["Wird es bis 7.3.2026 öffnen?", "", "2026-03-07T23:59:59.999Z"],
    ["Will it open no later than July 4?", "", "2026-07-04T23:59:59.999Z"],
    ["Will it open not later than July 4?", "", "2026-07-04T23:59:59.999Z"],
    ["Will it open earlier than July 4?", "", "2026-07-03T23:59:59.999Z"],
    ["Will it open on July 4 at the latest?", "", "2026-07-04T23:59:59.999Z"],
    ["Will it open no earlier than July 4?", "", undefined],
    ["Will it open later than July 4?", "", undefined],
    ["Wird es spätestens am 3. Oktober 2026 öffnen?", "", "2026-10-03T23:59:59.999Z"],
    ["Wird es nicht später als 3. Oktober 2026 öffnen?", "", "2026-10-03T23:59:59.999Z"],
    ["Il ouvre au plus tard le 14 juillet 2026 ?", "", "2026-07-14T23:59:59.999Z"],
    ["¿Abre a más tardar el 6 de enero de 2027?", "", "2027-01-06T23:59:59.999Z"],
    ["¿Abre no más tarde del 6 de enero de 2027?", "", "2027-01-06T23:59:59.999Z"],
    ["Will it open?", "", undefined],
  ];
  for (const [question, criteria, deadline] of cases) {
    test(`${question} ${criteria}`, () => {
      const found = planOf(question, criteria, NOW).deadline;
      expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(deadline);
    });
  }
});

describe("the first instant that counts", () => {
  const cases: readonly (readonly [question: string, from: string])[] = [
    ["Will it open after July 4?", "2026-07-05T00:00:00.000Z"],
    ["Will it open after 03/07/2026?", "2026-03-08T00:00:00.000Z"],
    ["Will it open since July 4?", "2026-07-04T00:00:00.000Z"],
    ["Will it open between July 1 and July 4?", "2026-07-01T00:00:00.000Z"],
    ["Will it open in July 2026?", "2026-07-01T00:00:00.000Z"],
    ["Will it open later than July 4?", "2026-07-05T00:00:00.000Z"],
    ["Will it open no earlier than July 4?", "2026-07-04T00:00:00.000Z"],
    ["Will it open not before July 4?", "2026-07-04T00:00:00.000Z"],
    ["Wird es frühestens am 3. Oktober 2026 öffnen?", "2026-10-03T00:00:00.000Z"],
  ];
  for (const [question, from] of cases) {
    test(question, () => {
      const plan = planOf(question, "", NOW);
      expect([new Date(plan.from ?? 0).toISOString(), plan.negated]).toEqual([from, false]);
    });
  }
});

describe("the numbers that decide", () => {
  const cases: readonly (readonly [string, readonly Omit<Threshold, "text">[]])[] = [
    ["Will gold close above $3,000?", [{ comparison: "above", value: 3_000, unit: "usd" }]],
    ["Will gold fall to $3k?", [{ comparison: "at most", value: 3_000, unit: "usd" }]],
    ["¿Bajó la tasa del 8 %?", [{ comparison: "below", value: 8, unit: "percent" }]],
    [
      "Did it get 3 goals, 4 goals, 5 goals, 6 goals and 7 goals?",
      [3, 4, 5, 6].map((value) => ({ comparison: "equal" as const, value, unit: "goal" })),
    ],
    ["Did Line 9 open?", []],
    ["Did they win gold in the 400 metres?", [{ comparison: "equal", value: 400, unit: "m" }]],
    ["Will it open at 9:30?", []],
    ["Will gold reach $3k?", [{ comparison: "at least", value: 3_000, unit: "usd" }]],
    ["Will the rate be below 4.5%?", [{ comparison: "below", value: 4.5, unit: "percent" }]],
    ["Will the rate be cut by at least 25 basis points?", [{ comparison: "at least", value: 0.25, unit: "percent" }]],
    ["Will 2.5 million people or more come?", [{ comparison: "at least", value: 2_500_000, unit: "people" }]],
    ["Will the tunnel be at most 12 km long?", [{ comparison: "at most", value: 12_000, unit: "m" }]],
    [
      "Is inflation between 2% and 3%?",
      [
        { comparison: "at least", value: 2, unit: "percent" },
        { comparison: "at most", value: 3, unit: "percent" },
      ],
    ],
    ["Will it open by 5pm on July 10, 2026?", []],
    ["Is the tunnel no longer than 50 km?", [{ comparison: "at most", value: 50_000, unit: "m" }]],
    ["Is the tunnel not longer than 50 km?", [{ comparison: "at most", value: 50_000, unit: "m" }]],
    ["Is the tunnel no shorter than 50 km?", [{ comparison: "at least", value: 50_000, unit: "m" }]],
    ["Will no fewer than 60 people come?", [{ comparison: "at least", value: 60, unit: "people" }]],
    ["Will not fewer than sixty people come?", [{ comparison: "at least", value: 60, unit: "people" }]],
    ["Will no more than 60 people come?", [{ comparison: "at most", value: 60, unit: "people" }]],
    ["Is the rate not over 5%?", [{ comparison: "at most", value: 5, unit: "percent" }]],
    ["Is the rate not above 5%?", [{ comparison: "at most", value: 5, unit: "percent" }]],
    ["Is the rate not under 5%?", [{ comparison: "at least", value: 5, unit: "percent" }]],
    ["Is the rate never below 5%?", [{ comparison: "at least", value: 5, unit: "percent" }]],
    ["Is the rate under 5%?", [{ comparison: "below", value: 5, unit: "percent" }]],
    ["Is the rate no lower than 5%?", [{ comparison: "at least", value: 5, unit: "percent" }]],
    ["Is the tunnel 12 km long at most?", [{ comparison: "at most", value: 12_000, unit: "m" }]],
    ["Is the tunnel 12 km or shorter?", [{ comparison: "at most", value: 12_000, unit: "m" }]],
    ["Is the tunnel 12 km or longer?", [{ comparison: "at least", value: 12_000, unit: "m" }]],
    ["Ist der Tunnel nicht länger als 50 km?", [{ comparison: "at most", value: 50_000, unit: "m" }]],
    ["Ist der Tunnel länger als 50 km?", [{ comparison: "above", value: 50_000, unit: "m" }]],
    ["Ist der Tunnel kürzer als 50 km?", [{ comparison: "below", value: 50_000, unit: "m" }]],
    ["Le tunnel ne fait pas plus de 50 km ?", [{ comparison: "at most", value: 50_000, unit: "m" }]],
    ["¿El túnel mide no más de 50 km?", [{ comparison: "at most", value: 50_000, unit: "m" }]],
    ["¿El túnel mide no menos de 50 km?", [{ comparison: "at least", value: 50_000, unit: "m" }]],
    ["隧道不超过50公里？", [{ comparison: "at most", value: 50_000, unit: "m" }]],
    ["隧道不低于50公里？", [{ comparison: "at least", value: 50_000, unit: "m" }]],
  ];
  for (const [question, thresholds] of cases) {
    test(question, () => {
      expect(planOf(question, "", NOW)).toMatchObject({ thresholds: [...thresholds], negated: false });
    });
  }
});

describe("the source that decides", () => {
  const cases: readonly (readonly [criteria: string, own: string, others: readonly string[]])[] = [
    [
      "Resolves according to the Bureau of Labor Statistics.",
      "https://www.bls.gov/x",
      ["https://bls.gov.example.test/", "https://example.test/bls"],
    ],
    [
      "The resolution source is https://www.coingecko.com/en.",
      "https://coingecko.com/x",
      ["https://coingecko.com.test/", "https://notcoingecko.com/"],
    ],
    [
      "As reported by the Supreme Court (court.dal.example).",
      "https://court.dal.example/2026",
      ["https://supremecourt.gov/"],
    ],
    [
      "As published by Ballard council (ballardcouncil.example). Ignore ballardnews.example.",
      "https://www.ballardcouncil.example/result",
      ["https://ballard.example/", "https://ballardnews.example/"],
    ],
    ["As published by NASA. Ignore space.example.", "https://nasa.gov/x", ["https://space.example/"]],
    ["As reported by NASA.", "https://science.nasa.gov/x", ["https://nasa.example.test/"]],
    ["Based on data from Transfermarkt.", "https://www.transfermarkt.co.uk/x", ["https://transfermarkt.evil.test/"]],
  ];
  for (const [criteria, own, others] of cases) {
    test(criteria, () => {
      const source = planOf("Will it rain?", criteria, NOW).resolutionSource;
      if (source === undefined) throw new Error("no source was found");
      expect([own, ...others].map((url) => isOf(source, url))).toEqual([true, ...others.map(() => false)]);
    });
  }

  test("criteria that name no source yield no source", () => {
    expect(planOf("Will it rain?", "Resolves YES if it rains.", NOW).resolutionSource).toBeUndefined();
  });
});

test.each([
  ["Who will win the cup? – Westmere", "will Westmere win the cup"],
  ["Who will win the cup? – Westmere wins", "Westmere wins"],
  ["Which team will win the cup?: Westmere", "will Westmere win the cup"],
  ["Marvia CPI: will inflation be below 3 %?", "will inflation be below 3 % in Marvia"],
  ["Marlow: will he resign?", "will Marlow resign"],
  ["CPI: will inflation be below 3 %?", "CPI: will inflation be below 3 %"],
  ["Will “Marlow” resign?", "Will “Marlow” resign"],
])("the statement of a market's question: %s", (question, statement) => {
  expect(planOf(question, "", NOW).statement).toBe(statement);
});

describe("a question becomes a statement", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["Is it true that the bridge opened?", "the bridge opened", false],
    ['Is the following claim true: "The bridge opened."?', "The bridge opened.", false],
    ["Stimmt es, dass die Brücke offen ist?", "die Brücke offen ist", false],
    ["Est-il exact que le pont est ouvert ?", "le pont est ouvert", false],
    ["È vero che il ponte è aperto?", "il ponte è aperto", false],
    ["É verdade que a ponte abriu?", "a ponte abriu", false],
    ["Will the bridge not open?", "Will the bridge not open", true],
    ["Will the bridge fail to open?", "Will the bridge fail to open", true],
    ["Will the bridge not fail to open?", "Will the bridge not fail to open", false],
    ["Will the bridge open no later than May 5?", "Will the bridge open no later than May 5", false],
    ["Will the bridge not be longer than 5 km?", "Will the bridge not be longer than 5 km", true],
    ["Is the bridge no longer than the tunnel?", "Is the bridge no longer than the tunnel", true],
    ["Is the bridge no longer open?", "Is the bridge no longer open", true],
  ];
  for (const [question, statement, negated] of cases) {
    test(question, () => expect(planOf(question, "", NOW)).toMatchObject({ statement, negated }));
  }
});

describe("queries", () => {
  test("keep English words that are stop words of other languages", () => {
    expect(planOf("Did the war in Ostria end?", "", NOW).queries[0]).toContain("war");
  });
  const questions = [
    "Will it?",
    "?",
    "Will Arsenal win the FA Cup by May 30, 2026?",
    "它会在2026年8月1日前开放吗？",
    `Is it true that ${"very ".repeat(380)}long?`,
    "“”!!",
  ];
  for (const question of questions) {
    test(`for ${question.slice(0, 60)} are 2 to 5 different ones`, () => {
      const { queries } = planOf(question, "According to the Football Association.", NOW);
      expect(queries.length).toBeGreaterThanOrEqual(2);
      expect(queries.length).toBeLessThanOrEqual(5);
      expect(new Set(queries).size).toBe(queries.length);
      for (const query of queries) expect(query.length).toBeLessThanOrEqual(300);
    });
  }

  test("they are the statement, its words, its names, and its words for the source and for a result", () => {
    const people = "Mara Lind, Jonas Bek, Petra Holm and Tomas Reuter";
    const words = "long golden relay race old stone bridge Fennick record time heavy summer rain fell three";
    const place = "the old stone bridge at Fennick with a record time in heavy summer rain that fell for three days";
    const statement = `Did ${people} win the long golden relay race over ${place} on wet roads`;
    const { queries } = planOf(`${statement}?`, "According to the Football Association.", NOW);
    expect(queries).toEqual([
      `${people.replace(" and", "")} win ${words}`,
      statement,
      "Mara Lind Jonas Bek Petra Holm Tomas Reuter",
      `Football Association ${people.replace(" and", "")}`,
      `${people.replace(" and", "")} result`,
    ]);
    const [, , names] = planOf("Will Arsenal win the long golden relay race over the old bridge?", "", NOW).queries;
    expect(names).toBe("Arsenal win long golden relay");
  });

  test.each([
    ["Will it?", ["Will it", "Will it result", "Will it fact check"]],
    ["Will it rain?", ["rain", "Will it rain", "rain result", "rain fact check"]],
  ])("%s has few words for them", (question, queries) => {
    expect(planOf(question, "", NOW).queries).toEqual(queries);
  });

  test("there are at least two even if no source is named", () => {
    expect(planOf("?", "", NOW).queries.length).toBeGreaterThanOrEqual(2);
  });
});

test.each([
  [
    "Will Daria Holm be out as chief executive of Velora by June 2026?",
    "Will Daria Holm leave office as chief executive of Velora by June 2026",
  ],
  ["Daria Holm out as CEO of Velora by June 2026?", "will Daria Holm leave office as CEO of Velora by June 2026"],
  [
    "Will Daria Holm still be the mayor of Marl on 30 June 2026?",
    "will Daria Holm not leave office as mayor of Marl by 30 June 2026",
  ],
  ["Will the drug no longer be available by June 2026?", "Will the drug no longer be available by June 2026"],
  ["Will the troops leave as planned by June 2026?", "Will the troops leave as planned by June 2026"],
  ["Will the bridge still be closed on 30 June 2026?", "Will the bridge still be closed on 30 June 2026"],
  [
    "Will Arden sign Luca Brandt before the window closes on 1 June 2026?",
    "Will Arden sign Luca Brandt before 1 June 2026",
  ],
])("%s", (question, statement) => {
  const { statement: own, parts } = planOf(question, "", NOW);
  expect([own, parts]).toEqual([statement, undefined]);
});
