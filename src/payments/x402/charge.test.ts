import { expect, test } from "bun:test";
import { x402ResourceServer } from "@x402/core/server";
import { UptoEvmScheme } from "@x402/evm/upto/server";
import * as fc from "fast-check";
import { isChargedFailure, isFreeOfCharge, parseCharge, SETTLEMENT_OVERRIDES } from "./charge.ts";
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
  test(`an upstream that sends ${amount} charges ${atomic} of 100000`, () => {
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

test.each(NOTHING)("under exact, an upstream that sends %s of 100 charges nothing: %p", (amount, isFree) => {
  const values = [JSON.stringify({ amount })];
  expect(isFreeOfCharge(values, { ...UPTO, scheme: "exact", amount: "100" })).toBe(isFree);
  expect(isFreeOfCharge([...values, ...values], { ...UPTO, scheme: "exact", amount: "100" })).toBe(false);
  expect(isFreeOfCharge(values, { ...UPTO, amount: "100" })).toBe(false);
});

test("without an amount from the upstream, the full agreed amount is charged", () => {
  expect(parseCharge([], UPTO)).toBe("100000");
  expect(parseCharge(["{}"], UPTO)).toBe("100000");
});

const DEFECTS: readonly (readonly [what: string, values: readonly string[]])[] = [
  ["an empty value", [""]],
  ["a number in place of an object", ["12345"]],
  ["half of an object", ['{"amount":"1']],
  ["null", ["null"]],
  ["a list", ['["1"]']],
  ["a numeric amount, which may be rounded", ['{"amount":12345}']],
  ["a null amount", ['{"amount":null}']],
  ["the header twice", ['{"amount":"1"}', '{"amount":"1"}']],
  ["a value that is too long", [`{"amount":"1"${" ".repeat(1024)}}`]],
  ["a very deep value", ["[".repeat(100_000)]],
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
  test(`an upstream that sends the amount ${JSON.stringify(amount)} charges nothing, and is at fault`, () => {
    expect(charge(amount)).toBeUndefined();
  });
}
for (const [what, values] of DEFECTS) {
  test(`an upstream that sends ${what} charges nothing, and is at fault`, () => {
    expect(parseCharge(values, UPTO)).toBeUndefined();
  });
}

test("an upstream that sends an amount in dollars for an unknown token is at fault", () => {
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

/** The amount that the reference server would settle. */
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
  const accepted = { ...requirements, network } as const;
  await server.settlePayment({ x402Version: 2, accepted: accepted, payload: {} }, accepted, undefined, undefined, {
    amount,
  });
  return settled;
}

test("the charge is the reference server's, and never above the agreed amount", async () => {
  await fc.assert(
    fc.asyncProperty(amounts, ceilings, async (amount, ceiling) => {
      const requirements = { ...UPTO, amount: String(ceiling) };
      const theirs = BigInt(await reference(amount, requirements));
      expect(charge(amount, requirements)).toBe(theirs <= ceiling ? String(theirs) : undefined);
    }),
    { numRuns: 300 },
  );
});

test("no header value charges more than the agreed amount", () => {
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

test("the header name is the reference server's", async () => {
  const http = await import("@x402/core/http");
  expect<string>(SETTLEMENT_OVERRIDES).toBe(http.SETTLEMENT_OVERRIDES_HEADER);
});

test("a failure is charged if its upstream asks for it: the whole price under exact, or a part under upto", () => {
  const upto = { ...REQUIREMENTS, scheme: "upto" };
  const asked = ["0", "1", "10000", "10001"].map((amount) => [JSON.stringify({ amount })]);
  const cases: readonly (readonly string[])[] = [[], ...asked, ["nonsense"]];
  expect(cases.map((values) => isChargedFailure(values, upto))).toEqual([false, false, true, true, false, false]);
  expect(cases.map((values) => isChargedFailure(values, REQUIREMENTS))).toEqual([
    false,
    false,
    false,
    true,
    false,
    false,
  ]);
});
