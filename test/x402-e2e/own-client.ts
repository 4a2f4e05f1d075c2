/** The project's own client, by the client protocol of x402's end-to-end tests. `ALLOWED_ASSET` is a token to pay with. */
import { hexToBytes } from "@noble/hashes/utils.js";
import { parseAllowedAsset } from "../../src/payments/client/allowed-asset.ts";
import { payAndFetch } from "../../src/payments/client/client.ts";
import { createFunds } from "../../src/payments/client/funds.ts";
import { addressOfPrivateKey } from "../../src/payments/signatures/signature.ts";

const { EVM_PRIVATE_KEY = "", RESOURCE_SERVER_URL = "", ENDPOINT_PATH = "", ALLOWED_ASSET = "" } = Bun.env;
const privateKey = hexToBytes(EVM_PRIVATE_KEY.slice(2));
const address = addressOfPrivateKey(privateKey);
const { response, receipt } = await payAndFetch(
  RESOURCE_SERVER_URL + ENDPOINT_PATH,
  {},
  {
    account: () => ({ address, privateKey }),
    maxPrice: "$1",
    assets: [parseAllowedAsset(ALLOWED_ASSET)],
    funds: createFunds(Bun.env, () => address),
  },
);
const data: unknown = await response.json();
const { status } = response;
console.log(JSON.stringify({ success: status === 200, data, status_code: status, payment_response: receipt ?? null }));
