import { type FacilitatorClient, x402HTTPResourceServer, x402ResourceServer } from "@x402/core/server";
import { BatchSettlementEvmScheme, InMemoryChannelStorage } from "@x402/evm/batch-settlement/server";
import { privateKeyToAccount } from "viem/accounts";
import { type Address } from "../x402/address.ts";
import { PAYEE } from "./payment.ts";

/** The receiver's authorizer of the stock server. A well-known key without money. */
export const AUTHORIZER = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d");

/** The goods of a stock server. */
export interface StockShopOptions {
  readonly facilitator: FacilitatorClient;
  readonly network: `${string}:${string}`;
  readonly asset: Address;
  readonly amount: string;
  readonly extra?: Record<string, unknown>;
  /** The charge of a response; the price by default. */
  readonly charge?: () => string;
}

/** x402's own server of the scheme batch-settlement, without changes, on a loopback port. */
export interface StockShop {
  readonly url: string;
  readonly storage: InMemoryChannelStorage;
  readonly scheme: BatchSettlementEvmScheme;
  /** Responses of the handler. */
  readonly served: () => number;
  close(): Promise<void>;
}

/** Starts it; its one route is `GET /goods`. */
export async function openStockShop(options: StockShopOptions): Promise<StockShop> {
  const { network, asset, amount } = options;
  const storage = new InMemoryChannelStorage();
  const scheme = new BatchSettlementEvmScheme(PAYEE, { storage, receiverAuthorizerSigner: AUTHORIZER });
  const core = new x402ResourceServer(options.facilitator).register(network, scheme);
  const extra = { name: "USDC", version: "2", ...options.extra };
  const price = { asset, amount, extra };
  const seller = new x402HTTPResourceServer(core, {
    "GET /goods": { accepts: { scheme: "batch-settlement", network, payTo: PAYEE, price, maxTimeoutSeconds: 60 } },
  });
  await seller.initialize();
  let served = 0;

  async function respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const context = {
      adapter: {
        getHeader: (name: string) => request.headers.get(name) ?? undefined,
        getMethod: () => request.method,
        getPath: () => pathname,
        getUrl: () => request.url,
        getAcceptHeader: () => "*/*",
        getUserAgent: () => "test",
      },
      path: pathname,
      method: request.method,
    };
    const result = await seller.processHTTPRequest(context);
    if (result.type === "no-payment-required") return new Response("free");
    if (result.type === "payment-error") {
      const { status, headers, body } = result.response;
      return new Response(JSON.stringify(body ?? {}), { status, headers });
    }
    served += 1;
    const { paymentPayload, paymentRequirements, declaredExtensions } = result;
    const settled = await seller.processSettlement(
      paymentPayload,
      paymentRequirements,
      declaredExtensions,
      { request: context },
      options.charge === undefined ? undefined : { amount: options.charge() },
    );
    if (settled.success) return new Response("the goods", { headers: settled.headers });
    return new Response("{}", { status: 402, headers: settled.headers });
  }

  const shop: StockShop = {
    url: "",
    storage,
    scheme,
    served: () => served,
    close: async () => await server.stop(true),
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: respond,
  });
  return Object.assign(shop, { url: new URL("/goods", server.url).href });
}
