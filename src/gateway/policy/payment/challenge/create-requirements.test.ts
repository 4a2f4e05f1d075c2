import { expect, test } from "bun:test";
import { GAS_APPROVAL } from "../../../../payments/signatures/gas-approval.ts";
import { GAS_APPROVAL_DECLARATION } from "../../../../payments/signatures/read-gas-approval.ts";
import { GAS_PERMIT, GAS_PERMIT_DECLARATION } from "../../../../payments/signatures/gas-permit.ts";
import { type Kind } from "../../../../payments/x402/facilitator.ts";
import { TERMS } from "../../../../payments/testing/payment.ts";
import { createRequirements, type PaidRouteConfig } from "./create-requirements.ts";

const X402 = {
  ...TERMS,
  resource_url: "",
  accepts: [],
  rules: [],
  exempt_consumers: [],
  settle: "after",
  settlement_url: "",
  gateway_id: "",
  inline_receipt: false,
  max_partial_answers: 3,
  max_repeats: 3,
} as const;

function resourceOf(description: string | undefined, change: Partial<PaidRouteConfig> = {}): unknown {
  const config = { path_prefix: "/goods", public_url: "", base_url: "http://a.example", test_mode: false, x402: X402 };
  return createRequirements({ ...config, ...change }, { current: undefined }, description).current()?.required.resource;
}

test("a challenge has the route's description, or that of the template", () => {
  const template = { resource: { description: "Anything", mimeType: "text/html" }, extensions: {} };
  const url = "http://a.example/goods";
  expect(resourceOf("Goods")).toEqual({ url, description: "Goods" });
  expect(resourceOf("Goods", { template })).toEqual({ url, description: "Goods", mimeType: "text/html" });
  expect(resourceOf(undefined, { template })).toEqual({ url, description: "Anything", mimeType: "text/html" });
});

test("a resource has its own URL, or the public one, or the listener's", () => {
  const change = { public_url: "https://shop.example" };
  expect(resourceOf("Goods", change)).toMatchObject({ url: "https://shop.example/goods" });
  const own = { ...change, x402: { ...X402, resource_url: "https://own.example/x" } };
  expect(resourceOf("Goods", own)).toMatchObject({ url: "https://own.example/x" });
});

function declared(terms: object, current: readonly Kind[]): unknown {
  const x402 = { ...X402, ...terms };
  const config = { path_prefix: "/goods", public_url: "", base_url: "http://a.example", test_mode: false, x402 };
  return createRequirements(config, { current }, undefined).current()?.required.extensions;
}

test("Permit2 without an approval is declared if each facilitator of the kind pays its gas", () => {
  const kind = { scheme: "exact", network: "eip155:84532" };
  const sponsor = { ...kind, sponsoring: [GAS_PERMIT] };
  const permit2 = { asset_transfer_method: "permit2" };
  expect(declared(permit2, [sponsor])).toEqual({ [GAS_PERMIT]: GAS_PERMIT_DECLARATION });
  expect(declared(permit2, [sponsor, kind])).toBeUndefined();
  expect(declared(permit2, [])).toBeUndefined();
  expect(declared({}, [sponsor])).toBeUndefined();
  // A facilitator of all EVM chains may settle it too. Those of another chain or scheme may not.
  expect(declared(permit2, [{ ...sponsor, network: "eip155:*" }])).toEqual({ [GAS_PERMIT]: GAS_PERMIT_DECLARATION });
  expect(declared(permit2, [sponsor, { ...kind, network: "eip155:*" }])).toBeUndefined();
  const others = [
    { ...kind, network: "eip155:1" },
    { ...kind, scheme: "upto" },
  ];
  expect(declared(permit2, [sponsor, ...others])).toEqual({ [GAS_PERMIT]: GAS_PERMIT_DECLARATION });
  expect(
    declared(
      permit2,
      others.map((one) => ({ ...one, sponsoring: [GAS_PERMIT] })),
    ),
  ).toBeUndefined();
  const approver = { ...kind, sponsoring: [GAS_PERMIT, GAS_APPROVAL] };
  const both = { [GAS_PERMIT]: GAS_PERMIT_DECLARATION, [GAS_APPROVAL]: GAS_APPROVAL_DECLARATION };
  expect(declared(permit2, [approver])).toEqual(both);
  expect(declared(permit2, [approver, sponsor])).toEqual({ [GAS_PERMIT]: GAS_PERMIT_DECLARATION });
  const unnamed = { ...permit2, asset: `0x${"1".repeat(40)}`, price: "1", extra_name: "", extra_version: "" };
  expect(declared(unnamed, [approver])).toEqual({ [GAS_APPROVAL]: GAS_APPROVAL_DECLARATION });
  const igra = { network: "igra", asset: "USDC" };
  expect(declared(igra, [{ ...sponsor, network: "eip155:38833" }])).toBeUndefined();
  expect(declared(igra, [{ ...approver, network: "eip155:38833" }])).toEqual({
    [GAS_APPROVAL]: GAS_APPROVAL_DECLARATION,
  });
});
