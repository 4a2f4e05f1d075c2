/** For tests only: a real gateway with an origin, with functions to read its usage from the admin interface. */
import { until } from "../../../src/lib/testing/until.ts";
import { TERMS } from "../../../src/payments/testing/payment.ts";
import { type UsageBody } from "../../../src/gateway/admin/shapes/usage.ts";
import { type Gateway, serverAt, startGateway } from "../../support/gateway.ts";

const KEY = "the operator's key".replaceAll(/\W/g, "-");

export interface SiteOptions {
  readonly workers: number;
  /** Its state folder; absent: its state ends with it. */
  readonly state?: string;
  readonly postgres?: object;
  /** False: the gateway has no ledger. */
  readonly sells?: boolean;
}

export class UsageSite implements AsyncDisposable {
  readonly gateway: Gateway;
  readonly #admin: string;
  readonly #origin: Bun.Server<undefined>;

  private constructor(gateway: Gateway, admin: string, origin: Bun.Server<undefined>) {
    this.gateway = gateway;
    this.#admin = admin;
    this.#origin = origin;
  }

  static async start({ workers, state = "", postgres = {}, sells = true }: SiteOptions): Promise<UsageSite> {
    const origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("the goods") });
    const keys = ["alice", "bob", '=HYPERLINK("x")'].map((name) => ({ key: `key of ${name}`, name }));
    const auth = { type: "api_key", keys };
    const gateway = await startGateway({
      server: { workers },
      access_log: { enabled: false },
      state_path: state,
      postgres,
      admin: { enabled: true, port: 0, api_key: KEY },
      x402: { enabled: true, test_mode: true, public_url: "https://shop.test" },
      upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
      routes: [
        { path_prefix: "/free", upstream: "origin" },
        { path_prefix: "/keys", upstream: "origin", auth },
        {
          path_prefix: "/limited",
          upstream: "origin",
          auth,
          rate_limit: { requests_per_second: 0.002, burst_size: 1 },
        },
        ...(sells ? [{ path_prefix: "/paid", upstream: "origin", auth, x402: TERMS }] : []),
      ],
    });
    const found = (): string | undefined => /admin interface on (\S+)/.exec(gateway.output())?.[1];
    await until(() => found() !== undefined);
    return new UsageSite(gateway, found() ?? "", origin);
  }

  /** Requests a path, as a consumer if one is given. Returns the status after the complete response. */
  async ask(path: string, consumer = "", fields: Record<string, string> = {}): Promise<number> {
    const key: Record<string, string> = consumer === "" ? {} : { "x-api-key": `key of ${consumer}` };
    const response = await fetch(`http://127.0.0.1:${this.gateway.port}${path}`, { headers: { ...key, ...fields } });
    await response.arrayBuffer();
    return response.status;
  }

  async admin(path: string, method = "GET"): Promise<Response> {
    return fetch(new URL(path, this.#admin), { method, headers: { "x-api-key": KEY } });
  }

  async usage(reset = false): Promise<UsageBody> {
    const response = await this.admin(`/v1/usage${reset ? "?reset" : ""}`);
    if (response.status !== 200) throw new Error(`Cannot read the usage: ${response.status} ${await response.text()}`);
    return (await response.json()) as UsageBody; // Its form is defined by the API's description.
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.stop();
    await this.#origin.stop(true);
  }
}

/** Requests of a consumer, or of all. */
export function requestsOf({ consumers }: UsageBody, consumer?: string): number {
  const own = consumers.filter(({ name }) => consumer === undefined || name === consumer);
  return own.reduce((sum, { requests }) => sum + requests, 0);
}
