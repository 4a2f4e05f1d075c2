import { messageOf } from "../../lib/caught.ts";
import { type LearnedTemplate, type TemplateStore } from "../../store/template-store.ts";

/** Milliseconds between two exchanges with the database. */
const EXCHANGE_MS = 60_000;
/** Templates that wait for the next exchange. Others are not shared. @bound */
const MAX_WAITING = 1_000;
const DIGEST = /^[\w-]{1,64}$/;
/** A template's count of equal pages in sequence. Larger counts are read as this one. */
const MAX_EQUAL = 1_000_000;

/**
 * Shares what the content service learns of templates with the fleet. The service reads pages of strangers, so it gets
 * no access to the database of the payments: the process that started it checks and passes on what it learns.
 */
export class SharedTemplates {
  readonly #store: TemplateStore;
  readonly #log: (message: string) => void;
  readonly #waiting = new Map<string, LearnedTemplate>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #failed = false;

  /** `log` is called at the first of several failures. */
  constructor(store: TemplateStore, log: (message: string) => void) {
    this.#store = store;
    this.#log = log;
  }

  /** Exchanges templates now and every minute. `learn` gets those of other services. */
  start(learn: (templates: readonly LearnedTemplate[]) => void): void {
    void this.exchange(learn);
    this.#timer = setInterval(() => void this.exchange(learn), EXCHANGE_MS);
  }

  /** Adds a template from the content service, unless it is not valid. */
  add({ key, changes, equal, page }: LearnedTemplate): void {
    const isValid =
      DIGEST.test(key) && DIGEST.test(page) && typeof changes === "boolean" && Number.isInteger(equal) && equal >= 0;
    if (!isValid || (this.#waiting.size >= MAX_WAITING && !this.#waiting.has(key))) return;
    this.#waiting.set(key, { key, changes, equal: Math.min(equal, MAX_EQUAL), page, at: 0 });
  }

  /** Stores the added templates, and passes on the newer ones of the store. Never rejects. @internal */
  async exchange(learn: (templates: readonly LearnedTemplate[]) => void): Promise<void> {
    const added = [...this.#waiting.values()];
    this.#waiting.clear();
    try {
      const newer = await this.#store.exchange(added);
      this.#failed = false;
      if (newer.length > 0) learn(newer);
    } catch (error) {
      if (!this.#failed) this.#log(`cannot share what was learned of page templates: ${messageOf(error)}`);
      this.#failed = true;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#store.close();
  }
}
