import { type TurnpikeError } from "../../lib/errors.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { GatheredBody } from "../policy/gathered-body.ts";
import { type FilterPhase } from "../telemetry/filter-metrics.ts";
import * as errors from "./errors.ts";
import { CONTINUE, type Filter, type FilterDecision } from "./runtime/filter.ts";
import { InstancePool, type NoInstance } from "./instance-pool.ts";
import { type FilterModule } from "./module/module-cache.ts";
import { type RequestDecision, type RequestOutcome } from "./own-abi/outcome.ts";
import { OwnInstance } from "./own-abi/own-instance.ts";
import { type OwnExport } from "./module/own-signatures.ts";
import { BODY_VIEW_BYTES } from "./own-abi/views.ts";
import { type OwnNeeds, ownNeeds } from "./own-needs.ts";
import { type ParkEnd, ParkedRequest, roomForBody } from "./parked-request.ts";
import { PeekedBody } from "./peeked-body.ts";
import { reject } from "./reject.ts";
import { type BodyView, ExchangeView, unseenBody } from "./request-view.ts";
import { ResponseHook } from "./response-hook.ts";
import { type FilterCounts, type FilterRuntime, type FilterSettings } from "./runtime/runtime.ts";
import { StagedEdit } from "./staged.ts";
import { Alarm, type TimerWheel } from "../../lib/time/timer-wheel.ts";

/**
 * Instances beyond `instances` that one filter can have in one worker for requests that wait for their response.
 * `on_response` can use the state of `on_request`, so each such request has its own instance.
 */
const MAX_RESPONSE_INSTANCES = 256;
/** Milliseconds for which the gateway does not read a client's body before it responds that the filter is busy. */
const BUSY_PAUSE_MS = 50;

const RESPONDED: FilterDecision = { kind: "responded" };

interface Decided {
  readonly outcome: RequestDecision;
  /** Milliseconds that the invocation took. */
  readonly ms: number;
  readonly phase: OwnExport;
}

interface Invoked {
  readonly instance: OwnInstance;
  /** The start, by the runtime's clock. */
  readonly began: number;
  readonly trace: Exchange["trace"];
}

/** The command and the body of a request that must be parked. */
interface Park {
  readonly command: Uint8Array;
  readonly body: BodyView;
}

/**
 * A filter for the Turnpike ABI in one worker. An instance belongs to one request from `on_request` to `on_response`, so that
 * the state in its memory belongs to this request too.
 */
export class OwnFilter implements Filter {
  readonly name: string;
  readonly #settings: FilterSettings;
  readonly #runtime: FilterRuntime;
  readonly #counts: FilterCounts;
  readonly #needs: OwnNeeds;
  readonly #pool: InstancePool;
  #parked = 0;

  /** Creates the first instance. Throws an Error with the reason if the module does not start. */
  constructor(module: FilterModule, settings: FilterSettings, runtime: FilterRuntime) {
    const { name, route, instances, fuel } = settings;
    this.name = name;
    this.#settings = settings;
    this.#runtime = runtime;
    this.#counts = runtime.metrics(name, route);
    this.#needs = ownNeeds(module.facts);
    const log = (line: string): void => runtime.log(name, line);
    this.#pool = new InstancePool({
      make: () => new OwnInstance(module, { fuel, log }),
      kept: instances,
      limit: instances + (this.#needs.hasResponseHook ? MAX_RESPONSE_INSTANCES : 0),
      wheel: runtime.wheel,
      clock: runtime.clock,
      instances: runtime.instances,
      gauges: runtime.gauges,
      onFailure: log,
    });
  }

  get readsCalls(): boolean {
    return this.#needs.requestBytes || this.#needs.requestLength;
  }

  get instances(): { readonly all: number; readonly pinned: number } {
    const { all, pinned } = this.#pool;
    return { all, pinned };
  }

  request(exchange: Exchange): FilterDecision | Promise<FilterDecision> {
    const { bodyLength } = exchange.head;
    const { requestBytes, requestLength } = this.#needs;
    if (bodyLength !== 0 && (requestBytes || (requestLength && bodyLength === -1))) return this.#lookAtBody(exchange);
    return this.#run(exchange, unseenBody(bodyLength));
  }

  close(): void {
    this.#pool.close();
  }

  #lookAtBody(exchange: Exchange): FilterDecision | Promise<FilterDecision> {
    const { bodyLength } = exchange.head;
    const bounds = { memory: this.#runtime.bodies, tooLong: errors.TOO_LONG, noRoom: errors.NO_ROOM };
    if (bodyLength > BODY_VIEW_BYTES) {
      const body = new PeekedBody(exchange, { ...bounds, maxBytes: BODY_VIEW_BYTES });
      const go = (): FilterDecision | Promise<FilterDecision> =>
        this.#run(exchange, { length: bodyLength, bytes: body.first() });
      return this.#after(exchange, body.peek(), go);
    }
    const body = new GatheredBody(exchange, { ...bounds, maxBytes: this.#settings.maxBodyBytes });
    return this.#after(exchange, body.gather(), () => {
      const { bytes } = body;
      body.replace();
      // The gathered body is released once it is forwarded, and the view can be needed for longer.
      const view = bytes.length > BODY_VIEW_BYTES ? bytes.slice(0, BODY_VIEW_BYTES) : bytes;
      return this.#run(exchange, { length: bytes.length, bytes: view });
    });
  }

  /** Continues once the part of the body that the filter reads is there. */
  #after(
    exchange: Exchange,
    error: TurnpikeError | undefined | Promise<TurnpikeError | undefined>,
    go: () => FilterDecision | Promise<FilterDecision>,
  ): FilterDecision | Promise<FilterDecision> {
    if (error instanceof Promise) return error.then((late) => this.#after(exchange, late, go));
    if (exchange.gone) return RESPONDED;
    return error === undefined ? go() : this.#refuse(exchange, error);
  }

  #run(exchange: Exchange, body: BodyView): FilterDecision | Promise<FilterDecision> {
    const instance = this.#pool.take();
    if (typeof instance === "string") return this.#noInstance(exchange, instance);
    const began = this.#runtime.clock();
    const outcome = instance.onRequest(new ExchangeView(exchange, this.#settings, body));
    const ms = this.#count("request", outcome, { instance, began, trace: exchange.trace });
    if (outcome.kind === "park") return this.#park(exchange, instance, { command: outcome.command, body });
    return this.#decide(exchange, instance, { outcome, ms, phase: "on_request" });
  }

  #count(phase: FilterPhase, outcome: RequestOutcome, { instance, began, trace }: Invoked): number {
    const ms = this.#runtime.clock() - began;
    const word = outcome.kind === "failed" ? outcome.cause : outcome.kind;
    const fuel = this.#settings.fuel - instance.fuelLeft;
    this.#counts.invoked(phase, word, { fuel, microseconds: ms * 1000, trace });
    return ms;
  }

  #decide(exchange: Exchange, instance: OwnInstance, { outcome, ms, phase }: Decided): FilterDecision {
    if (outcome.kind === "failed") {
      this.#pool.give(instance, ms);
      return this.#fail(exchange, `${phase} ${outcome.reason}`);
    }
    if (outcome.kind === "reject") {
      this.#pool.give(instance);
      reject(exchange, outcome.reply, { fields: outcome.fields, respondWithError: this.#runtime.respondWithError });
      return RESPONDED;
    }
    this.#letPass(exchange, instance, outcome.kind === "modify" ? outcome.fields : "");
    return outcome.upstream === undefined ? CONTINUE : { kind: "continue", upstream: outcome.upstream };
  }

  #letPass(exchange: Exchange, instance: OwnInstance, staged: Fields): void {
    if (this.#needs.hasResponseHook) {
      exchange.response = new ResponseHook(exchange, instance, {
        staged,
        settings: this.#settings,
        runtime: this.#runtime,
        counts: this.#counts,
        needs: this.#needs,
        giveBack: (used, failureMs) => this.#pool.give(used, failureMs),
      });
      return;
    }
    if (staged !== "") exchange.response = new StagedEdit(exchange.response, staged);
    this.#pool.give(instance);
  }

  #park(exchange: Exchange, instance: OwnInstance, { command, body }: Park): FilterDecision | Promise<FilterDecision> {
    const { head } = exchange;
    const { parks, control } = this.#runtime;
    const isHeld = exchange.body instanceof GatheredBody;
    const room = roomForBody(exchange);
    if (room < body.length) {
      this.#pool.give(instance);
      return this.#busy(exchange, errors.TOO_LARGE_TO_PARK);
    }
    const link = control();
    if (link === undefined) {
      this.#pool.give(instance);
      this.#counts.notInvoked("resume", "control", exchange.trace);
      return this.#fail(exchange, "parks, and wasm_control_socket is not set");
    }
    if (this.#parked >= this.#settings.instances || !parks.take()) {
      this.#pool.give(instance);
      return this.#busy(exchange, errors.BUSY);
    }
    // The messages of a gRPC call can depend on those of the server. For such a call the gateway notices in any case if
    // the client leaves.
    const isRead = !isHeld && head.bodyLength !== 0 && !head.isGrpc;
    const parked = new ParkedRequest(exchange, this.#runtime, isRead ? room : -1);
    this.#parked++;
    parked.begin(link, command);
    return this.#resume(exchange, instance, parked);
  }

  async #resume(exchange: Exchange, instance: OwnInstance, parked: ParkedRequest): Promise<FilterDecision> {
    const end = await parked.end;
    this.#parked--;
    if (end.kind !== "reply" || exchange.gone) {
      this.#pool.give(instance);
      return this.#notResumed(exchange, end);
    }
    const began = this.#runtime.clock();
    const outcome = instance.onResume(end.bytes);
    const ms = this.#count("resume", outcome, { instance, began, trace: exchange.trace });
    const decision = this.#decide(exchange, instance, { outcome, ms, phase: "on_resume" });
    if (decision.kind === "responded") return decision;
    // If the filter does not see the response, its instance is free by now. The client can be slow.
    const error = await parked.takeBody();
    if (error !== undefined) return this.#refuse(exchange, error);
    return exchange.gone ? RESPONDED : decision;
  }

  #notResumed(exchange: Exchange, end: ParkEnd): FilterDecision | Promise<FilterDecision> {
    if (exchange.gone || end.kind === "gone" || end.kind === "reply") {
      this.#counts.notInvoked("resume", "gone", exchange.trace);
      return RESPONDED;
    }
    if (end.kind === "body") return this.#refuse(exchange, end.error);
    if (end.kind === "full") return this.#busy(exchange, errors.BUSY);
    this.#counts.notInvoked("resume", end.kind, exchange.trace);
    return this.#fail(exchange, end.reason);
  }

  #noInstance(exchange: Exchange, why: NoInstance): Promise<FilterDecision> {
    this.#counts.notInvoked("request", why, exchange.trace);
    return this.#afterPause(exchange, why === "busy" ? errors.BUSY : errors.UNAVAILABLE);
  }

  #busy(exchange: Exchange, error: TurnpikeError): Promise<FilterDecision> {
    this.#counts.notInvoked("request", "busy", exchange.trace);
    return this.#afterPause(exchange, error);
  }

  async #afterPause(exchange: Exchange, error: TurnpikeError): Promise<FilterDecision> {
    exchange.body.pause();
    await pause(this.#runtime.wheel, BUSY_PAUSE_MS);
    if (exchange.gone) return RESPONDED;
    exchange.body.resume();
    return this.#refuse(exchange, error);
  }

  #fail(exchange: Exchange, reason: string): FilterDecision {
    this.#runtime.log(this.name, reason);
    return this.#refuse(exchange, errors.FAILED);
  }

  #refuse(exchange: Exchange, error: TurnpikeError): FilterDecision {
    if (!exchange.gone) this.#runtime.respondWithError(exchange, error);
    return RESPONDED;
  }
}

/** Resolves after `ms` milliseconds. */
function pause(wheel: TimerWheel, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  wheel.set(new Alarm(resolve), ms);
  return promise;
}
