/** x402's own facilitator over HTTP: `RPC_URL`, `KEY`. Prints `listening URL`. */
import { createServer } from "node:http";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { UptoEvmScheme } from "@x402/evm/upto/facilitator";
import { createWalletClient, defineChain, http, nonceManager, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const { RPC_URL, KEY } = process.env;
const NETWORK = "eip155:84532";
const chain = defineChain({
  id: 84_532,
  name: "test",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: { default: { http: [RPC_URL] } },
});
const account = privateKeyToAccount(KEY, { nonceManager });
const wallet = createWalletClient({ account, chain, transport: http(RPC_URL), pollingInterval: 20 }).extend(
  publicActions,
);
const signer = toFacilitatorEvmSigner({ ...wallet, address: account.address });
const facilitator = new x402Facilitator()
  .register(NETWORK, new ExactEvmScheme(signer))
  .register(NETWORK, new UptoEvmScheme(signer));

async function answer(path, body) {
  if (path === "/supported") return facilitator.getSupported();
  const { paymentPayload, paymentRequirements } = JSON.parse(body);
  return await facilitator[path === "/verify" ? "verify" : "settle"](paymentPayload, paymentRequirements);
}

async function serve(request, response) {
  let body = "";
  for await (const chunk of request) body += chunk;
  try {
    response.setHeader("content-type", "application/json").end(JSON.stringify(await answer(request.url, body)));
  } catch (error) {
    response.writeHead(500, { "content-type": "application/json" }).end(JSON.stringify({ error: String(error) }));
  }
}

const server = createServer((request, response) => void serve(request, response));
server.listen(0, "127.0.0.1", () => console.log(`listening http://127.0.0.1:${server.address().port}`));
