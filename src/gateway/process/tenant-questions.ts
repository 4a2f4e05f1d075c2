import { TurnpikeError } from "../../lib/errors.ts";
import { type Tenants } from "../tenants/tenants.ts";

/** Milliseconds that a worker has for its answer. @bound */
const ANSWER_MS = 5000;
/** Questions to one worker that are not answered. */
const MAX_QUESTIONS = 64;

/** A warm tenant of one worker. */
export interface WorkerTenant {
  readonly key: string;
  readonly path: string;
  readonly lastUsedMs: number;
}

/** Which tenants are warm, or forget the one of `drop`. Every question is answered once. */
export interface TenantQuestion {
  readonly kind: "tenants";
  readonly id: number;
  readonly drop?: string;
}

export interface TenantAnswer {
  readonly kind: "tenants";
  readonly id: number;
  /** Empty where one was to be dropped. */
  readonly tenants: readonly WorkerTenant[];
  readonly dropped: boolean;
}

const NOTHING: Omit<TenantAnswer, "kind" | "id"> = { tenants: [], dropped: false };

/** What a worker answers; one that is not up yet has no tenants. */
export function answerTenants(
  { id, drop }: TenantQuestion,
  own: Pick<Tenants, "list" | "drop"> | undefined,
): TenantAnswer {
  const answer = { kind: "tenants", id, ...NOTHING } as const;
  if (own === undefined) return answer;
  if (drop !== undefined) return { ...answer, dropped: own.drop(drop) };
  return { ...answer, tenants: own.list().map(({ key, path, lastUsedMs }) => ({ key, path, lastUsedMs })) };
}

/** Asks one worker for its tenants. */
export class TenantQuestions {
  /** False: the worker is gone. */
  readonly #send: (question: TenantQuestion) => boolean;
  readonly #answerMs: number;
  readonly #waiting = new Map<number, (answer: Omit<TenantAnswer, "kind" | "id">) => void>();
  #lastId = 0;

  constructor(send: (question: TenantQuestion) => boolean, answerMs = ANSWER_MS) {
    this.#send = send;
    this.#answerMs = answerMs;
  }

  /** A worker that ends meanwhile has no tenants; one that gives no answer rejects with `overloaded`. */
  async ask(drop?: string): Promise<Omit<TenantAnswer, "kind" | "id">> {
    if (this.#waiting.size >= MAX_QUESTIONS) throw tooBusy("has too much to answer");
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Omit<TenantAnswer, "kind" | "id">>();
    this.#waiting.set(id, resolve);
    const timer = setTimeout(() => reject(tooBusy(`did not respond within ${this.#answerMs} ms`)), this.#answerMs);
    if (!this.#send({ kind: "tenants", id, ...(drop === undefined ? {} : { drop }) })) resolve(NOTHING);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  heard({ id, ...answer }: TenantAnswer): void {
    this.#waiting.get(id)?.(answer);
  }

  /** The worker has ended. */
  close(): void {
    for (const resolve of this.#waiting.values()) resolve(NOTHING);
  }
}

function tooBusy(what: string): TurnpikeError {
  return new TurnpikeError("overloaded", `Cannot ask all workers for their tenants: one ${what}. Try again`);
}
