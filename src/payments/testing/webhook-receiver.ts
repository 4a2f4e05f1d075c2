import { createHmac, timingSafeEqual } from "node:crypto";

/** One received post. */
export interface Received {
  readonly id: string;
  readonly body: string;
  /** True if the receiver's secret signed it. */
  readonly isGenuine: boolean;
  /** The field `webhook-timestamp`. */
  readonly timestamp: string | undefined;
  /** The field `webhook-signature`. */
  readonly signature: string | undefined;
}

type Responder = (received: Received) => Response | Promise<Response>;

/** An operator's endpoint that checks signatures with its own code. Only for tests. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  response: Responder = () => new Response("thanks");
  readonly #secret: Uint8Array;
  readonly #server: Bun.Server<undefined>;

  constructor(secret: Uint8Array, port = 0) {
    this.#secret = secret;
    this.#server = Bun.serve({
      port,
      hostname: "127.0.0.1",
      idleTimeout: 30,
      fetch: async (request) => {
        const id = request.headers.get("webhook-id") ?? "";
        const body = await request.text();
        const signature = request.headers.get("webhook-signature") ?? undefined;
        const timestamp = request.headers.get("webhook-timestamp") ?? undefined;
        const received = { id, body, isGenuine: this.#isGenuine(request.headers, body), timestamp, signature };
        this.received.push(received);
        return this.response(received);
      },
    });
  }

  get url(): string {
    return `${this.#server.url.origin}/in/path-secret?token=query-secret`;
  }

  get port(): number {
    return Number(this.#server.url.port);
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  #isGenuine(headers: Headers, body: string): boolean {
    const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
    const expected = createHmac("sha256", this.#secret).update(signed).digest();
    return (headers.get("webhook-signature") ?? "").split(" ").some((signature) => {
      const [version, base64 = ""] = signature.split(",");
      const given = Buffer.from(base64, "base64");
      return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}
