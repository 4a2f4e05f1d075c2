import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { PAYMENT_FIELDS } from "../../../../lib/http/field-roles.ts";
import { fieldLine } from "../../../../lib/http/fields.ts";
import { PaymentFields, type ToldPayment } from "./payment-fields.ts";

const PAYMENT: ToldPayment = {
  from: "0xfrom",
  amount: "10000",
  token: "0xtoken",
  network: "eip155:8453",
  nonce: "0xnonce",
  transaction: "0xtransaction",
};
const UNSIGNED = { ...PAYMENT_FIELDS, secret_env: "" };
const SIGNED = { ...PAYMENT_FIELDS, secret_env: "SECRET" };
const SECRETS = ["first".repeat(5), "other".repeat(5)];
const AT = 1_800_000_000_999;

test("the upstream receives each part of the payment in its field", () => {
  const lines = new PaymentFields(UNSIGNED, {}).linesOf(PAYMENT, AT);
  expect(lines).toBe(
    fieldLine("Turnpike-Payer", "0xfrom") +
      fieldLine("Turnpike-Amount", "10000") +
      fieldLine("Turnpike-Asset", "0xtoken") +
      fieldLine("Turnpike-Network", "eip155:8453") +
      fieldLine("Turnpike-Payment-Id", "0xnonce") +
      fieldLine("Turnpike-Transaction", "0xtransaction"),
  );
});

test("a part without a value, or a field without a name, is left out, and a field can have another name", () => {
  const names = { ...UNSIGNED, asset: "", network: "", payment_id: "", payer: "X-Payer" };
  const lines = new PaymentFields(names, {}).linesOf({ ...PAYMENT, transaction: "" }, AT);
  expect(lines).toBe(fieldLine("X-Payer", "0xfrom") + fieldLine("Turnpike-Amount", "10000"));
});

test("each secret signs the second and all parts, also those that are not sent", () => {
  const names = { ...SIGNED, asset: "" };
  const lines = new PaymentFields(names, { SECRET: SECRETS.join(" ") }).linesOf({ ...PAYMENT, transaction: "" }, AT);
  const text = "1800000000.0xfrom.10000.0xtoken.eip155:8453.0xnonce.";
  const signatures = SECRETS.map((secret) => `v1,${createHmac("sha256", secret).update(text).digest("base64")}`);
  expect(lines).toEndWith(fieldLine("Turnpike-Signature", `t=1800000000 ${signatures.join(" ")}`));
  expect(lines).not.toContain("0xtoken");
});

test.each([undefined, "", " "])("fields are not left unsigned if the variable of the secret is %j", (text) => {
  expect(() => new PaymentFields(SIGNED, { SECRET: text })).toThrow(
    "Cannot sign x402.payment_fields: the environment variable SECRET is not set",
  );
});

test("a secret that is too short is refused", () => {
  expect(() => new PaymentFields(SIGNED, { SECRET: "short" })).toThrow("Cannot sign: secret of $SECRET");
});
