import { expect, test } from "bun:test";
import { type PairUse, usageCsv } from "./usage-csv.ts";

const USE: PairUse = {
  consumer: "alice",
  route: "shop.test/read",
  requests: 3,
  request_bytes: 10,
  response_bytes: 2000,
  client_errors: 1,
  server_errors: 0,
  last_seen_ms: Date.UTC(2026, 10, 22, 10, 30),
  payments: 2,
  amounts: [
    { network: "eip155:8453", asset: "0xa", amount: "123456789012345678901" },
    { network: "eip155:1", asset: "0xb", amount: "5" },
  ],
};

function cellsOf(consumer: string, route = "/"): string {
  return (
    usageCsv([{ ...USE, consumer, route }])
      .split("\r\n")[1]
      ?.split(",3,10,2000,")[0] ?? ""
  );
}

test("CSV has a header line, and its lines end with CRLF", () => {
  expect(usageCsv([])).toBe(
    "consumer,kind,route,requests,request_bytes,response_bytes,client_errors,server_errors,payments,amounts,last_seen\r\n",
  );
  expect(usageCsv([USE]).split("\r\n").slice(1)).toEqual([
    "alice,named,shop.test/read,3,10,2000,1,0,2,eip155:8453/0xa=123456789012345678901 eip155:1/0xb=5,2026-11-22T10:30:00.000Z",
    "",
  ]);
  expect(usageCsv([{ ...USE, last_seen_ms: 0, amounts: [] }])).toEndWith(",2,,\r\n");
});

test("anonymous requests and the sum of all others are distinct from consumers with such names", () => {
  expect(cellsOf("")).toBe(",anonymous,/");
  expect(cellsOf("", "")).toBe(",other,");
  expect(cellsOf("anonymous")).toBe("anonymous,named,/");
});

const HOSTILE: readonly (readonly [name: string, cell: string])[] = [
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "-1"],
  ["-1+1", "'-1+1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["＝1", "'＝1"],
  [" =1", "' =1"],
  ["\t=1", "\\u{9}=1"],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ["a,b", '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ["two\r\nlines", "two\\u{d}\\u{a}lines"],
  ["\u001b[2Jgone", "\\u{1b}[2Jgone"],
  ["a\0b\u0085", "a\\u{0}b\\u{85}"],
  ["\u202eecila\u200b", "\\u{202e}ecila\\u{200b}"],
  ["\u200b=1", "\\u{200b}=1"],
  [" padded ", '" padded "'],
  ["中 é", "中 é"],
];

for (const [name, cell] of HOSTILE) {
  test(`${JSON.stringify(name)} is the cell ${cell}`, () => {
    expect(cellsOf(name)).toBe(`${cell},named,/`);
  });
}
