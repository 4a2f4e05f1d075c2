import { expect, test } from "bun:test";
import { REQUIREMENTS, signedPayment } from "../testing/payment.ts";
import { fromV1Challenge, toV1Payment, v1Accepts, v1PaymentSchema, v1Receipt } from "./v1.ts";

const RESOURCE = { url: "http://shop.test/read", description: "A page", mimeType: "text/html" };
const V1 = {
  scheme: "exact",
  network: "base-sepolia",
  maxAmountRequired: "10000",
  payTo: REQUIREMENTS.payTo,
  maxTimeoutSeconds: 60,
  asset: REQUIREMENTS.asset,
  extra: REQUIREMENTS.extra,
};
const PERMIT2 = { ...REQUIREMENTS.extra, assetTransferMethod: "permit2" };

test("the challenge of version 1 has the terms that its clients can pay", () => {
  const accepts = [
    REQUIREMENTS,
    { ...REQUIREMENTS, scheme: "upto" },
    { ...REQUIREMENTS, extra: PERMIT2 },
    { ...REQUIREMENTS, network: "eip155:999" },
  ];
  const resource = { resource: RESOURCE.url, description: "A page", mimeType: "text/html" };
  expect(v1Accepts({ x402Version: 2, resource: RESOURCE, accepts })).toStrictEqual([{ ...V1, ...resource }]);
  const bare = v1Accepts({ x402Version: 2, resource: { url: RESOURCE.url }, accepts: [REQUIREMENTS] });
  expect(bare).toEqual([{ ...V1, resource: RESOURCE.url, description: "", mimeType: "" }]);
});

test("a challenge of version 1 becomes the terms of version 2 that this program can pay", () => {
  const accepts = [
    V1,
    { ...V1, scheme: "upto" },
    { ...V1, network: "basement" },
    { ...V1, maxAmountRequired: "-1" },
    { ...V1, maxTimeoutSeconds: 0 },
    { ...V1, extra: PERMIT2 },
    "nonsense",
    { ...V1, extra: null },
  ];
  expect(fromV1Challenge({ x402Version: 1, accepts }, RESOURCE.url)).toEqual({
    x402Version: 2,
    resource: { url: RESOURCE.url },
    accepts: [REQUIREMENTS, { ...REQUIREMENTS, extra: {} }],
  });
  const many = { x402Version: 1, accepts: Array.from({ length: 33 }, () => V1) };
  for (const body of [undefined, { x402Version: 2, accepts: [] }, { x402Version: 1 }, many]) {
    expect(fromV1Challenge(body, RESOURCE.url)).toBeUndefined();
  }
});

test("a payment and a receipt have the name of their network in version 1, if it has one", () => {
  const payment = signedPayment(0);
  const sent = { x402Version: 1, scheme: "exact", network: "base-sepolia", payload: payment.payload };
  expect(toV1Payment(payment)).toEqual(sent);
  expect(v1PaymentSchema.parse(sent)).toEqual(v1PaymentSchema.parse({ ...sent }));
  expect(v1PaymentSchema.safeParse({ ...sent, network: "n".repeat(65) }).success).toBe(false);
  const unnamed = { ...payment, accepted: { ...REQUIREMENTS, network: "eip155:999" } };
  expect(toV1Payment(unnamed)).toMatchObject({ network: "eip155:999" });
  const receipt = { success: true, transaction: "0x1", network: "eip155:84532" };
  expect(v1Receipt(receipt)).toEqual({ ...receipt, network: "base-sepolia" });
  expect(v1Receipt({ ...receipt, network: "eip155:999" })).toMatchObject({ network: "eip155:999" });
});
