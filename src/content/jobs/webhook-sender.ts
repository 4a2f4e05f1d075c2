import { ClockSteps } from "../../lib/time/clock-steps.ts";
import { pause } from "../../lib/time/pause.ts";
import { messageOf } from "../../lib/caught.ts";
import { VERSION } from "../../lib/process/version.ts";
import { RestingEndpoints } from "../../payments/settlement/webhooks/resting-endpoints.ts";
import { retryDelayMs } from "../../payments/settlement/webhooks/webhook-poster.ts";
import { type TakenHook } from "../../store/jobs/hook-store.ts";
import { type JobStore, LEASE_MS } from "../../store/jobs/job-store.ts";
import { type Log } from "../browser/program/browser-opener.ts";
import { type EgressOptions } from "../egress/guard.ts";
import { WebError, webGet } from "../sites/web-get.ts";
import { isEnd } from "./job-events.ts";
import { type EventSource } from "./job-feeds.ts";
import { type Notice, type PostForm, webhookOf } from "./webhook.ts";

/** Webhooks to which one service sends at the same time: to receivers that accepted the last event, and to the others. @operator */
const SENDS_AT_ONCE = 16;
const FAILING_AT_ONCE = 16;
/** Milliseconds between two looks for events, and for one response of a receiver. @bound */
const LOOK_MS = 1_000;
const POST_MS = 10_000;
/** Milliseconds for which the same event is tried. Afterwards the webhook is given up. @bound */
const GIVE_UP_MS = 86_400_000;
/** Events of a turn. After them, others get theirs. */
const EVENTS_OF_TURN = 64;
/** Bytes of a response, which is not read. */
const MAX_RESPONSE_BYTES = 64 * 1024;

export interface SenderOptions {
  readonly store: JobStore;
  readonly jobs: EventSource;
  readonly egress: EgressOptions;
  readonly postOf: PostForm;
  readonly unixNow: () => number;
  /** Milliseconds of a clock that no one sets. */
  readonly now: () => number;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  readonly log: Log;
}

/**
 * Sends the events of jobs to their webhooks: one after the other in the order of their numbers, each at least once. A
 * receiver that does not respond delays no other one, and no job.
 */
export class WebhookSender {
  readonly #options: SenderOptions;
  readonly #resting = new RestingEndpoints();
  readonly #steps: ClockSteps;
  readonly #closing = new AbortController();
  readonly #turns = { well: new Set<Promise<void>>(), failing: new Set<Promise<void>>() };
  #loop: Promise<void> | undefined;
  #hasFailed = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#steps = new ClockSteps(options.unixNow, options.now);
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Breaks off all requests. Another service sends these events again when the leases have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#loop;
    await this.#ended();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#begin();
        this.#hasFailed = false;
      } catch (error) {
        // The log gets one line for each outage of the store.
        if (!this.#hasFailed)
          this.#options.log("error", `Webhooks wait, because their store fails: ${messageOf(error)}`);
        this.#hasFailed = true;
      }
      await pause(LOOK_MS, signal);
    }
  }

  /** Sends what is due now, and waits for the responses. Rejects if the store fails. */
  async round(): Promise<void> {
    await this.#begin();
    await this.#ended();
  }

  async #ended(): Promise<void> {
    await Promise.all([...this.#turns.well, ...this.#turns.failing]);
  }

  async #begin(): Promise<void> {
    await this.#beginSome(false);
    await this.#beginSome(true);
  }

  async #beginSome(isFailing: boolean): Promise<void> {
    const turns = isFailing ? this.#turns.failing : this.#turns.well;
    const room = (isFailing ? FAILING_AT_ONCE : SENDS_AT_ONCE) - turns.size;
    // SQLite returns all rows if a limit is negative.
    if (room <= 0) return;
    for (const hook of await this.#options.store.hooks.take(room, isFailing)) {
      const turn = this.#turn(hook)
        .catch((error: unknown) => this.#options.log("error", `Cannot send a webhook: ${messageOf(error)}`))
        .finally(() => turns.delete(turn));
      turns.add(turn);
    }
  }

  /** Sends events until there is no further one now, or one is not accepted. */
  async #turn(hook: TakenHook): Promise<void> {
    const { store, jobs } = this.#options;
    let { sent } = hook;
    for (let left = EVENTS_OF_TURN; left > 0; ) {
      const job = await store.find(hook.jobId);
      const webhook = job && webhookOf(job);
      if (job === undefined || webhook === undefined) return this.#over(hook, sent, "");
      const events = await jobs.events(job, sent, left);
      for (const event of events) {
        if (!(await this.#passed(hook, { job, webhook, event }))) return;
        sent = event.number;
        if (isEnd(event)) return this.#over(hook, sent, "");
      }
      if (events.length === 0) break;
      left -= events.length;
    }
    await store.hooks.record(hook, { sent, tries: 0, failure: "", nextMs: LOOK_MS / 2 });
  }

  /** Sends an event, if it is wanted. False if the turn is over. */
  async #passed(hook: TakenHook, what: Notice): Promise<boolean> {
    const { store, unixNow, random } = this.#options;
    const { number, type } = what.event;
    if (what.webhook.events?.includes(type) === false) return true;
    const failure = await this.#post(what);
    if (this.#closing.signal.aborted) return false;
    if (failure === undefined) {
      return store.hooks.record(hook, { sent: number, tries: 0, failure: "", nextMs: LEASE_MS });
    }
    const isFirst = hook.sent !== number - 1 || hook.tries === 0;
    const tries = isFirst ? 0 : hook.tries;
    const isHopeless =
      failure === "status 410" || (!isFirst && unixNow() - hook.failingSince > GIVE_UP_MS && this.#steps.isCalm());
    if (isHopeless) await this.#over(hook, number - 1, failure);
    else {
      const nextMs = retryDelayMs(tries, random());
      await store.hooks.record(hook, { sent: number - 1, tries: tries + 1, failure, nextMs });
    }
    return false;
  }

  async #over(hook: TakenHook, sent: number, failure: string): Promise<void> {
    await this.#options.store.hooks.record(hook, {
      sent,
      tries: failure === "" ? 0 : hook.tries + 1,
      failure,
      nextMs: undefined,
    });
  }

  /** Posts an event. Returns the reason if it was not accepted. */
  async #post({ job, webhook, event }: Notice): Promise<string | undefined> {
    const { egress, postOf, unixNow } = this.#options;
    const url = new URL(webhook.url);
    if (this.#resting.rests(url.origin)) return "its receiver failed just before";
    const { body, headers } = postOf({ job, webhook, event }, unixNow());
    const failure = await webGet({
      url,
      headers: { "user-agent": `Turnpike/${VERSION}`, ...headers },
      json: body,
      maxBytes: MAX_RESPONSE_BYTES,
      // Each try looks the name up again, and its connection goes to a checked address.
      egress,
      redirects: "none",
      wants: () => false,
      signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(POST_MS)]),
    }).then(
      ({ status }) => (status >= 200 && status < 300 ? undefined : `status ${status}`),
      (error: unknown) => (error instanceof WebError ? error.reason : "unreachable"),
    );
    if (failure === undefined) this.#resting.responded(url.origin);
    // Any response shows that the receiver is there.
    else if (!failure.startsWith("status")) this.#resting.failed(url.origin);
    return failure;
  }
}
