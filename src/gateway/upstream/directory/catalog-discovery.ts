import { fieldLine, fieldValue } from "../../../lib/http/fields.ts";
import { Deadline } from "../../../lib/time/timer-wheel.ts";
import { VERSION } from "../../../lib/process/version.ts";
import { type UpstreamConfig } from "../../config/config.ts";
import { serverKey } from "../member.ts";
import { Ask, type Reply } from "./ask.ts";
import { readCatalogResponse } from "./catalog-response.ts";
import { backOffMs, type DiscoveredUpstream, type Discovery, type DiscoveryDeps, FoundServers } from "./discovery.ts";

type CatalogConfig = NonNullable<UpstreamConfig["catalog_discovery"]>;

/** Bytes of a catalog response. A service of 256 servers with long check outputs takes a tenth of this. */
const MAX_CATALOG_BYTES = 8 * 1024 * 1024;
/** Maximum seconds that Consul lets a query wait. */
const MAX_WAIT_S = 600;
/** Consul adds up to a sixteenth of the wait to a query. */
const WAIT_EXTRA = 1 / 16;
/** Milliseconds that a response may take beyond the wait of its query. @bound */
const RESPONSE_MS = 10_000;
/**
 * Responses before the end of the interval that are followed by the next query at once. After them, there is one query
 * per interval. @bound
 */
const BURST = 2;

/**
 * Discovers servers with blocking queries to Consul's `/v1/health/service/NAME?passing`. Consul responds when the
 * service has changed, or after `interval_s`. The queries follow Consul's rules for clients. The index is reset when it
 * goes backwards, and is never 0 after a response. A service that changes constantly is queried once per interval.
 */
export class CatalogDiscovery extends Deadline implements Discovery {
  readonly servers: FoundServers;
  readonly #config: CatalogConfig;
  readonly #deps: DiscoveryDeps;
  readonly #intervalMs: number;
  #ask: Ask | undefined;
  /** The index of the last response; 0: the next query does not wait. */
  #index = 0n;
  #failures = 0;
  /** The number of early responses after which the next query is sent at once, as of `#filledAt` (wheel time). */
  #tokens = BURST;
  #filledAt: number;
  #askedAt = 0;

  constructor(upstream: DiscoveredUpstream, config: CatalogConfig, deps: DiscoveryDeps) {
    super();
    this.#config = config;
    this.#deps = deps;
    this.#intervalMs = config.interval_s * 1000;
    this.#filledAt = deps.wheel.now();
    this.servers = new FoundServers(upstream, `catalog for ${JSON.stringify(config.service)}`, deps);
    this.#query();
  }

  close(): void {
    this.#deps.wheel.remove(this);
    this.#ask?.cancel();
  }

  override onDeadline(): void {
    this.#query();
  }

  #query(): void {
    const { service, address, port, token } = this.#config;
    this.#askedAt = this.#deps.wheel.now();
    const waitS = Math.min(this.#config.interval_s, MAX_WAIT_S);
    const wait = this.#index === 0n ? "" : `&index=${this.#index}&wait=${waitS}s`;
    const waitMs = wait === "" ? 0 : waitS * 1000 * (1 + WAIT_EXTRA);
    const credentials = token === "" ? "" : fieldLine("X-Consul-Token", token);
    const question = {
      endpoint: { address, port },
      // The operator chooses the catalog. `allow_private` concerns only the servers that the catalog names.
      dial: { allowPrivate: true, tls: undefined },
      protocol: "http1" as const,
      host: serverKey({ address, port }),
      path: `/v1/health/service/${encodeURIComponent(service)}?passing=1${wait}`,
      fields: `User-Agent: turnpike/${VERSION}\r\nAccept: application/json\r\n${credentials}`,
      timeoutMs: waitMs + RESPONSE_MS,
      maxBodyBytes: MAX_CATALOG_BYTES,
    };
    this.#ask = new Ask(question, this.#deps, (reply) => this.#heard(reply));
  }

  #heard(reply: Reply): void {
    this.#ask = undefined;
    const failure = this.#take(reply);
    if (failure !== "") {
      this.servers.failed(failure);
      this.#deps.wheel.set(this, backOffMs(++this.#failures, this.#intervalMs, this.#deps.random));
      return;
    }
    this.#failures = 0;
    this.#deps.wheel.set(this, this.#restMs());
  }

  /** Uses a response. Returns the reason why it cannot be used, or an empty text. */
  #take(reply: Reply): string {
    if (reply.kind === "failure") return reply.reason;
    if (reply.status !== 200) return `status ${reply.status}`;
    if (reply.cut) return `the response is longer than ${MAX_CATALOG_BYTES} bytes`;
    const response = readCatalogResponse(reply.body);
    if (response === undefined) return "the response is not a list of services";
    this.#index = nextIndex(this.#index, fieldValue(reply.fields, "x-consul-index"));
    this.servers.replace(response.found, response.unusable);
    return "";
  }

  /** Milliseconds before the next query: a token bucket, as Consul advises, so a change is seen at once. */
  #restMs(): number {
    const now = this.#deps.wheel.now();
    this.#tokens = Math.min(BURST, this.#tokens + (now - this.#filledAt) / this.#intervalMs);
    this.#filledAt = now;
    if (now - this.#askedAt < this.#intervalMs) this.#tokens--;
    return Math.max(0, (1 - this.#tokens) * this.#intervalMs);
  }
}

/** The index for the next query; 0 if it went backwards. Without one, the next query does not wait. */
function nextIndex(last: bigint, received: string | undefined): bigint {
  if (received === undefined || !/^\d{1,20}$/.test(received)) return 0n;
  const index = BigInt(received);
  if (index < last) return 0n;
  return index === 0n ? 1n : index;
}
