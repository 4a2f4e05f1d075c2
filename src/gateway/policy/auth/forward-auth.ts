import { Outage } from "../../../lib/time/outage.ts";
import { type Fields, fieldValues, withoutFields } from "../../../lib/http/fields.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { zoneShape } from "../../telemetry/metrics/layout.ts";
import { ServerMetrics } from "../../telemetry/upstream-metrics.ts";
import { ServerPool } from "../../upstream/server-pool.ts";
import { onlyFields } from "./identity-fields.ts";
import { type KeySetDeps } from "./jwks.ts";
import { type Admitted, consumerLine, type Method, type MethodConfig, type Outcome, type Refused } from "./method.ts";
import { Question, type ServiceResponse } from "./question.ts";
import { refusal } from "./refusals.ts";
import { serviceAddress, type ServiceAddress } from "./service-address.ts";

export type ForwardAuthConfig = MethodConfig<"forward_auth">;

/** Requests that one auth service may have pending in one worker. Beyond it, a client's request is refused with 503. */
const MAX_QUESTIONS = 256;
/** Most connections to one auth service in one worker, idle ones among them, and ms until an idle one closes. */
const MAX_SERVICE_CONNECTIONS = 64;
const MAX_IDLE_SERVICE_CONNECTIONS = 16;
const SERVICE_IDLE_MS = 60_000;
/**
 * Characters of the fields that one response adds to the upstream request. Longer ones fail the authentication.
 * @operator
 */
const MAX_GIVEN_FIELDS = 16_384;

/** Auth services are not upstream servers, so these counters are not published. */
let uncounted: ServerMetrics | undefined;

/** Authentication by the operator's own service, which receives a subrequest for each request. */
export function createForwardAuth(config: ForwardAuthConfig, deps: KeySetDeps): Method {
  return new ForwardAuth(config, deps);
}

class ForwardAuth implements Method {
  readonly type = "forward_auth";
  readonly #config: ForwardAuthConfig;
  readonly #deps: KeySetDeps;
  readonly #address: ServiceAddress;
  readonly #pool: ServerPool;
  readonly #asked: ReadonlySet<string>;
  readonly #given: ReadonlySet<string>;
  readonly #consumerHeader: string;
  #questions = 0;
  readonly #outage = new Outage();
  readonly #down = refusal("auth-unavailable", "the authentication service does not respond", []);
  readonly #busy = refusal("overloaded", "too many requests wait for authentication", []);
  readonly #repeated = refusal("unauthorized", "there is more than one Authorization field", []);
  readonly #forbidden = refusal("forbidden", "this consumer is not allowed here", []);

  constructor(config: ForwardAuthConfig, deps: KeySetDeps) {
    this.#config = config;
    this.#deps = deps;
    this.#asked = new Set(config.headers_forward.map((name) => name.toLowerCase()));
    this.#given = new Set(config.headers_upstream.map((name) => name.toLowerCase()));
    this.#consumerHeader = config.consumer_header.toLowerCase();
    this.#address = serviceAddress(config.url);
    const settings = {
      maxConnections: MAX_SERVICE_CONNECTIONS,
      maxIdle: MAX_IDLE_SERVICE_CONNECTIONS,
      idleTimeoutMs: SERVICE_IDLE_MS,
      connectTimeoutMs: config.timeout_ms,
      clientPart: 1,
      protocol: "http1" as const,
      dial: this.#address.dial,
    };
    uncounted ??= new ServerMetrics(new Float64Array(zoneShape(1).counters), 0);
    this.#pool = new ServerPool(this.#address.endpoint, settings, { ...deps, metrics: uncounted });
  }

  check(exchange: Exchange): Outcome | Promise<Outcome> {
    const { fields } = exchange.head;
    if (this.#asked.has("authorization") && fieldValues(fields, "authorization").length > 1) return this.#repeated;
    if (this.#questions >= MAX_QUESTIONS) return this.#busy;
    return this.#ask(exchange);
  }

  take(): void {
    // Credentials that the service reads, such as a cookie, can be meant for the upstream as well.
  }

  close(): void {
    this.#pool.close();
  }

  async #ask(exchange: Exchange): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<ServiceResponse | string>();
    const question = new Question(this.#pool, this.#headFor(exchange), this.#config.timeout_ms, resolve);
    this.#questions++;
    exchange.onGone = () => {
      question.cancel();
      resolve("the client closed the connection");
    };
    try {
      question.begin();
      return this.#outcomeOf(await promise, exchange.gone);
    } finally {
      this.#questions--;
      exchange.onGone = undefined;
    }
  }

  /** The head of the subrequest, without the empty line. */
  #headFor({ head, peerAddress, clientAddress, id }: Exchange): string {
    const { host, path } = this.#address;
    const forwardedFor = head.forwardedFor === "" ? peerAddress : `${head.forwardedFor}, ${peerAddress}`;
    return (
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${onlyFields(head.fields, this.#asked)}` +
      `X-Forwarded-Method: ${head.method}\r\nX-Forwarded-Proto: ${head.scheme}\r\nX-Forwarded-Host: ${head.authority}\r\n` +
      `X-Forwarded-Uri: ${head.path}${head.query}\r\nX-Forwarded-For: ${forwardedFor}\r\n` +
      `X-Real-IP: ${clientAddress}\r\nX-Request-Id: ${id}\r\n`
    );
  }

  #outcomeOf(response: ServiceResponse | string, isGone: boolean): Outcome {
    if (isGone) return this.#down;
    if (typeof response === "string") return this.#failed(response);
    const { status } = response;
    if (status >= 200 && status < 300) {
      const admitted = this.#admit(response.fields);
      if (typeof admitted === "string") return this.#failed(admitted);
      this.#works();
      return admitted;
    }
    const isRedirect = status >= 300 && status < 400 && fieldValues(response.fields, "location").length === 1;
    if (!isRedirect && (status < 400 || status >= 500)) return this.#failed(`it responded with ${status}`);
    this.#works();
    return passedOn(response);
  }

  /** The outcome of a 2xx response. A text says what is wrong with the response. */
  #admit(fields: Fields): Outcome | string {
    const given = onlyFields(fields, this.#given);
    if (given.length > MAX_GIVEN_FIELDS) return "its headers are too long";
    const names = fieldValues(fields, this.#consumerHeader);
    // Names are UTF-8, in a string of bytes.
    const consumer = Buffer.from(names[0] ?? "", "latin1").toString();
    const line = consumerLine(consumer);
    if (names.length > 1 || line === undefined) return `its ${this.#config.consumer_header} cannot be read`;
    const { consumers } = this.#config;
    if (consumers.length > 0 && !consumers.includes(consumer)) return this.#forbidden;
    const admitted: Admitted = { kind: "admitted", by: this, consumer, fields: line + given };
    return admitted;
  }

  /** Refuses requests without a valid response of the service. Logs the first failure only, until it responds. */
  #failed(reason: string): Refused {
    if (this.#outage.failed()) {
      this.#deps.log(`Cannot query the authentication service of ${this.#deps.where}: ${reason}`);
    }
    return this.#down;
  }

  #works(): void {
    const after = this.#outage.ended();
    if (after !== undefined) {
      this.#deps.log(`The authentication service of ${this.#deps.where} works again ${after}`);
    }
  }
}

/** Passes the service's own response on to the client. */
function passedOn({ status, fields, body }: ServiceResponse): Refused {
  const { error } = status === 403 ? FORBIDDEN : UNAUTHORIZED;
  // The gateway sets its own Date.
  return {
    kind: "refused",
    error,
    challenges: [],
    response: { status, fields: withoutFields(fields, ["date"]), body },
  };
}

const FORBIDDEN = refusal("forbidden", "the authentication service rejects this request", []);
const UNAUTHORIZED = refusal("unauthorized", "the authentication service rejects this request", []);
