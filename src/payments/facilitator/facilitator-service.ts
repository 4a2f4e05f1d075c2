import { type z } from "zod";
import { faultOf } from "../../lib/caught.ts";
import { toProblem, TurnpikeError } from "../../lib/errors.ts";
import { type Facilitator, type Outcome, type Settlement, type Verification, type Kind } from "../x402/facilitator.ts";
import { type ChannelFacilitator } from "../x402/channel-facilitator.ts";
import {
  channelSettleSchema,
  channelVerifySchema,
  isForChannel,
  settlementJson,
  verificationJson,
} from "./channel-calls.ts";
import { type Caller, Callers, type CallRate } from "./callers.ts";
import { type SoldResources } from "./sold-resources.ts";
import { facilitatorRequestSchema, FIND_EXTENSION, PARTIAL, SIMULATED } from "./facilitator-messages.ts";
import { type Gas } from "./gas-watch.ts";
import { isLoopback } from "./loopback-only.ts";
import { ServiceFigures } from "./service-figures.ts";
import { statusPage } from "./status-page.ts";
import { networkTitle } from "../x402/networks.ts";
import { UnsupportedError } from "../x402/kinds.ts";
import { payerIn } from "../x402/payment-key.ts";
import { type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";

/** Longest request body of the facilitator service, in bytes; a longer one is refused. @operator A claim has 200 vouchers. */
export const MAX_REQUEST_BYTES = 256 * 1024;
/** Calls of the facilitator service in progress at the same time; a further one gets 503. @operator */
const MAX_CALLS = 512;
/** Time in which a request's body must arrive completely, in milliseconds. @bound */
const BODY_MS = 5000;
/** The Retry-After of a 503 because of too many calls, in seconds. */
const RETRY_S = "1";
const DISCOVERY: ReadonlySet<string> = new Set(["/discovery/resources", "/discovery/search"]);
/** The field that says that a settlement has put its resource on the list. */
const LISTED = { "extension-responses": Buffer.from('{"bazaar":{"status":"success"}}').toString("base64") };

/** A call in progress. `patient`: called before a long part of the work. */
interface Call {
  readonly caller: string;
  readonly patient: () => void;
}

/** The settings of a facilitator that other programs call over HTTP. */
export interface ServiceOptions {
  /** The accounts that settle, by network, for /supported. */
  readonly signers?: Readonly<Record<string, readonly string[]>>;
  /** Nothing is settled, which /supported then says. */
  readonly isSimulated?: boolean;
  /** The token that callers must send as `Authorization: Bearer`. If it is not set, callers need none. */
  readonly token?: string | undefined;
  /** Callers with tokens of their own. Beside them, `token` is the operator's. */
  readonly callers?: readonly Caller[] | undefined;
  readonly rate?: CallRate | undefined;
  /** Lists what is sold to everyone; undefined: there is no list. */
  readonly resources?: SoldResources | undefined;
  readonly log: (message: string) => void;
  /** The gas of the signers as it was read last, for the status page. */
  readonly gas?: () => readonly Gas[];
  /** Unix milliseconds. */
  readonly clock?: () => number;
}

/** Serves the protocol's calls with a facilitator of this process. */
export class FacilitatorService {
  readonly #facilitator: Facilitator;
  readonly #options: ServiceOptions;
  readonly #callers: Callers;
  readonly #calls = new Set<Promise<Response>>();
  readonly #figures: ServiceFigures;
  #closing = false;

  constructor(facilitator: Facilitator, options: ServiceOptions) {
    this.#facilitator = facilitator;
    this.#options = options;
    this.#figures = new ServiceFigures(options.clock ?? Date.now);
    const { token, callers = [], rate } = options;
    this.#callers = new Callers([...(token === undefined ? [] : [{ name: "", token }]), ...callers], rate);
  }

  /** Calls `patient` if the response may take long from this point on. */
  async handle(request: Request, patient: () => void): Promise<Response> {
    const { pathname, hostname, searchParams } = new URL(request.url);
    // A web page in a browser on this machine may use the page's own host name for this service (DNS rebinding).
    if (!this.#callers.areKnown && !isLoopback(hostname)) {
      return problem(new TurnpikeError("host-not-allowed", "Without a token, only calls to loopback names are served"));
    }
    if (pathname === "/health") {
      return Response.json({ status: this.#closing ? "stopping" : "ok" }, { status: this.#closing ? 503 : 200 });
    }
    if (pathname === "/" && request.method === "GET") return statusPage();
    const { resources } = this.#options;
    if (resources !== undefined && request.method === "GET" && DISCOVERY.has(pathname)) {
      return Response.json(resources.page(searchParams));
    }
    const caller = this.#callers.nameOf(request);
    if (caller === undefined) return unauthorized();
    if (pathname === "/status" && request.method === "GET") {
      // Callers with names share the service, and see nothing of each other.
      return caller === "" ? this.#status() : problem(new TurnpikeError("forbidden", "The status is for the operator"));
    }
    if (pathname !== "/supported" && pathname !== "/verify" && pathname !== "/settle" && pathname !== "/find") {
      return problem(new TurnpikeError("not-found", "There is nothing at this path"));
    }
    const method = pathname === "/supported" ? "GET" : "POST";
    if (request.method !== method) {
      const error = new TurnpikeError("method-not-allowed", `${pathname} accepts only ${method}`);
      return problem(error, { allow: method });
    }
    // A web page of any origin may send other content types without a CORS preflight.
    if (method === "POST" && !isJson(request)) {
      return problem(new TurnpikeError("unsupported-media-type", "The body must be application/json"));
    }
    if (this.#closing || this.#calls.size >= MAX_CALLS) return busy();
    const delay = this.#callers.delayOf(caller, pathname);
    if (delay > 0) {
      this.#figures.limited(caller);
      return problem(new TurnpikeError("rate-limited", "Too many calls of this caller"), {
        "retry-after": String(delay),
      });
    }
    const call = this.#response(pathname, request, { caller, patient });
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Accepts no more calls. Resolves when the calls in progress have ended. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.allSettled(this.#calls);
  }

  async #response(pathname: string, request: Request, { caller, patient }: Call): Promise<Response> {
    try {
      if (pathname === "/supported") return Response.json(await this.#supported());
      const body = await readJson(request);
      if (body instanceof TurnpikeError) return problem(body);
      const { channels } = this.#facilitator;
      if (isForChannel(body.json) && channels !== undefined && pathname !== "/find") {
        if (pathname === "/verify") return await this.#verifyChannel(channels, body.json, { caller, patient });
        return await this.#settleChannel(channels, body.json, { caller, patient });
      }
      const checked = parsed(facilitatorRequestSchema, body.json);
      if (checked instanceof TurnpikeError) return problem(checked);
      patient();
      const { paymentPayload: payment, paymentRequirements: requirements } = checked;
      if (pathname === "/verify") {
        const verification = await this.#facilitator.verify(payment, requirements);
        this.#figures.verified(caller, verification);
        return verified(verification, payment);
      }
      if (pathname === "/find") return Response.json(found(await this.#facilitator.find(payment, requirements)));
      const settlement = await this.#facilitator.settle(payment, requirements);
      this.#figures.settled(caller, settlement, { requirements });
      const isListed = settlement.kind === "settled" && this.#options.resources?.add(caller, payment, requirements);
      return settled(settlement, requirements, isListed === true ? LISTED : {});
    } catch (error) {
      this.#figures.failed(pathname);
      if (error instanceof UnsupportedError) {
        this.#options.log(`facilitator: ${error.message}`);
        return problem(new TurnpikeError("facilitator-unavailable", error.message));
      }
      // The message of another error may contain the address of an RPC endpoint.
      this.#options.log(`facilitator: ${pathname} failed: ${faultOf(error)}`);
      return problem(new TurnpikeError("internal", "The facilitator failed"));
    }
  }

  async #verifyChannel(channels: ChannelFacilitator, body: unknown, { caller, patient }: Call): Promise<Response> {
    const checked = parsed(channelVerifySchema, body);
    if (checked instanceof TurnpikeError) return problem(checked);
    patient();
    const { paymentPayload, paymentRequirements } = checked;
    const verification = await channels.verify(paymentPayload, paymentRequirements);
    this.#figures.verified(caller, verification);
    const { kind } = verification;
    const isJudged = kind === "valid" || kind === "refused";
    const json = verificationJson(verification, paymentPayload);
    return Response.json(json, isJudged ? {} : awayAs(kind === "failed" ? kind : "unavailable"));
  }

  async #settleChannel(channels: ChannelFacilitator, body: unknown, { caller, patient }: Call): Promise<Response> {
    const checked = parsed(channelSettleSchema, body);
    if (checked instanceof TurnpikeError) return problem(checked);
    patient();
    const { paymentPayload, paymentRequirements } = checked;
    const settlement = await channels.settle(paymentPayload, paymentRequirements);
    const what = paymentPayload.payload.type;
    this.#figures.settled(caller, settlement, { requirements: paymentRequirements, what });
    const isListed =
      settlement.kind === "settled" && this.#options.resources?.add(caller, paymentPayload, paymentRequirements);
    const json = settlementJson(settlement, paymentPayload, paymentRequirements.network);
    return Response.json(json, isListed === true ? { headers: LISTED } : {});
  }

  /** The figures for the operator. They name no endpoint of a chain. */
  #status(): Response {
    const signers = (this.#options.gas?.() ?? []).map((gas) => ({
      network: networkTitle(gas.network),
      account: gas.account,
      gas: "cause" in gas ? gas.cause : gas.balance,
      state: "cause" in gas ? "unknown" : gas.isLow ? "low" : "ok",
    }));
    const headers = { "cache-control": "no-store" };
    const { resources } = this.#options;
    const listed = resources === undefined ? {} : { resources: resources.shown() };
    return Response.json({ ...this.#figures.toJSON(), signers, ...listed }, { headers });
  }

  async #supported(): Promise<object> {
    const { kinds, isPartial } = await this.#kinds();
    return {
      kinds: kinds.map(({ scheme, network, extra }) => ({ x402Version: 2, scheme, network, ...(extra && { extra }) })),
      ...(isPartial ? { [PARTIAL]: true } : {}),
      ...(this.#options.isSimulated === true ? { [SIMULATED]: true } : {}),
      extensions: [
        FIND_EXTENSION,
        ...(this.#options.resources === undefined ? [] : ["bazaar"]),
        ...new Set(kinds.flatMap(({ sponsoring = [] }) => sponsoring)),
      ],
      signers: this.#options.signers ?? {},
    };
  }

  /** If one chain is unreachable, the others are still listed. */
  async #kinds(): Promise<{ readonly kinds: readonly Kind[]; readonly isPartial: boolean }> {
    try {
      return { kinds: await this.#facilitator.supported(), isPartial: false };
    } catch (error) {
      if (!(error instanceof UnsupportedError) || error.kinds.length === 0) throw error;
      return { kinds: error.kinds, isPartial: true };
    }
  }
}

function isJson(request: Request): boolean {
  return /^application\/json(?:[ \t]*;|$)/i.test(request.headers.get("content-type") ?? "");
}

async function readJson(request: Request): Promise<{ readonly json: unknown } | TurnpikeError> {
  const text = await readBody(request);
  if (text instanceof TurnpikeError) return text;
  try {
    return { json: JSON.parse(text) };
  } catch {
    return new TurnpikeError("invalid-parameters", "The body is not JSON");
  }
}

function parsed<T>(schema: z.ZodType<T>, json: unknown): T | TurnpikeError {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const [first] = result.error.issues;
  const where = first?.path.map(String).join(".").slice(0, 100) ?? "";
  return new TurnpikeError(
    "invalid-parameters",
    `The body is not a payment of version 2 with its requirements: ${where}`,
  );
}

async function readBody(request: Request): Promise<string | TurnpikeError> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  if (reader === undefined) return "";
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    void reader.cancel().catch(() => {});
  }, BODY_MS);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isLate) return new TurnpikeError("request-timeout", "The body did not arrive in time");
      if (done) return Buffer.concat(chunks).toString("utf8");
      size += value.byteLength;
      if (size > MAX_REQUEST_BYTES) {
        void reader.cancel().catch(() => {});
        return new TurnpikeError("body-too-large", `The body has more than ${MAX_REQUEST_BYTES} bytes`);
      }
      chunks.push(value);
    }
  } catch {
    return new TurnpikeError("bad-request", "The body ended early");
  } finally {
    clearTimeout(deadline);
  }
}

function verified(verification: Verification, payment: PaymentPayload): Response {
  if (verification.kind === "valid") return Response.json({ isValid: true, payer: verification.payer });
  if (verification.kind === "refused") {
    return Response.json({ isValid: false, invalidReason: verification.reason, payer: payerIn(payment) });
  }
  const response = { isValid: false, invalidReason: "unexpected_verify_error" };
  return Response.json(response, awayAs(verification.kind));
}

/** The status of a payment that was not judged. */
function awayAs(kind: "unavailable" | "failed"): ResponseInit {
  return kind === "unavailable" ? { status: 503, headers: { "retry-after": RETRY_S } } : { status: 502 };
}

function settled(
  settlement: Settlement,
  { network, amount }: PaymentRequirements,
  headers: Readonly<Record<string, string>>,
): Response {
  if (settlement.kind === "settled") {
    const { transaction, payer } = settlement;
    return Response.json({ success: true, transaction, network, payer, amount }, { headers });
  }
  if (settlement.kind === "refused") {
    const { reason } = settlement;
    const response = { success: false, errorReason: reason, transaction: "", network, extra: { definite: true } };
    return Response.json(response);
  }
  const { transaction, isUnsent } = settlement;
  const extra = isUnsent === true ? { extra: { unsent: true } } : {};
  return Response.json({ success: false, errorReason: "settlement_pending", transaction, network, ...extra });
}

function found(outcome: Outcome): object {
  if (outcome.kind !== "settled") return { outcome: outcome.kind };
  return { outcome: "settled", transaction: outcome.transaction, payer: outcome.payer };
}

function problem(error: TurnpikeError, headers: Record<string, string> = {}): Response {
  const body = toProblem(error);
  return Response.json(body, {
    status: body.status,
    headers: { ...headers, "content-type": "application/problem+json" },
  });
}

function unauthorized(): Response {
  const body = { type: "about:blank", title: "Unauthorized", status: 401 };
  return Response.json(body, {
    status: 401,
    headers: { "www-authenticate": "Bearer", "content-type": "application/problem+json" },
  });
}

function busy(): Response {
  return problem(new TurnpikeError("overloaded", "Too many calls are under way"), { "retry-after": RETRY_S });
}
