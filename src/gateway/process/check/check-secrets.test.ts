import { expect, test } from "bun:test";
import { loadText } from "../../config/load.ts";
import { secretDiagnostics } from "./check-secrets.ts";

const SOLD = {
  x402: { enabled: true, facilitator_url: "https://facilitator.example" },
  routes: [
    {
      path_prefix: "/",
      fixed_response: { body: "goods" },
      x402: { price: "$0.01", asset: "USDC", network: "base", pay_to: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C" },
    },
  ],
};

test("the token of the screening service is required before the gateway starts", () => {
  const screening = { service_url: "https://screening.example/", token_env: "SCREENING_TOKEN" };
  const { config } = loadText(JSON.stringify({ ...SOLD, x402: { ...SOLD.x402, screening } }));
  if (config === undefined) throw new Error("the configuration is valid");
  expect(secretDiagnostics(config, {}).map(({ path }) => path)).toEqual(["x402.screening.token_env"]);
  expect(secretDiagnostics(config, { SCREENING_TOKEN: "token" })).toEqual([]);
});
