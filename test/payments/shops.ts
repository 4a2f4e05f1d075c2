/** Gateways that sell over HTTP/1.1, HTTP/2 and HTTP/3 with one facilitator and one upstream, which count their calls. */
import { patient } from "../../src/lib/testing/patience.ts";
import { mkdirSync } from "node:fs";
import { freePort } from "../../src/lib/testing/listen.ts";
import { REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { isEip3009, type PaymentPayload } from "../../src/payments/x402/messages.ts";
import { LOCALHOST } from "../support/certificates.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { Http2Client } from "../support/http2-client.ts";
import * as h2 from "../support/http2-frames.ts";
import { block } from "../support/http2-hpack.ts";
import { Http3Client } from "../support/http3-client.ts";
import { Folder } from "../support/program.ts";
import { CountingFacilitator } from "./counting-facilitator.ts";

export const PROTOCOLS = ["HTTP/1.1", "HTTP/2", "HTTP/3"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** A gateway with routes `/before` and `/after`, named by the time of settlement. */
export interface Shop {
  readonly gateway: Gateway;
  readonly quicPort: number;
}

export interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** The fields of every request here, so that a retry over another protocol is the same request. */
export const PLAIN = { accept: "*/*", "accept-encoding": "identity", "user-agent": "test" };
export const HOST = "shop.test";

export class Shops {
  readonly facilitator = new CountingFacilitator();
  readonly folder = new Folder();
  readonly #origin: Bun.Server<undefined>;
  readonly #runs = new Map<string, number>();
  readonly #gateways: Gateway[] = [];
  /** The response of the upstream. Undefined: the usual one, in which no two responses are equal. */
  sell: (request: Request) => Promise<Response | undefined> | Response | undefined = () => undefined;

  constructor() {
    this.#origin = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url);
        this.#runs.set(pathname + search, this.runs(pathname + search) + 1);
        return (await this.sell(request)) ?? new Response(`goods ${crypto.randomUUID()}`);
      },
    });
    this.folder.write("cert.pem", LOCALHOST.cert);
    this.folder.write("key.pem", LOCALHOST.key);
  }

  /** Requests for this path and query that reached the upstream. */
  runs(path: string): number {
    return this.#runs.get(path) ?? 0;
  }

  /** Starts a gateway; `config` is added to its configuration, and `x402` to that key. */
  async open(
    { x402, ...config }: { readonly server?: object; readonly x402?: object; readonly [key: string]: unknown },
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Shop> {
    const quicPort = await freePort();
    const state = this.folder.file(crypto.randomUUID());
    mkdirSync(state);
    const gateway = await startGateway(
      {
        state_path: state,
        access_log: { enabled: false },
        x402: {
          enabled: true,
          facilitator_url: this.facilitator.url,
          facilitator_timeout_ms: patient(5000),
          public_url: `https://${HOST}`,
          ...x402,
        },
        quic: {
          enabled: true,
          port: quicPort,
          cert_path: this.folder.file("cert.pem"),
          key_path: this.folder.file("key.pem"),
        },
        upstreams: [{ name: "origin", servers: [serverAt(this.#origin.port ?? 0)] }],
        routes: [
          { path_prefix: "/before", upstream: "origin", x402: { ...TERMS, settle: "before" } },
          { path_prefix: "/after", upstream: "origin", x402: TERMS },
        ],
        ...config,
      },
      environment,
    );
    this.#gateways.push(gateway);
    return { gateway, quicPort };
  }

  async close(): Promise<void> {
    await Promise.all(this.#gateways.map((gateway) => gateway.stop()));
    await this.facilitator.close();
    await this.#origin.stop(true);
    this.folder.remove();
  }
}

/** A new payment for `TERMS` on a route with this time of settlement. */
export function newPayment(settle: "before" | "after" = "after"): PaymentPayload {
  const extra = settle === "before" ? { ...REQUIREMENTS.extra, paymentFlow: "upfront" } : REQUIREMENTS.extra;
  return { ...signedPayment(Date.now() / 1000), accepted: { ...REQUIREMENTS, extra } };
}

export function nonceOf(payment: PaymentPayload): string {
  return isEip3009(payment) ? payment.payload.authorization.nonce : "";
}

/** One request on a connection of its own. */
export async function ask(protocol: Protocol, shop: Shop, { path, method = "GET", headers }: Asked): Promise<Reply> {
  const fields = { ...PLAIN, ...headers };
  if (protocol === "HTTP/2") return await askHttp2(shop, { path, method, headers: fields });
  if (protocol === "HTTP/3") {
    const client = await Http3Client.connect(shop.quicPort);
    const response = await client.request(method, path, undefined, { ":authority": HOST, ...fields });
    client.close();
    const { headers: received, body } = response;
    return { status: Number(received[":status"]), headers: received, body: body.toString() };
  }
  const response = await fetch(`http://127.0.0.1:${shop.gateway.port}${path}`, {
    method,
    headers: { host: HOST, ...fields },
    redirect: "manual",
    keepalive: false,
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers.entries()),
    body: await response.text(),
  };
}

async function askHttp2(shop: Shop, { path, method, headers }: Required<Asked>): Promise<Reply> {
  const client = await Http2Client.ready(shop.gateway.port);
  client.opensWindows = true;
  const list = [
    [":method", method],
    [":scheme", "http"],
    [":path", path],
    [":authority", HOST],
    ...Object.entries(headers),
  ] as const;
  client.send(h2.frame(h2.HEADERS, h2.END_BOTH, 1, block(list)));
  const { status, fields, body } = await client.response(1);
  // A client that destroys its connection may reset it, if frames are on their way. Its response then counts as undelivered.
  client.end();
  return { status, headers: Object.fromEntries(fields), body: body.toString() };
}
