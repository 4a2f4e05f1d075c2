import { bearerCheck } from "../../lib/http/authorization.ts";

export interface Caller {
  readonly name: string;
  /** It sends this as `Authorization: Bearer`. */
  readonly token: string;
}

/** Maximum number of calls of one caller. */
export interface CallRate {
  readonly perSecond: number;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
}

/** Verifications that a caller may make at once: those of this many seconds. @bound */
const BURST_S = 2;
/** Like `BURST_S`, of settlements: many verified payments may end at the same time. @bound */
const SETTLE_BURST_S = 20;

interface Bucket {
  tokens: number;
  /** Milliseconds. */
  at: number;
}

/** The callers, and their rates. Each has its own rates of verifications and of settlements. */
export class Callers {
  readonly #callers: readonly { readonly name: string; readonly isIts: (request: Request) => boolean }[];
  readonly #rate: CallRate | undefined;
  readonly #buckets = new Map<string, Bucket>();

  constructor(callers: readonly Caller[], rate: CallRate | undefined) {
    this.#callers = callers.map(({ name, token }) => ({ name, isIts: bearerCheck(token) }));
    this.#rate = rate;
  }

  /** True if callers need a token. */
  get areKnown(): boolean {
    return this.#callers.length > 0;
  }

  /** The caller's name, which is empty if callers need no token. Undefined: the token is missing or wrong. */
  nameOf(request: Request): string | undefined {
    if (!this.areKnown) return "";
    // All are compared, so that the time does not tell which one fits.
    const fitting = this.#callers.filter(({ isIts }) => isIts(request));
    return fitting[0]?.name;
  }

  /** The seconds that a caller must wait before this call; 0 if it is counted and may be made. */
  delayOf(name: string, path: string): number {
    if (this.#rate === undefined || (path !== "/verify" && path !== "/settle")) return 0;
    const { perSecond, now } = this.#rate;
    const most = Math.max(1, perSecond * (path === "/settle" ? SETTLE_BURST_S : BURST_S));
    const time = now();
    const key = `${path} ${name}`;
    const bucket = this.#buckets.getOrInsert(key, { tokens: most, at: time });
    bucket.tokens = Math.min(most, bucket.tokens + ((time - bucket.at) / 1000) * perSecond);
    bucket.at = time;
    const delay = Math.max(0, Math.ceil((1 - bucket.tokens) / perSecond));
    if (delay === 0) bucket.tokens -= 1;
    return delay;
  }
}
