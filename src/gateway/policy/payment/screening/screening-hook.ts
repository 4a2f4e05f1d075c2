import { NewestMap } from "../../../../lib/memory/newest-map.ts";
import { readJsonUpTo } from "../../../../lib/http/response-bytes.ts";
import { isObject } from "../../../../lib/is-object.ts";
import { timeoutSignal } from "../../../../lib/time/timeout-signal.ts";
import { type Payment } from "../../../../store/ledger.ts";

/** Results that are kept. The oldest is removed first. @bound */
const MAX_KEPT = 100_000;
/** Calls at the same time; a further payment is not screened and gets 503. @operator */
const MAX_CALLS = 64;
const MAX_RESPONSE_BYTES = 16 * 1024;
/** Characters of a reason that the client sees. */
const MAX_REASON = 200;

/** The address of the service, and how it is asked. */
export interface HookOptions {
  readonly url: string;
  readonly token: string | undefined;
  readonly timeoutMs: number;
  /** Time for which a result is valid. */
  readonly keepMs: number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

/** The decision about a payer. `reason` is for the client. */
export type HookResult =
  | { readonly kind: "allowed" }
  | { readonly kind: "denied"; readonly reason: string }
  | { readonly kind: "unavailable"; readonly cause: string };

interface KeptResult {
  readonly at: number;
  readonly result: Promise<HookResult>;
}

/** Asks an HTTP service about payers. */
export class ScreeningHook {
  readonly #options: HookOptions;
  readonly #kept = new NewestMap<string, KeptResult>(MAX_KEPT);
  #calls = 0;

  constructor(options: HookOptions) {
    this.#options = options;
  }

  /** Does not reject. A payer is asked about once for several payments. */
  of(payment: Payment): Promise<HookResult> {
    const { clock, keepMs } = this.#options;
    const key = `${payment.network} ${payment.from}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && clock() - kept.at < keepMs) return kept.result;
    if (this.#calls >= MAX_CALLS)
      return Promise.resolve({ kind: "unavailable", cause: "too many calls are in progress" });
    const result = this.#ask(payment);
    this.#kept.set(key, { at: clock(), result });
    void this.#forgetFailed(key, result);
    return result;
  }

  async #forgetFailed(key: string, result: Promise<HookResult>): Promise<void> {
    const { kind } = await result;
    if (kind === "unavailable" && this.#kept.get(key)?.result === result) this.#kept.delete(key);
  }

  async #ask({ from, network, token: asset, amount, route }: Payment): Promise<HookResult> {
    const { url, token, timeoutMs } = this.#options;
    const signal = timeoutSignal(timeoutMs);
    this.#calls += 1;
    try {
      const response = await fetch(url, {
        method: "POST",
        redirect: "manual",
        signal,
        decompress: false,
        headers: {
          accept: "application/json",
          "accept-encoding": "identity",
          "content-type": "application/json",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ payer: from, network, asset, amount, route }),
      });
      const json = await readJsonUpTo(response, MAX_RESPONSE_BYTES);
      if (response.status !== 200) return { kind: "unavailable", cause: `its status is ${response.status}` };
      return resultOf(json);
    } catch {
      const cause = signal.aborted ? `no response within ${timeoutMs} ms` : "no connection";
      return { kind: "unavailable", cause };
    } finally {
      this.#calls -= 1;
    }
  }
}

function resultOf(json: unknown): HookResult {
  if (!isObject(json)) return { kind: "unavailable", cause: "its response is not a JSON object" };
  const { allowed, reason } = json;
  if (allowed === true) return { kind: "allowed" };
  if (allowed !== false) return { kind: "unavailable", cause: 'its response has no "allowed"' };
  const text = typeof reason === "string" ? reason.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, " ") : "";
  return { kind: "denied", reason: text.slice(0, MAX_REASON) };
}
