/** x402's own middleware: `FRAMEWORK` is hono or express; `FACILITATOR_URL`, `PAY_TO`, `ASSET`, `NAME`, `VERSION`. Prints `listening URL`. */
import { HTTPFacilitatorClient, x402ResourceServer } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { UptoEvmScheme } from "@x402/evm/upto/server";

const { FRAMEWORK, FACILITATOR_URL, PAY_TO, ASSET, NAME, VERSION } = process.env;
const network = "eip155:84532";
const goods = { message: "Protected endpoint accessed successfully", timestamp: new Date().toISOString() };

function route(scheme, assetTransferMethod) {
  const extra = { name: NAME, version: VERSION, ...(assetTransferMethod === undefined ? {} : { assetTransferMethod }) };
  return { accepts: { scheme, network, payTo: PAY_TO, price: { asset: ASSET, amount: "10000", extra } } };
}

const routes = {
  "GET /exact": route("exact"),
  "GET /permit2": route("exact", "permit2"),
  "GET /upto": route("upto", "permit2"),
};
const resourceServer = new x402ResourceServer(new HTTPFacilitatorClient({ url: FACILITATOR_URL }))
  .register(network, new ExactEvmScheme())
  .register(network, new UptoEvmScheme());
const listening = ({ port }) => console.log(`listening http://127.0.0.1:${port}`);

if (FRAMEWORK === "hono") {
  const { serve } = await import("@hono/node-server");
  const { Hono } = await import("hono");
  const { paymentMiddleware } = await import("@x402/hono");
  const app = new Hono();
  app.use(paymentMiddleware(routes, resourceServer));
  app.get("*", (context) => context.json(goods));
  serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, listening);
} else {
  const { default: express } = await import("express");
  const { paymentMiddleware } = await import("@x402/express");
  const app = express();
  app.use(paymentMiddleware(routes, resourceServer));
  app.use((_, response) => response.json(goods));
  const server = app.listen(0, "127.0.0.1", () => listening(server.address()));
}
