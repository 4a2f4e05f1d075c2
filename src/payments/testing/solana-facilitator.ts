/** A stock facilitator of Solana as a program: `bun solana-facilitator.ts RPC_URL KEY_HEX PORT`. Prints its port. */
import { x402Facilitator } from "@x402/core/facilitator";
import { createKeyPairSignerFromPrivateKeyBytes } from "@solana/kit";
import { toFacilitatorSvmSigner } from "@x402/svm";
import { registerExactSvmScheme } from "@x402/svm/exact/facilitator";
import { SOLANA_DEVNET } from "./solana-chain.ts";

const [url = "", key = "", port = "0"] = process.argv.slice(2);
const signer = await createKeyPairSignerFromPrivateKeyBytes(Buffer.from(key, "hex"));
const facilitator = registerExactSvmScheme(new x402Facilitator(), {
  signer: toFacilitatorSvmSigner(signer, { defaultRpcUrl: url }),
  networks: SOLANA_DEVNET,
});

const server = Bun.serve({
  port: Number(port),
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/supported") return Response.json(facilitator.getSupported());
    const { paymentPayload, paymentRequirements } = (await request.json()) as Parameters<typeof call>[1];
    return await call(pathname, { paymentPayload, paymentRequirements });
  },
});
console.log(server.port);

type Verify = Parameters<typeof facilitator.verify>;

async function call(
  path: string,
  { paymentPayload, paymentRequirements }: { paymentPayload: Verify[0]; paymentRequirements: Verify[1] },
): Promise<Response> {
  try {
    const ask = path === "/verify" ? facilitator.verify.bind(facilitator) : facilitator.settle.bind(facilitator);
    return Response.json(await ask(paymentPayload, paymentRequirements));
  } catch (error) {
    return Response.json({ error: String(error) }, { status: 500 });
  }
}
