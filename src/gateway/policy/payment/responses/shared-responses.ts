import { codeOf, messageOf } from "../../../../lib/caught.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { type KeptResponses } from "../../../../store/kept-responses.ts";
import { type StoredResponse } from "./response-disk.ts";
import { ResponseFile } from "./response-file.ts";
import { type ResponseRecord, readWhole, wholeOf } from "./response-format.ts";

/** Milliseconds between two sweeps. @bound */
const SWEEP_MS = 5000;
/** Responses that one sweep removes. @bound */
const SWEEP_RESPONSES = 1000;
/** Bytes of a body that is read from its file to be shared. A longer one is kept only by this machine. */
const MAX_SHARED_BYTES = 7 * 1024 * 1024;
/** Bytes of bodies that are read from their files at a time. Beyond them a response is not shared. */
const MAX_READING_BYTES = 32 * 1024 * 1024;

export interface ResponseBody {
  readonly body: readonly Uint8Array[] | ResponseFile;
  /** Bytes of body. */
  readonly size: number;
}

/** The table of shared responses, a clock and a log. */
export interface SharedResponsesDeps {
  readonly store: KeptResponses;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: (message: string) => void;
}

/** Paid responses in the database of the ledger, where every gateway finds those of the others. */
export class SharedResponses {
  readonly #deps: SharedResponsesDeps;
  #timer: NodeJS.Timeout | undefined;
  #readingBytes = 0;
  #lastError = "";
  #isClosed = false;

  constructor(deps: SharedResponsesDeps) {
    this.#deps = deps;
    this.#plan();
  }

  /** Resolves, never rejects, once every gateway finds the response, or it cannot be kept. */
  async keep(response: ResponseBody, record: ResponseRecord): Promise<void> {
    const { store, now } = this.#deps;
    try {
      const whole = await this.#whole(response, record);
      if (whole !== undefined) await store.keep(record.key, whole, record.until - now());
    } catch (error) {
      this.#report(error);
    }
  }

  /** False also if the database fails. */
  async has(key: string): Promise<boolean> {
    try {
      return await this.#deps.store.has(key);
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  /** The kept response. Rejects with a TurnpikeError if the database fails. The clock of the database has checked its time. */
  async get(key: string): Promise<StoredResponse | undefined> {
    try {
      const whole = await this.#deps.store.find(key);
      const stored = whole === undefined ? undefined : readWhole(whole);
      return stored?.record.key === key ? stored : undefined;
    } catch (error) {
      this.#report(error);
      throw new TurnpikeError("overloaded", "The kept response could not be read. Send the same payment again.");
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #plan(): void {
    this.#timer = setTimeout(() => void this.#sweep(), SWEEP_MS);
  }

  async #sweep(): Promise<void> {
    try {
      await this.#deps.store.sweep(SWEEP_RESPONSES);
      this.#lastError = "";
    } catch (error) {
      this.#report(error);
    }
    if (!this.#isClosed) this.#plan();
  }

  /** Body and record in one piece; undefined if the body is too long to be shared. */
  async #whole({ body, size }: ResponseBody, record: ResponseRecord): Promise<Buffer | undefined> {
    if (!(body instanceof ResponseFile)) return wholeOf(body, record);
    if (size > MAX_SHARED_BYTES || this.#readingBytes + size > MAX_READING_BYTES) return undefined;
    this.#readingBytes += size;
    body.retain();
    try {
      return wholeOf([await body.read(0, size)], record);
    } finally {
      body.release();
      this.#readingBytes -= size;
    }
  }

  /** Reports an error once, until the next sweep that succeeds. */
  #report(error: unknown): void {
    const code = codeOf(error) ?? messageOf(error);
    if (code !== this.#lastError && !this.#isClosed)
      this.#deps.log(`payment: cannot share kept responses with other gateways: ${code}`);
    this.#lastError = code;
  }
}
