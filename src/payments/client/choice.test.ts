import { PROXIES } from "../x402/transfer.ts";
import { describe, expect, test } from "bun:test";
import { hexToBytes } from "@noble/hashes/utils.js";
import { parseAllowedAsset } from "./allowed-asset.ts";
import { checkSignature } from "../signatures/check-payment.ts";
import { encodeHeader, MAX_HEADER_LENGTH } from "../x402/header.ts";
import { type PaymentRequired, type PaymentRequirements, permit2PaymentSchema } from "../x402/messages.ts";
import {
  choosePayment,
  dollarsOf,
  formatDollars,
  type Funds,
  type AnyChoice,
  type Choice,
  parseDollars,
} from "./choice.ts";
import { permit2Hash } from "../signatures/permit2-typed-data.ts";
import { parsePreferences } from "./preference.ts";
import { expiryOf, signChoice } from "./sign-choice.ts";
import { type ApprovalTerms } from "../evm/permit2/sign-approval.ts";
import { GAS_APPROVAL } from "../signatures/gas-approval.ts";
import { GAS_PERMIT } from "../signatures/gas-permit.ts";
import { recoverSigner } from "../signatures/recover-signer.ts";
import { findError } from "../x402/terms.ts";
import { findAsset } from "../x402/assets.ts";
import { PAYEE, PAYER, PRIVATE_KEY, REQUIREMENTS } from "../testing/payment.ts";
import { SOLANA_DEVNET, SOLANA_USDC } from "../testing/solana-chain.ts";

const ACCOUNT = { address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) };
const BASE: PaymentRequirements = {
  ...REQUIREMENTS,
  network: "eip155:8453",
  asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  extra: { name: "USD Coin", version: "2" },
};
const PERMIT: PaymentRequirements = {
  ...REQUIREMENTS,
  extra: { ...REQUIREMENTS.extra, assetTransferMethod: "permit2" },
};
const UPTO: PaymentRequirements = {
  ...PERMIT,
  scheme: "upto",
  extra: { ...PERMIT.extra, facilitatorAddress: PAYEE },
};
const ON_SOLANA: PaymentRequirements = {
  ...REQUIREMENTS,
  network: SOLANA_DEVNET,
  asset: SOLANA_USDC,
  amount: "9999",
  payTo: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
};
const OWN = parseAllowedAsset(`eip155:31337:${PAYEE}:My: token:1:18`);

function required(accepts: readonly PaymentRequirements[], more: object = {}): PaymentRequired {
  return { x402Version: 2, resource: { url: "http://a.example/" }, accepts: [...accepts], ...more };
}

function choose(accepts: readonly PaymentRequirements[], more: object = {}): Promise<AnyChoice> {
  return choosePayment(required(accepts), { maxPrice: "$0.10", ...more });
}

function refusal(choice: Promise<AnyChoice>): Promise<string> {
  return choice.then(() => "taken", String);
}

function funds(...rich: readonly PaymentRequirements[]): (choice: Choice) => Promise<Funds> {
  return async ({ requirements }) => {
    const amount = rich.includes(requirements) ? 10n ** 9n : 0n;
    return { balance: amount, allowance: amount };
  };
}

test("the client takes the cheapest price within the limit, whatever the order and the tokens' decimals", async () => {
  const own = { ...REQUIREMENTS, network: "eip155:31337", asset: PAYEE, amount: "9000000000000000" };
  const dear = { ...BASE, amount: "99999999" };
  const chosen = await choose([dear, { ...REQUIREMENTS, amount: "9001" }, own, BASE], { assets: [OWN] });
  expect([chosen.requirements, formatDollars(dollarsOf(chosen))]).toEqual([own, "$0.009"]);
  expect(chosen.asset).toMatchObject({ name: "My: token", version: "1", decimals: 18 });
  expect((await choose([own, { ...REQUIREMENTS, amount: "9001" }])).requirements.amount).toBe("9001");
});

test("of equal prices, the client takes the one that charges what was delivered, which it can sign for a job", async () => {
  const chosen = await choose([REQUIREMENTS, UPTO], { funds: funds(REQUIREMENTS, UPTO) });
  expect(chosen.requirements).toEqual(UPTO);
  expect((await choose([REQUIREMENTS, UPTO])).requirements).toEqual(REQUIREMENTS);
  const cheaper = { ...REQUIREMENTS, amount: "9999" };
  expect((await choose([UPTO, cheaper], { funds: funds(cheaper, UPTO) })).requirements).toEqual(cheaper);
  const long = { ...chosen, requirements: { ...UPTO, maxTimeoutSeconds: 9_000 } };
  expect(expiryOf(long, 5_000)).toBe(7_205);
  expect(expiryOf({ ...long, requirements: { ...REQUIREMENTS, maxTimeoutSeconds: 9_000 } }, 5_000)).toBe(605);
});

test("of equal prices, the client takes the one that is paid after the response", async () => {
  const upfront = { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, paymentFlow: "upfront" } };
  expect((await choose([upfront, REQUIREMENTS])).requirements).toBe(REQUIREMENTS);
  expect((await choose([upfront])).requirements).toBe(upfront);
});

test.each([
  ["upto that is paid before the response", { ...UPTO, extra: { ...UPTO.extra, paymentFlow: "upfront" } }],
  ["a channel without funds for it, whatever facilitator it names", { ...UPTO, scheme: "batch-settlement" }],
  ["upto without a facilitator", { ...UPTO, extra: PERMIT.extra }],
  ["upto for a facilitator without an address", { ...UPTO, extra: { ...UPTO.extra, facilitatorAddress: "a" } }],
  ["upto by EIP-3009", { ...UPTO, extra: { ...REQUIREMENTS.extra, facilitatorAddress: PAYEE } }],
] as const)("the client does not choose %s", async (_what, requirements) => {
  expect((await choose([requirements, BASE])).requirements).toBe(BASE);
});

test("a payment method with known funds comes before a cheaper one; without funds the gateway decides", async () => {
  const dear = { ...BASE, amount: "20000" };
  expect((await choose([REQUIREMENTS, dear], { funds: funds(dear) })).requirements).toBe(dear);
  const unknown = async (choice: Choice) => (choice.requirements === dear ? undefined : { balance: 0n, allowance: 0n });
  expect((await choose([REQUIREMENTS, dear], { funds: unknown })).requirements).toBe(dear);
  expect((await choose([dear, REQUIREMENTS], { funds: funds() })).requirements).toBe(REQUIREMENTS);
});

test.each<[balance: bigint | undefined, ranks: string]>([
  [9999n, "solana solana solana"],
  [undefined, "exact solana solana"],
  [9998n, "exact exact solana"],
])("a balance on Solana of %p is weighed as one on another chain", async (balance, ranks) => {
  const chosen = await Promise.all(
    [funds(REQUIREMENTS), undefined, funds()].map((of) =>
      choose([REQUIREMENTS, ON_SOLANA], { solanaBalance: async () => balance, funds: of }),
    ),
  );
  expect(chosen.map(({ requirements }) => (requirements === ON_SOLANA ? "solana" : "exact")).join(" ")).toBe(ranks);
});

const CELO = (symbol: string): PaymentRequirements => {
  const { address, name, version } = findAsset("eip155:42220", symbol) ?? never(symbol);
  return {
    ...REQUIREMENTS,
    network: "eip155:42220",
    asset: address,
    amount: symbol === "USDC" ? "20000" : "30000",
    extra: { name, version },
  };
};

function never(what: string): never {
  throw new Error(`Cannot find ${what}`);
}

const ON_BASE = { ...BASE, amount: "15000" };

const ORDERS: readonly (readonly [words: readonly string[], chosen: () => PaymentRequirements])[] = [
  [[], () => REQUIREMENTS],
  [["base"], () => ON_BASE],
  [["eip155:42220"], () => CELO("USDC")],
  [["USDT", "base"], () => CELO("USDT")],
  [["usat/celo/exact", "base"], () => CELO("USAT")],
  [["celo/upto", "monad", "base/usdc"], () => ON_BASE],
  [[CELO("USDT").asset.toLowerCase()], () => CELO("USDT")],
];

for (const [words, chosen] of ORDERS) {
  test(`the order ${words.join(", ") || "of prices"} chooses the first method that fits`, async () => {
    const accepts = [CELO("USDC"), CELO("USDT"), CELO("USAT"), ON_BASE, REQUIREMENTS];
    const prefer = parsePreferences(words);
    expect((await choose(accepts, { prefer })).requirements).toEqual(chosen());
    expect((await choose(accepts.toReversed(), { prefer, funds: funds(...accepts) })).requirements).toEqual(chosen());
  });
}

test("balances count before the client's order, and an order with an unknown word is refused", async () => {
  const prefer = parsePreferences(["base"]);
  expect((await choose([BASE, REQUIREMENTS], { prefer, funds: funds(REQUIREMENTS) })).requirements).toBe(REQUIREMENTS);
  expect((await choose([BASE, { ...REQUIREMENTS, amount: "1" }], { prefer })).requirements).toBe(BASE);
  expect(() => parsePreferences(["base/gold"])).toThrow('"gold" is not a network, scheme or known token');
  expect(() => parsePreferences(Array.from({ length: 33 }, () => "base"))).toThrow("at most 32");
  expect(parsePreferences(["My: token"], [OWN])).toEqual([{ token: "my: token" }]);
});

test("a refusal says why no method can be paid", async () => {
  expect(await refusal(choose([PERMIT, { ...BASE, scheme: "later" }], { funds: funds() }))).toContain(
    "(exact on Base Sepolia (eip155:84532): the allowance to Permit2 is too low, later on Base (eip155:8453))",
  );
});

test("Permit2 is used only if its allowance is known to be sufficient", async () => {
  for (const choice of [PERMIT, UPTO]) {
    expect(await refusal(choose([choice]))).toContain("none of the payment methods");
    expect(
      await refusal(choose([choice], { funds: async () => ({ balance: 10n ** 9n, allowance: 9999n }) })),
    ).toContain("none of the payment methods");
    expect((await choose([choice], { funds: funds(choice) })).method).toBe("permit2");
  }
  const { facilitatorAddress: _, ...extra } = UPTO.extra;
  const upfront = { ...UPTO, extra: { ...UPTO.extra, paymentFlow: "upfront" } };
  for (const unusable of [{ ...UPTO, extra }, upfront, { ...UPTO, scheme: "other" }])
    expect(await refusal(choose([unusable], { funds: funds(unusable) }))).toContain("none of the payment methods");
});

const APPROVAL: ApprovalTerms = { nonce: 1n, fees: { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n } } as never;
const CAN_BOTH = { permitNonce: 7n, approval: async () => APPROVAL };

/** A challenge with these extensions. */
function offering(accepts: readonly PaymentRequirements[], ...names: readonly string[]): PaymentRequired {
  return required(accepts, { extensions: Object.fromEntries(names.map((name) => [name, {}])) });
}

/** A wallet with the money for a payment, of which Permit2 may not move all. */
function wallet(has: Partial<Funds>): () => Promise<Funds> {
  return async () => ({ balance: 10_000n, allowance: 9999n, ...has });
}

describe("a wallet without an allowance to Permit2", () => {
  test.each<[string, readonly string[], Partial<Funds>, object | string]>([
    ["a permit, if the gateway offers it", [GAS_PERMIT], CAN_BOTH, { permitNonce: 7n }],
    ["a permit before an approval", [GAS_APPROVAL, GAS_PERMIT], CAN_BOTH, { permitNonce: 7n }],
    ["an approval, if the gateway offers it", [GAS_APPROVAL], CAN_BOTH, { approval: APPROVAL }],
    [
      "an approval of a token without permits",
      [GAS_APPROVAL, GAS_PERMIT],
      { approval: CAN_BOTH.approval },
      { approval: APPROVAL },
    ],
    ["neither, if none is offered", [], CAN_BOTH, "the allowance to Permit2 is too low"],
    [
      "neither, if its fees are too high",
      [GAS_APPROVAL],
      { approval: async () => undefined },
      "the allowance to Permit2 is too low",
    ],
    [
      "no more than its allowance, if that suffices",
      [GAS_APPROVAL, GAS_PERMIT],
      { ...CAN_BOTH, allowance: 10_000n },
      {},
    ],
  ])("signs %s", async (_what, names, has, expected) => {
    const choice = choosePayment(offering([PERMIT], ...names), { maxPrice: "$0.10", funds: wallet(has) });
    if (typeof expected === "string") return expect(await refusal(choice)).toContain(expected);
    const { permitNonce, approval } = (await choice) as Choice;
    expect({ permitNonce, approval }).toEqual({ permitNonce: undefined, approval: undefined, ...expected });
  });

  test.each([
    ["a permit is as good as an allowance", [GAS_PERMIT], [PERMIT, BASE], PERMIT],
    ["an approval comes after other methods", [GAS_APPROVAL], [PERMIT, BASE], BASE],
  ] as const)("%s", async (_what, names, accepts, expected) => {
    const options = { maxPrice: "$0.10", funds: wallet(CAN_BOTH) };
    expect((await choosePayment(offering(accepts, ...names), options)).requirements).toBe(expected);
  });

  test("an approval comes before a method without the money", async () => {
    const dear = { ...PERMIT, amount: "20000" };
    const has = { [dear.amount]: wallet({ ...CAN_BOTH, balance: 20_000n }), [BASE.amount]: wallet({ balance: 0n }) };
    const options = {
      maxPrice: "$0.10",
      funds: async ({ requirements }: Choice) => await has[requirements.amount]?.(),
    };
    const choice = choosePayment(offering([dear, BASE], GAS_APPROVAL), options);
    expect((await choice).requirements).toBe(dear);
  });

  test.each([[GAS_PERMIT], [GAS_APPROVAL]])(
    "and without the money pays by another method, whatever %s would do",
    async (name) => {
      const poor = wallet({ ...CAN_BOTH, balance: 9999n });
      const options = {
        maxPrice: "$0.10",
        funds: async ({ method }: Choice) => (method === "permit2" ? await poor() : undefined),
      };
      expect((await choosePayment(offering([PERMIT, BASE], name), options)).requirements).toBe(BASE);
    },
  );

  test("of a channel signs nothing more than its deposit", async () => {
    const channel = { ...PERMIT, scheme: "batch-settlement" };
    const options = { maxPrice: "$0.10", funds: wallet(CAN_BOTH), weighChannel: () => 10_000n };
    const choice = choosePayment(offering([channel], GAS_PERMIT, GAS_APPROVAL), options);
    expect(await refusal(choice)).toContain("the allowance to Permit2 is too low");
  });
});

test("a payment of test mode needs no allowance, and upto is chosen of equal prices", async () => {
  const simulated = {
    ...UPTO,
    extra: { ...UPTO.extra, facilitatorAddress: "0x7E577e577e577E577E577e577E577E577e577E57" },
  };
  expect((await choose([{ ...REQUIREMENTS, amount: UPTO.amount }, simulated])).requirements).toBe(simulated);
});

test("a limit is exact", async () => {
  expect(await refusal(choose([REQUIREMENTS], { maxPrice: "$0.009999" }))).toContain(
    "Cannot pay $0.01: the limit is $0.009999",
  );
  expect((await choose([REQUIREMENTS], { maxPrice: "$0.01" })).requirements).toBe(REQUIREMENTS);
  expect(parseDollars("$0.01")).toBe(10n ** 34n);
});

test("a token may have 36 decimals", () => {
  expect(parseAllowedAsset(`eip155:1:${PAYEE}:A:1:36`).decimals).toBe(36);
});

for (const text of [
  "",
  "eip155:1:0x12:A:1:6",
  `nowhere:${PAYEE}:A:1:6`,
  `eip155:1:${PAYEE}:A:1:37`,
  `eip155:1:${PAYEE}:A:1`,
]) {
  test(`"${text}" is not a token`, () => {
    expect(() => parseAllowedAsset(text)).toThrow("Cannot allow the token");
  });
}

test("a Permit2 payment is signed for its proxy, its payee and its facilitator", async () => {
  for (const [choice, scheme] of [
    [PERMIT, "exact"],
    [UPTO, "upto"],
  ] as const) {
    const chosen = await choose([choice], { funds: funds(choice) });
    const { payload } = permit2PaymentSchema.parse(
      signChoice(required([choice]), chosen, ACCOUNT, Math.floor(Date.now() / 1000) + 60),
    );
    const authorization = payload.permit2Authorization;
    expect(recoverSigner(permit2Hash("eip155:84532", authorization), payload.signature)).toBe(PAYER);
    expect(authorization).toMatchObject({ spender: PROXIES[scheme], permitted: { amount: "10000" } });
    expect(authorization.witness.facilitator).toBe(scheme === "upto" ? PAYEE : undefined);
  }
  const chosen = await choose([UPTO], { funds: funds(UPTO) });
  for (const facilitatorAddress of [undefined, "nobody"]) {
    const choice = { ...chosen, requirements: { ...UPTO, extra: { ...UPTO.extra, facilitatorAddress } } };
    expect(() => signChoice(required([UPTO]), choice, ACCOUNT, 1)).toThrow("the facilitator is not an address");
  }
});

test("extensions are echoed, with a payment identifier if the gateway accepts one", async () => {
  const extensions = {
    bazaar: { info: { input: { type: "http" } }, schema: {} },
    "payment-identifier": { info: { required: true }, schema: { type: "object" } },
  };
  const challenge = required([REQUIREMENTS], { extensions });
  const choice = await choose([REQUIREMENTS]);
  const first = signChoice(challenge, choice, ACCOUNT, Math.floor(Date.now() / 1000) + 60);
  const second = signChoice(challenge, choice, ACCOUNT, Math.floor(Date.now() / 1000) + 60);
  expect(findError(first, challenge, () => true)).toBeUndefined();
  expect(first.extensions?.["bazaar"]).toEqual(extensions.bazaar);
  const ids = [first, second].map((payment) => JSON.stringify(payment.extensions).match(/"id":"([\w-]{16,128})"/)?.[1]);
  expect(new Set(ids).size).toBe(2);
  expect(ids).not.toContain(undefined);
  const signed = { ...first, payload: first.payload };
  expect("authorization" in signed.payload && checkSignature(first, REQUIREMENTS)).toMatchObject({ payer: PAYER });
});

test("extensions that do not fit in a header are omitted, except the payment identifier", async () => {
  const long = { text: "x".repeat(MAX_HEADER_LENGTH) };
  const choice = await choose([REQUIREMENTS]);
  const plain = signChoice(
    required([REQUIREMENTS], { extensions: { long } }),
    choice,
    ACCOUNT,
    Math.floor(Date.now() / 1000) + 60,
  );
  expect(plain.extensions).toBeUndefined();
  const extensions = { long, "payment-identifier": { info: { required: false } } };
  const named = signChoice(
    required([REQUIREMENTS], { extensions }),
    choice,
    ACCOUNT,
    Math.floor(Date.now() / 1000) + 60,
  );
  expect(Object.keys(named.extensions ?? {})).toEqual(["payment-identifier"]);
  expect(encodeHeader(named).length).toBeLessThanOrEqual(MAX_HEADER_LENGTH);
});
