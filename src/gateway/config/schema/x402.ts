import * as z from "zod";
import { milliseconds, optionalHttpUrl, ours } from "./kinds.ts";

/** `x402`: payment settings that all priced routes share. */
export const x402 = z
  .strictObject({
    enabled: z.boolean().default(false).describe("Take payments. Priced routes are refused without it."),
    facilitator_url: optionalHttpUrl.default("").describe("Facilitator that verifies and settles payments."),
    facilitator_timeout_ms: milliseconds(5000).describe("Time for one call to the facilitator."),
    payment_required_b64: z
      .string()
      .refine((value) => value === "" || isJsonObject(value), "expected the Base64 form of a JSON object")
      .default("")
      .describe("Base64 of the 402 Payment Required payload; made up from the route when empty."),
    test_mode: z
      .boolean()
      .default(false)
      .meta(
        ours(
          "Verify and settle in an embedded facilitator that moves no money. Only on listeners that are bound to loopback.",
        ),
      ),
    public_url: optionalHttpUrl
      .refine((value) => !value.includes("?"), "expected a URL without query")
      .overwrite((value) => value.replace(/\/+$/, ""))
      .default("")
      .meta(ours("What resource URLs in payment challenges start with, such as `https://api.example.com`.")),
  })
  .prefault({})
  .describe("Payment over x402, for all routes.");

function isJsonObject(base64: string): boolean {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return false;
  try {
    const value: unknown = JSON.parse(Buffer.from(base64, "base64").toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
