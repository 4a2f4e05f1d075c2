import { TurnpikeError } from "../../../lib/errors.ts";
import { type WarmTenant, type WarmTenants } from "../../tenants/warm-tenants.ts";

/** Milliseconds that a worker has for its reply; then the question fails with `overloaded`. @bound */
const RESPONSE_MS = 5000;
/** Open questions to one worker; one more fails with `overloaded`. */
const MAX_QUESTIONS = 64;

/** Asks which tenants are warm, or tells the worker to forget the tenant `drop`. Each question gets one reply. */
export interface TenantQuestion {
  readonly kind: "tenants";
  readonly id: number;
  readonly drop?: string;
}

/** A worker's reply to a question about its tenants. `id` is the question's. */
export interface TenantReply {
  readonly kind: "tenants";
  readonly id: number;
  /** Empty in the reply to `drop`. */
  readonly tenants: readonly WarmTenant[];
  readonly dropped: boolean;
}

const NOTHING: Omit<TenantReply, "kind" | "id"> = { tenants: [], dropped: false };

/** Makes a worker's reply. A worker that does not serve yet has no tenants. */
export function serveTenants(
  { id, drop }: TenantQuestion,
  own: Pick<WarmTenants, "list" | "drop"> | undefined,
): TenantReply {
  const response = { kind: "tenants", id, ...NOTHING } as const;
  if (own === undefined) return response;
  if (drop !== undefined) return { ...response, dropped: own.drop(drop) };
  return { ...response, tenants: own.list().map(({ key, path, lastUsedMs }) => ({ key, path, lastUsedMs })) };
}

/** Asks one worker for its tenants. */
export class TenantQuestions {
  /** False: the worker is gone. */
  readonly #send: (question: TenantQuestion) => boolean;
  readonly #responseMs: number;
  readonly #waiting = new Map<number, (response: Omit<TenantReply, "kind" | "id">) => void>();
  #lastId = 0;

  constructor(send: (question: TenantQuestion) => boolean, responseMs = RESPONSE_MS) {
    this.#send = send;
    this.#responseMs = responseMs;
  }

  /** Asks the worker. If it ends meanwhile, it has no tenants. Rejects with `overloaded` without a reply in time. */
  async ask(drop?: string): Promise<Omit<TenantReply, "kind" | "id">> {
    if (this.#waiting.size >= MAX_QUESTIONS) throw tooBusy("has too many waiting requests");
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Omit<TenantReply, "kind" | "id">>();
    this.#waiting.set(id, resolve);
    const timer = setTimeout(() => reject(tooBusy(`did not respond within ${this.#responseMs} ms`)), this.#responseMs);
    if (!this.#send({ kind: "tenants", id, ...(drop === undefined ? {} : { drop }) })) resolve(NOTHING);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  heard({ id, ...response }: TenantReply): void {
    this.#waiting.get(id)?.(response);
  }

  /** The worker has ended. */
  close(): void {
    for (const resolve of this.#waiting.values()) resolve(NOTHING);
  }
}

function tooBusy(what: string): TurnpikeError {
  return new TurnpikeError("overloaded", `Cannot list the tenants of all workers: one worker ${what}; try again`);
}
