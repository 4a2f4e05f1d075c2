/** x402's own clients, by the client protocol of x402's end-to-end tests. `LIBRARY` is fetch or axios. */
import { x402Client } from "@x402/core/client";
import { decodePaymentResponseHeader } from "@x402/core/http";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { UptoEvmScheme } from "@x402/evm/upto/client";
import { privateKeyToAccount } from "viem/accounts";

const { LIBRARY, EVM_PRIVATE_KEY, RESOURCE_SERVER_URL, ENDPOINT_PATH } = process.env;
const account = privateKeyToAccount(EVM_PRIVATE_KEY);
const client = x402Client.fromConfig({
  schemes: [
    { network: "eip155:*", client: new ExactEvmScheme(account) },
    { network: "eip155:*", client: new UptoEvmScheme(account) },
  ],
  // It does not know the token of the test.
  spendControls: false,
});

async function call(url) {
  if (LIBRARY === "fetch") {
    const { wrapFetchWithPayment } = await import("@x402/fetch");
    const response = await wrapFetchWithPayment(fetch, client)(url);
    return { status: response.status, data: await response.json(), header: response.headers.get("payment-response") };
  }
  const { default: axios } = await import("axios");
  const { wrapAxiosWithPayment } = await import("@x402/axios");
  const response = await wrapAxiosWithPayment(axios.create(), client).get(url);
  return { status: response.status, data: response.data, header: response.headers["payment-response"] };
}

try {
  const { status, data, header } = await call(RESOURCE_SERVER_URL + ENDPOINT_PATH);
  const payment = header ? decodePaymentResponseHeader(header) : null;
  console.log(JSON.stringify({ success: status === 200, data, status_code: status, payment_response: payment }));
} catch (error) {
  console.log(JSON.stringify({ success: false, error: String(error) }));
}
