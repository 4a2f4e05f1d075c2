import { expect, test } from "bun:test";
import { REQUIREMENTS } from "../../../payments/testing/payment.ts";
import { type Listed, llmsText, manifestOf } from "./discovery.ts";

function resource(change: Partial<Listed> = {}): Listed {
  return { url: "https://a.example/goods", description: "Goods", accepts: [REQUIREMENTS], ...change };
}

test("an item of the manifest has the call of the bazaar extension, and the extensions that a client must have", () => {
  const extensions = {
    bazaar: { info: { input: { type: "http", method: "POST", body: { a: 1 } }, output: { type: "json" } }, schema: {} },
    "payment-identifier": { info: { required: true } },
    "offer-receipt": {},
    "sign-in-with-x": {},
  };
  const bytes = manifestOf([resource({ extensions }), resource({ methods: ["PUT", "POST"] })], 1_800_000_000_900);
  expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({
    x402Version: 2,
    lastUpdated: 1_800_000_000,
    items: [
      {
        resource: { url: "https://a.example/goods", description: "Goods" },
        type: "http",
        accepts: [REQUIREMENTS],
        input: { method: "POST", body: { a: 1 } },
        output: { type: "json" },
        requires: ["payment-identifier", "sign-in-with-x"],
      },
      {
        resource: { url: "https://a.example/goods", description: "Goods" },
        type: "http",
        accepts: [REQUIREMENTS],
        input: { method: "PUT" },
      },
    ],
  });
});

test("llms.txt names at most 200 resources, each on one line", () => {
  const many = Array.from({ length: 203 }, () => resource({ description: "Two\n\n# lines" }));
  const text = Buffer.from(llmsText(many, { testMode: false, discovery: { manifest: false } })).toString();
  expect(text.match(/^- \[any method/gm)).toHaveLength(200);
  expect(text).toContain("\n- and 3 more\n");
  expect(text).toContain(": Two # lines. $0.01 a request");
  expect(text).not.toMatch(/^# lines|Test mode|Manifest/m);
});
