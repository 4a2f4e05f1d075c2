/** A seller whose responses a test decides. It serves the page that pays, and its modules, to a real browser. */
import { join } from "node:path";
import { payData, payElements } from "../../pay-script.ts";
import { type PaymentRequired, type PaymentRequirements } from "../../../x402/messages.ts";

/** A module of the page, bundled from its source. */
async function bundled(name: string, format: "esm" | "iife"): Promise<string> {
  const entrypoints = [join(import.meta.dir, "..", `${name}.ts`)];
  const { outputs } = await Bun.build({ entrypoints, target: "browser", format });
  return (await outputs[0]?.text()) ?? "";
}

/** A request that the seller received. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

export class Seller {
  readonly #server: Bun.Server<undefined>;
  readonly url: string;
  /** The body of a page that a browser opens, before the script. */
  body = `<main><div class="pay" id="pay"></div></main>`;
  script: "pay" | "pay-test" = "pay";
  /** The prices. */
  accepts: readonly PaymentRequirements[] = [];
  /** The URL of blockhashes of Solana. */
  blockhash: string | undefined;
  extensions: Record<string, unknown> | undefined;
  /** The response to requests that do not open a page, and those requests. */
  respond: (request: Request) => Response | Promise<Response> = () => new Response("the goods");
  readonly requests: Sent[] = [];

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 255,
      fetch: async (request) => {
        const [, name] = /\/modules\/([\w-]+)\.js$/.exec(request.url) ?? [];
        if (name !== undefined) {
          return new Response(await bundled(name, "esm"), { headers: { "content-type": "text/javascript" } });
        }
        if (request.headers.get("sec-fetch-mode") === "navigate") return await this.#page();
        if (request.headers.get("sec-fetch-dest") === "image") return new Response(null, { status: 404 });
        const { method, url, headers } = request;
        this.requests.push({ method, url, headers, body: await request.text() });
        return await this.respond(request);
      },
    });
    this.url = `http://127.0.0.1:${this.#server.port}`;
  }

  /** The challenge of the page. */
  get required(): PaymentRequired {
    const { accepts, extensions } = this;
    return {
      x402Version: 2,
      resource: { url: `${this.url}/goods` },
      accepts: [...accepts],
      ...(extensions && { extensions }),
    };
  }

  async #page(): Promise<Response> {
    const script = { text: await bundled(this.script, "iife"), source: "" };
    const data = payData(this.accepts, this.required, () => this.blockhash);
    const html = `<!doctype html><title>Shop</title>${this.body}${payElements(script, data).text}`;
    return new Response(html, { status: 402, headers: { "content-type": "text/html; charset=utf-8" } });
  }

  async close(): Promise<void> {
    await this.#server.stop(true);
  }
}
