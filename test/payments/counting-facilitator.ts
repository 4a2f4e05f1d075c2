/** A facilitator over HTTP that counts its settlements. As on a chain, a nonce moves money once. */
import { FIND_EXTENSION } from "../../src/payments/facilitator/facilitator-messages.ts";
import { PAYER } from "../../src/payments/testing/payment.ts";

/** Responds to one call, or leaves it to the usual response. */
export type Hand = (call: FacilitatorCall) => Promise<Response | undefined> | Response | undefined;

export interface FacilitatorCall {
  readonly path: string;
  readonly nonce: string;
  /** Settles, and returns the usual response. */
  readonly usual: () => Response;
}

interface Body {
  readonly paymentPayload?: { readonly payload?: { readonly authorization?: { readonly nonce?: string } } };
}

const NETWORK = "eip155:84532";

export class CountingFacilitator {
  /** Calls to /settle, by nonce. */
  readonly settles = new Map<string, number>();
  /** Transfers of money, by nonce. There is at most one: the token refuses a used nonce. */
  readonly transfers = new Map<string, string>();
  hand: Hand = () => undefined;
  readonly #server: Bun.Server<undefined>;

  constructor(hostname = "127.0.0.1") {
    this.#server = Bun.serve({
      hostname,
      port: 0,
      idleTimeout: 0,
      fetch: (request) => this.#serve(request),
    });
  }

  get url(): string {
    return this.#server.url.origin;
  }

  close(): Promise<void> {
    return this.#server.stop(true);
  }

  async #serve(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname;
    if (path === "/supported") {
      const kinds = [{ x402Version: 2, scheme: "exact", network: NETWORK }];
      return Response.json({ kinds, extensions: [FIND_EXTENSION] });
    }
    // The gateway sends what it has parsed.
    const { paymentPayload } = (await request.json()) as Body;
    const nonce = paymentPayload?.payload?.authorization?.nonce?.toLowerCase() ?? "";
    if (path === "/settle") this.settles.set(nonce, (this.settles.get(nonce) ?? 0) + 1);
    const usual = (): Response => this.#usual(path, nonce);
    return (await this.hand({ path, nonce, usual })) ?? usual();
  }

  #usual(path: string, nonce: string): Response {
    const used = this.transfers.get(nonce);
    if (path === "/verify") {
      const isValid = used === undefined;
      return Response.json(
        isValid ? { isValid, payer: PAYER } : { isValid, invalidReason: "invalid_exact_evm_nonce_already_used" },
      );
    }
    if (path === "/find") {
      return Response.json(used === undefined ? { outcome: "unspent" } : { outcome: "settled", transaction: used });
    }
    if (used !== undefined) {
      return Response.json({
        success: false,
        transaction: "",
        network: NETWORK,
        errorReason: "invalid_transaction_state",
      });
    }
    const transaction = `0x${nonce.slice(2).padStart(64, "a")}`;
    this.transfers.set(nonce, transaction);
    return Response.json({ success: true, transaction, network: NETWORK, payer: PAYER });
  }
}
