import { expect, test } from "bun:test";
import { x402ResourceServer } from "@x402/core/server";
import { UptoEvmScheme } from "@x402/evm/upto/server";
import * as fc from "fast-check";
import { isFreeOfCharge, parseCharge, SETTLEMENT_OVERRIDES } from "./charge.ts";
import { type PaymentRequirements } from "./messages.ts";
import { REQUIREMENTS } from "../testing/payment.ts";

const UPTO: PaymentRequirements = { ...REQUIREMENTS, scheme: "upto", amount: "100000" };

function charge(amount: unknown, requirements = UPTO): string | undefined {
  return parseCharge([JSON.stringify({ amount })], requirements);
}

const CHARGES: readonly (readonly [amount: string, atomic: string])[] = [
  ["0", "0"],
  ["12345", "12345"],
  ["100000", "100000"],
  ["33.33%", "33330"],
  ["0.01%", "10"],
  ["100%", "100000"],
  ["0%", "0"],
  ["50.5%", "50500"],
  ["$0.05", "50000"],
  ["$0.1", "100000"],
  ["$0", "0"],
  ["$0.0123459", "12345"],
];

for (const [amount, atomic] of CHARGES) {
  test(`an upstream that says ${amount} charges ${atomic} of 100000`, () => {
    expect(charge(amount)).toBe(atomic);
  });
}

const NOTHING: readonly (readonly [amount: string, isFree: boolean])[] = [
  ["0", true],
  ["0%", true],
  ["0.00%", true],
  ["$0", true],
  ["$0.000000000", true],
  ["1", false],
  ["0.5%", false],
  ["$0.0000009", false],
  ["-0", false],
  ["00", false],
  ["", false],
];

test.each(NOTHING)("under exact an upstream that says %s of 100 wants nothing: %p", (amount, isFree) => {
  const values = [JSON.stringify({ amount })];
  expect(isFreeOfCharge(values, { ...UPTO, scheme: "exact", amount: "100" })).toBe(isFree);
  expect(isFreeOfCharge([...values, ...values], { ...UPTO, scheme: "exact", amount: "100" })).toBe(false);
  expect(isFreeOfCharge(values, { ...UPTO, amount: "100" })).toBe(false);
});

test("what the payer agreed to is charged where the upstream says nothing of an amount", () => {
  expect(parseCharge([], UPTO)).toBe("100000");
  expect(parseCharge(["{}"], UPTO)).toBe("100000");
});

const DEFECTS: readonly (readonly [what: string, values: readonly string[]])[] = [
  ["nothing", [""]],
  ["no JSON", ["12345"]],
  ["half of one", ['{"amount":"1']],
  ["null", ["null"]],
  ["a list", ['["1"]']],
  ["a number, which may be rounded", ['{"amount":12345}']],
  ["a null amount", ['{"amount":null}']],
  ["it twice", ['{"amount":"1"}', '{"amount":"1"}']],
  ["very much", [`{"amount":"1"${" ".repeat(1024)}}`]],
  ["something very deep", ["[".repeat(100_000)]],
];
for (const amount of [
  "",
  "-1",
  "+1",
  "01",
  "1.5",
  "1e3",
  "0x10",
  " 1",
  "1 ",
  "１",
  "100001",
  "100.01%",
  "101%",
  "-1%",
  "1.234%",
  "%",
  ".5%",
  "5.%",
  "$",
  "$.5",
  "$0.100001",
  "$-1",
  "€1",
  "9".repeat(79),
  `${"9".repeat(500)}%`,
]) {
  test(`an upstream that says the amount ${JSON.stringify(amount)} charges nothing, and is at fault`, () => {
    expect(charge(amount)).toBeUndefined();
  });
}
for (const [what, values] of DEFECTS) {
  test(`an upstream that says ${what} charges nothing, and is at fault`, () => {
    expect(parseCharge(values, UPTO)).toBeUndefined();
  });
}

test("dollars of a token that is not known are a fault", () => {
  expect(charge("$0.01", { ...UPTO, asset: UPTO.payTo })).toBeUndefined();
  expect(charge("10000", { ...UPTO, asset: UPTO.payTo })).toBe("10000");
});

const digits = (maxLength: number) => fc.array(fc.nat(9), { maxLength }).map((values) => values.join(""));
const amounts = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 70n }).map(String),
  fc.tuple(fc.nat(150), digits(2)).map(([whole, places]) => (places === "" ? `${whole}%` : `${whole}.${places}%`)),
  fc.tuple(fc.nat(200), digits(12)).map(([whole, places]) => (places === "" ? `$${whole}` : `$${whole}.${places}`)),
);
const ceilings = fc.bigInt({ min: 1n, max: 2n ** 70n });

/** What the reference server would have settled. */
async function reference(amount: string, requirements: PaymentRequirements): Promise<string> {
  let settled = "";
  const network = "eip155:84532";
  const server = new x402ResourceServer({
    verify: async () => ({ isValid: true }),
    settle: async (_payment, { amount: asked }) => {
      settled = asked;
      return { success: true, transaction: "", network };
    },
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: "upto", network }],
      extensions: [],
      signers: {},
    }),
  });
  server.register(network, new UptoEvmScheme());
  await server.initialize();
  const offer = { ...requirements, network } as const;
  await server.settlePayment({ x402Version: 2, accepted: offer, payload: {} }, offer, undefined, undefined, { amount });
  return settled;
}

test("what is charged is what the reference server charges, and never more than was agreed to", async () => {
  await fc.assert(
    fc.asyncProperty(amounts, ceilings, async (amount, ceiling) => {
      const requirements = { ...UPTO, amount: String(ceiling) };
      const theirs = BigInt(await reference(amount, requirements));
      expect(charge(amount, requirements)).toBe(theirs <= ceiling ? String(theirs) : undefined);
    }),
    { numRuns: 300 },
  );
});

test("no header, whatever is in it, charges more than was agreed to", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.string().map((amount) => JSON.stringify({ amount })),
      ),
      (value) => {
        const said = parseCharge([value], UPTO);
        expect(said === undefined || (BigInt(said) >= 0n && BigInt(said) <= 100_000n)).toBe(true);
      },
    ),
  );
});

test("the header is the reference server's", async () => {
  const http = await import("@x402/core/http");
  expect<string>(SETTLEMENT_OVERRIDES).toBe(http.SETTLEMENT_OVERRIDES_HEADER);
});
