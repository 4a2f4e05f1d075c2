import { expect, test } from "bun:test";
import { TERMS } from "../../../../payments/testing/payment.ts";
import { type RouteX402Config } from "../../../config/config.ts";
import { listedRules } from "./listed-rules.ts";

type Rule = RouteX402Config["rules"][number];
type Match = Rule["match"];

function rule(change: Partial<Omit<Rule, "match">>, match: Partial<Match> = {}): Rule {
  return { match: { methods: [], headers: [], query: [], ...match }, consumers: [], payers: [], body: [], ...change };
}

const FROM_5 = { min: 5, max: Number.MAX_SAFE_INTEGER };
const BETWEEN = { pointer: "/n", min: 1, max: 3 };

const RULES: readonly (readonly [text: string, rule: Rule, data: object])[] = [
  ["$0.02", rule({ price: "$0.02" }), { when: {}, amounts: ["20000"] }],
  [
    "GET or HEAD: free",
    rule({ free: true }, { methods: ["GET", "HEAD"] }),
    { when: { methods: ["GET", "HEAD"] }, free: true },
  ],
  [
    "path /v1/admin/.*: not sold",
    rule({ refuse: true }, { path_pattern: "/v1/admin/.*" }),
    { when: { pathPattern: "/v1/admin/.*" }, refused: true },
  ],
  [
    "$0.005 for each of /urls, at least $0.01, at most $0.05",
    rule({ unit_price: { price: "$0.005", count: "/urls", min: "$0.01", max: "$0.05" } }),
    { when: {}, unit: { count: "/urls", amounts: ["5000"], min: ["10000"], max: ["50000"] } },
  ],
  [
    "$0.005 (/formats: pdf $0.01, the most expensive and 10% of each other) for each of /urls",
    rule({
      unit_price: {
        price: "$0.005",
        count: "/urls",
        items: { pointer: "/formats", prices: { pdf: "$0.01" }, share_percent: 10 },
      },
    }),
    {
      when: {},
      unit: {
        count: "/urls",
        amounts: ["5000"],
        items: { pointer: "/formats", amounts: { pdf: ["10000"] }, sharePercent: 10 },
      },
    },
  ],
  [
    "GET, /n 1 to 3, body of at least 5 bytes: $0.005 for each of /urls, at most $0.05",
    rule(
      { unit_price: { price: "$0.005", count: "/urls", max: "$0.05" }, body: [BETWEEN], body_bytes: FROM_5 },
      { methods: ["GET"] },
    ),
    {
      when: { methods: ["GET"], body: [BETWEEN], bodyBytes: FROM_5 },
      unit: { count: "/urls", amounts: ["5000"], max: ["50000"] },
    },
  ],
  [
    '/model is "small", with /x, /n at least 2, /m 1 to 3, body of at most 100 bytes, 22:00 to 6:00 UTC: $0.01',
    rule({
      price: "$0.01",
      body: [
        { pointer: "/model", value: "small" },
        { pointer: "/x" },
        { pointer: "/n", min: 2 },
        { pointer: "/m", min: 1, max: 3 },
      ],
      body_bytes: { min: 0, max: 100 },
      utc_hours: { from: 22, to: 6 },
    }),
    {
      when: {
        body: [
          { pointer: "/model", value: "small" },
          { pointer: "/x" },
          { pointer: "/n", min: 2 },
          { pointer: "/m", min: 1, max: 3 },
        ],
        bodyBytes: { min: 0, max: 100 },
        utcHours: { from: 22, to: 6 },
      },
      amounts: ["10000"],
    },
  ],
];

for (const [text, one, data] of RULES) {
  test(`a rule in words and as data: ${text}`, () => {
    expect(listedRules([one], [TERMS])).toEqual([{ text, ...data }] as ReturnType<typeof listedRules>);
  });
}

test("the values of fields and query parameters, and rules for named clients, are not listed", () => {
  const secret = rule(
    { price: "$0.01" },
    { headers: [{ name: "X-Plan", value: "s3cret" }], query: [{ name: "code", pattern: "s3cret.*" }] },
  );
  const own = [rule({ free: true, consumers: ["s3cret"] }), rule({ price: "$0.001", payers: [`0x${"a".repeat(40)}`] })];
  const listed = listedRules([secret, ...own], [TERMS]);
  expect(listed).toEqual([
    {
      text: "query parameter code, field X-Plan: $0.01",
      when: { query: ["code"], fields: ["X-Plan"] },
      amounts: ["10000"],
    },
  ]);
});

test("a price is listed for each way of paying", () => {
  const terms = [TERMS, { ...TERMS, scheme: "upto", network: "base" }];
  expect(listedRules([rule({ price: "$0.01" })], terms)).toEqual([
    { text: "up to $0.01", when: {}, amounts: ["10000", "10000"] },
  ]);
});
