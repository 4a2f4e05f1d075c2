import { expect, test } from "bun:test";
import { DEFAULT_ASSETS } from "@x402/evm";
import { UptoEvmScheme } from "@x402/evm/upto/server";
import { EVM_NETWORK_CHAIN_ID_MAP } from "@x402/evm/v1";
import { mnemonicToAccount } from "viem/accounts";
import * as chains from "viem/chains";
import { type Address } from "./address.ts";
import { assetsOn, findAsset } from "./assets.ts";
import { type PaymentPayload, type PaymentRequirements } from "./messages.ts";
import { explorerPage, isTestNetwork, networkTitle, parseNetwork } from "./networks.ts";
import { compileTerms, completeTerms, findKind, findError, isComplete, mistypedIn, type Terms } from "./terms.ts";
import { PERMIT2 } from "./transfer.ts";
import { fromV1Network, v1Network } from "./v1.ts";
import { PAYEE, REQUIREMENTS, signedPayment, TERMS } from "../testing/payment.ts";

const HASH = `0x${"a".repeat(64)}`;

test("terms in words become the protocol's payment requirements", () => {
  expect(compileTerms(TERMS)).toEqual(REQUIREMENTS);
  expect(compileTerms({ ...TERMS, network: "eip155:84532", price: "10000", asset: REQUIREMENTS.asset })).toEqual(
    REQUIREMENTS,
  );
});

test("the shortest timeout is a second", () => {
  expect(compileTerms({ ...TERMS, max_timeout_seconds: 1 }).maxTimeoutSeconds).toBe(1);
});

test("the keys whose address has a wrong checksum are named", () => {
  const wrong = PAYEE.replace("B", "b");
  expect(mistypedIn(TERMS)).toEqual([]);
  expect(mistypedIn({ ...TERMS, pay_to: wrong })).toEqual(["pay_to"]);
  expect(mistypedIn({ ...TERMS, pay_to: wrong, asset: wrong })).toEqual(["pay_to", "asset"]);
});

test("an unknown token is priced in atomic units, with the given domain", () => {
  const asset = "0x1111111111111111111111111111111111111111";
  const terms = { ...TERMS, asset, price: "5", network: "eip155:31337", extra_name: "Own", extra_version: "1" };
  expect(compileTerms(terms)).toMatchObject({ asset, amount: "5", extra: { name: "Own", version: "1" } });
});

const NEVER_SOLD: readonly (readonly [change: Partial<Terms>, message: string])[] = [
  [{ network: "basement" }, 'Cannot accept payments: network "basement" is unknown'],
  [{ network: "eip155:0" }, 'Cannot accept payments: network "eip155:0" is unknown'],
  [{ pay_to: "" }, 'Cannot accept payments: pay_to "" is not an address'],
  [{ pay_to: `0x${"0".repeat(40)}` }, "is not an address"],
  [{ price: "$0" }, "it is zero"],
  [
    { asset: "DOGE" },
    'Cannot accept payments: asset "DOGE" is unknown on eip155:84532; expected USDC or the address of a token',
  ],
  [{ asset: PAYEE }, "needs extra_name and extra_version"],
  [
    { asset: PAYEE, price: "1", asset_transfer_method: "permit2", extra_name: "a" },
    "needs extra_name and extra_version",
  ],
  [
    { asset: PAYEE, price: "1", asset_transfer_method: "permit2", scheme: "batch-settlement" },
    "needs extra_name and extra_version",
  ],
  [{ asset: PAYEE, extra_name: "a", extra_version: "1" }, "must be in atomic units"],
  [{ scheme: "atmost" }, 'Cannot accept payments: scheme "atmost" is not "exact", "upto" or "batch-settlement"'],
  [{ scheme: "upto", price: "$0" }, "it is zero"],
  [
    { scheme: "upto", asset_transfer_method: "eip3009" },
    'Cannot accept payments: scheme "upto" moves money only by Permit2',
  ],
  [{ max_timeout_seconds: 0 }, "Cannot accept payments: max_timeout_seconds 0"],
  [{ max_timeout_seconds: 1.5 }, "Cannot accept payments: max_timeout_seconds 1.5"],
];

for (const [change, message] of NEVER_SOLD) {
  test(`terms with ${JSON.stringify(change)} are refused`, () => {
    expect(() => compileTerms({ ...TERMS, ...change })).toThrow(message);
  });
}

const TOKEN = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

/** Addresses that no one has the key of, or everyone. */
const LOST: readonly (readonly [payTo: string, reason: string])[] = [
  [`0x${"0".repeat(39)}1`, "burn"],
  ["0x000000000000000000000000000000000000dEaD", "burn"],
  ["0xdEAD000000000000000042069420694206942069", "burn"],
  ["0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE", "burn"],
  [`0x${"f".repeat(40)}`, "burn"],
  [`0x${"deadbeef".repeat(5)}`, "burn"],
  [`0x${"1234567890".repeat(4)}`, "burn"],
  ["0x0123456789abcdef0123456789abcdef01234567", "burn"],
  ["0x7e577e577e577E577E577e577e577E577e577E57", "burn"],
  [TOKEN, "contract"],
  [PERMIT2, "contract"],
  ...Array.from({ length: 10 }, (_, addressIndex) => {
    const words = `${"test ".repeat(11)}junk`;
    return [mnemonicToAccount(words, { addressIndex }).address, "its private key is public"] as const;
  }),
];

for (const [pay_to, reason] of LOST) {
  test(`${pay_to} gets no money, and may get worthless tokens`, () => {
    for (const network of ["base", "ethereum", "avalanche", "eip155:8453", "eip155:10"]) {
      const terms = { ...TERMS, price: "10000", asset: TOKEN, extra_name: "a", extra_version: "1", network, pay_to };
      expect(() => compileTerms(terms)).toThrow(reason);
    }
    for (const network of ["base-sepolia", "avalanche-fuji", "eip155:31337"]) {
      const asset = network === "eip155:31337" ? { asset: PAYEE, price: "1", extra_name: "a", extra_version: "1" } : {};
      expect(compileTerms({ ...TERMS, network, pay_to, ...asset }).payTo).toBe(pay_to as Address);
    }
  });
}

const UPTO: Terms = { ...TERMS, scheme: "upto" };
const SETTLER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

test("upto requirements are the reference server's once the facilitator is known", async () => {
  const incomplete = compileTerms(UPTO);
  expect(incomplete).toEqual({
    ...REQUIREMENTS,
    scheme: "upto",
    extra: { name: "USDC", version: "2", assetTransferMethod: "permit2" },
  });
  const kind = {
    scheme: "upto",
    network: "eip155:84532",
    extra: { facilitatorAddress: SETTLER.toLowerCase() },
  } as const;
  const complete = completeTerms(incomplete, kind);
  const reference = new UptoEvmScheme();
  expect(complete).toEqual(
    await reference.enhancePaymentRequirements(
      { ...incomplete, network: "eip155:84532" },
      { x402Version: 2, ...kind },
      [],
    ),
  );
  expect([isComplete(incomplete), isComplete(complete), isComplete(REQUIREMENTS)]).toEqual([false, true, true]);
});

test("exact requirements need nothing from the facilitator, also with Permit2", () => {
  const terms = compileTerms({ ...TERMS, asset_transfer_method: "permit2" });
  expect(terms).toEqual({ ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, assetTransferMethod: "permit2" } });
  expect(completeTerms(terms, { scheme: "exact", network: "eip155:*" })).toBe(terms);
});

for (const extra of [
  undefined,
  {},
  { facilitatorAddress: "me" },
  { facilitatorAddress: `0x${"0".repeat(40)}` },
  { facilitatorAddress: 7 },
]) {
  test(`upto is not sold if the extra of the facilitator's kind is ${JSON.stringify(extra)}`, () => {
    const kind = { scheme: "upto", network: "eip155:84532", ...(extra === undefined ? {} : { extra }) };
    expect(() => completeTerms(compileTerms(UPTO), kind)).toThrow(
      'Cannot accept payments: the facilitator supports "upto" on eip155:84532, and names no facilitatorAddress',
    );
  });
}

test("a kind is found by scheme and network; a kind for one network comes before a kind for all", () => {
  const any = { scheme: "exact", network: "eip155:*" };
  const own = { scheme: "exact", network: "eip155:84532" };
  expect(findKind([any, own], REQUIREMENTS)).toBe(own);
  expect(findKind([any], REQUIREMENTS)).toBe(any);
  expect(findKind([any, own], compileTerms(UPTO))).toBeUndefined();
  expect(findKind([{ scheme: "exact", network: "eip155:8453" }], REQUIREMENTS)).toBeUndefined();
});

test("the known tokens are the reference implementation's, on all its chains, and that of Avalanche Fuji", () => {
  for (const [caip, tokens] of Object.entries(DEFAULT_ASSETS)) {
    const ours = assetsOn(caip).map(({ address, symbol, name, version, decimals, isPermit2Only, lacksPermit }) => {
      const more = isPermit2Only === undefined ? {} : { assetTransferMethod: "permit2" };
      const permits = isPermit2Only === undefined || lacksPermit === true ? {} : { supportsEip2612: true };
      return { symbol, name, version, decimals, asset: address, ...more, ...permits };
    });
    expect<unknown[]>(ours).toEqual([...tokens]);
    for (const { symbol, asset } of tokens)
      expect<string | undefined>(findAsset(caip, symbol.toLowerCase())?.address).toBe(asset);
    expect(networkTitle(caip)).toContain(" (");
  }
  expect(findAsset("eip155:43113", "USDC")).toMatchObject({ name: "USD Coin", version: "2" });
});

test("the reference implementation's names of chains are known, and their explorers are on the web", () => {
  const known = Object.values(chains);
  for (const [name, id] of Object.entries(EVM_NETWORK_CHAIN_ID_MAP)) {
    const network = parseNetwork(name) ?? "";
    expect([network, fromV1Network(name), v1Network(network)]).toEqual([`eip155:${id}`, network, name]);
    const { blockExplorers, testnet } = known.find((chain) => chain.id === id) ?? {};
    expect(isTestNetwork(network)).toBe(testnet === true);
    // viem has another name of Story's explorer.
    if (name !== "story")
      expect(explorerPage(network, HASH)).toBe(`${blockExplorers?.default.url}`.replace(/\/?$/, `/tx/${HASH}`));
  }
});

test("a token without EIP-3009 is sold by Permit2", () => {
  const mega = { ...TERMS, network: "megaeth", asset: "MegaUSD" };
  expect(compileTerms(mega)).toMatchObject({
    amount: "10000000000000000",
    extra: { name: "MegaUSD", version: "1", assetTransferMethod: "permit2" },
  });
  expect(() => compileTerms({ ...mega, asset_transfer_method: "eip3009" })).toThrow('asset "MegaUSD" has no EIP-3009');
});

const REQUIRED = {
  x402Version: 2 as const,
  resource: { url: "http://localhost/read" },
  accepts: [REQUIREMENTS],
  extensions: { bazaar: { info: { input: { type: "http" } } } },
};

function accepting(change: Partial<PaymentRequirements>, rest: Partial<PaymentPayload> = {}): PaymentPayload {
  return { ...signedPayment(0), accepted: { ...REQUIREMENTS, ...change }, ...rest };
}

test("a payment may add members to its accepted requirements, and use another letter case", () => {
  expect(findError(accepting({}), REQUIRED, isFor)).toBeUndefined();
  expect(findError(accepting({ payTo: PAYEE.toLowerCase() }), REQUIRED, isFor)).toBeUndefined();
  expect(findError(accepting({ extra: { ...REQUIREMENTS.extra, more: 1 } }), REQUIRED, isFor)).toBeUndefined();
  const extensions = { bazaar: { info: { input: { type: "http", method: "GET" }, id: 1 } }, own: 1 };
  expect(findError(accepting({}, { extensions }), REQUIRED, isFor)).toBeUndefined();
});

const isFor = (url: string) => url === REQUIRED.resource.url;

const CHANGES: readonly Partial<PaymentRequirements>[] = [
  { amount: "9999" },
  { payTo: "0x0000000000000000000000000000000000000001" },
  { asset: PAYEE },
  { network: "eip155:8453" },
  { scheme: "upto" },
  { maxTimeoutSeconds: 61 },
  { extra: {} },
  { extra: { name: "USDC", version: "1" } },
];

for (const change of CHANGES) {
  test(`a payment that accepted ${JSON.stringify(change)} matches nothing`, () => {
    expect(findError(accepting(change), REQUIRED, isFor)).toBe("No matching payment requirements");
  });
}

test("a changed extension and another resource are detected", () => {
  const extensions = { bazaar: { info: { input: { type: "mcp" } } } };
  expect(findError(accepting({}, { extensions }), REQUIRED, isFor)).toBe("extension_echo_mismatch");
  const resource = { url: "http://localhost/other" };
  expect(findError(accepting({}, { resource }), REQUIRED, isFor)).toBe("resource_mismatch");
});
