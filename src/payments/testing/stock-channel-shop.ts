import { HTTPFacilitatorClient, x402HTTPResourceServer, x402ResourceServer } from "@x402/core/server";
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/server";
import { privateKeyToAccount } from "viem/accounts";
import { type Address, type Hex } from "../x402/address.ts";
import { type EvmNetwork } from "../x402/networks.ts";
import { type TestToken } from "./chain.ts";

export interface StockShopOptions {
  readonly facilitatorUrl: string;
  readonly network: EvmNetwork;
  readonly token: TestToken;
  readonly payTo: Address;
  /** The key that permits claims and refunds. */
  readonly authorizer: Hex;
}

/** A seller of `/paid`, at 1000 atomic units, by the stock server for channels. */
export interface StockShop {
  readonly url: string;
  /** Times that the handler of the route has run. */
  runs: number;
  /** The next charges; undefined: the price. */
  charge: string | undefined;
  readonly manager: ReturnType<BatchSettlementEvmScheme["createChannelManager"]>;
  close(): Promise<void>;
}

export async function startStockShop(options: StockShopOptions): Promise<StockShop> {
  const { facilitatorUrl, network, token, payTo, authorizer } = options;
  const client = new HTTPFacilitatorClient({ url: facilitatorUrl });
  const scheme = new BatchSettlementEvmScheme(payTo, { receiverAuthorizerSigner: privateKeyToAccount(authorizer) });
  const price = { amount: "1000", asset: token.address, extra: { name: token.name, version: token.version } };
  const server = new x402HTTPResourceServer(new x402ResourceServer(client).register(network, scheme), {
    "GET /paid": { accepts: { scheme: "batch-settlement", network, payTo, price, maxTimeoutSeconds: 60 } },
  });
  await server.initialize();

  async function respond(request: Request): Promise<Response> {
    const { pathname: path } = new URL(request.url);
    const { method } = request;
    const adapter = {
      getHeader: (name: string) => request.headers.get(name) ?? undefined,
      getMethod: () => method,
      getPath: () => path,
      getUrl: () => request.url,
      getAcceptHeader: () => "application/json",
      getUserAgent: () => "test",
    };
    const paymentHeader = request.headers.get("payment-signature");
    const context = { adapter, path, method, ...(paymentHeader === null ? {} : { paymentHeader }) };
    const result = await server.processHTTPRequest(context);
    if (result.type === "payment-error") {
      const { status, headers, body } = result.response;
      return Response.json(body ?? {}, { status, headers });
    }
    if (result.type !== "payment-verified") return new Response("free");
    shop.runs += 1;
    const { paymentPayload, paymentRequirements } = result;
    const overrides = shop.charge === undefined ? undefined : { amount: shop.charge };
    const settled = await server.processSettlement(
      paymentPayload,
      paymentRequirements,
      undefined,
      { request: context },
      overrides,
    );
    return settled.success
      ? new Response("sold", { headers: settled.headers })
      : Response.json({}, { status: 402, headers: settled.headers });
  }

  const listener = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: respond });
  const shop: StockShop = {
    url: `${listener.url.origin}/paid`,
    runs: 0,
    charge: undefined,
    manager: scheme.createChannelManager(client, network, token.address),
    close: () => listener.stop(true),
  };
  return shop;
}
