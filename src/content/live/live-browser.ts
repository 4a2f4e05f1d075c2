import { type Cell } from "../browser/cell/cell.ts";
import { type CdpFields } from "../browser/program/cdp.ts";
import { Relay, type RelayClient } from "./relay.ts";
import { Viewers } from "./view/viewers.ts";

/** Payments by which a browser can run longer. A further one is refused. @bound */
const MAX_PAYMENTS = 10_000;

export interface LiveOptions {
  readonly id: string;
  readonly tokenHash: string;
  readonly viewHash: string;
  readonly controlHash: string;
  readonly ttlMs: number;
  /** Milliseconds without a client after which it ends. */
  readonly idleMs: number;
  /** Unix milliseconds, for the times that are shown. */
  readonly now: () => number;
  /** Monotonic milliseconds: a step of the other clock takes none of the paid time. */
  readonly clock: () => number;
}

/** A browser that was sold for some minutes. One client at a time controls it. */
export class LiveBrowser {
  readonly id: string;
  readonly tokenHash: string;
  readonly viewHash: string;
  readonly controlHash: string;
  readonly createdAt: number;
  readonly viewers: Viewers;
  readonly #options: LiveOptions;
  readonly #cell: Cell;
  #expiresAt: number;
  #endsAt: number;
  #expiry: ReturnType<typeof setTimeout>;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #relay: Relay | undefined;
  #client: RelayClient | undefined;
  #isTaken = false;
  /** The payments by which it runs. */
  readonly #payments = new Set<string>();

  constructor(cell: Cell, options: LiveOptions) {
    this.id = options.id;
    this.tokenHash = options.tokenHash;
    this.viewHash = options.viewHash;
    this.controlHash = options.controlHash;
    this.viewers = new Viewers(cell.cdp);
    this.#cell = cell;
    this.#options = options;
    this.createdAt = options.now();
    this.#expiresAt = this.createdAt + options.ttlMs;
    this.#endsAt = options.clock() + options.ttlMs;
    this.#expiry = this.#endAfter(options.ttlMs);
    this.#idle = this.#endAfter(options.idleMs);
    cell.processes.enter();
    void cell.exited.then(() => this.#over());
  }

  get expiresAt(): number {
    return this.#expiresAt;
  }

  /** Milliseconds of its paid time that are left. */
  get leftMs(): number {
    return this.#endsAt - this.#options.clock();
  }

  get isConnected(): boolean {
    return this.#isTaken;
  }

  /** Settles when it has ended, and nothing of it is left. */
  get ended(): Promise<void> {
    return this.#cell.exited;
  }

  /** Lets it run longer. `payment` is empty if no payment is known. False: it has had too many payments. */
  extend(ms: number, payment: string): boolean {
    if (this.#payments.size >= MAX_PAYMENTS) return false;
    this.paidBy(payment);
    this.#expiresAt += ms;
    this.#endsAt += ms;
    clearTimeout(this.#expiry);
    this.#expiry = this.#endAfter(this.leftMs);
    return true;
  }

  /** Remembers a payment for its time. */
  paidBy(payment: string): void {
    if (payment !== "") this.#payments.add(payment);
  }

  /** True if it runs by this payment already. */
  isPaidBy(payment: string): boolean {
    return this.#payments.has(payment);
  }

  end(): void {
    this.#cell.kill();
  }

  /** Takes it for a client. False if another client has it. */
  take(): boolean {
    if (this.#isTaken) return false;
    this.#isTaken = true;
    clearTimeout(this.#idle);
    return true;
  }

  /** Begins the client's session. Fails if the browser has ended. */
  async connect(client: RelayClient): Promise<Relay> {
    this.#client = client;
    const relay = await Relay.open(this.#cell.cdp, client, (target) => this.viewers.use(target));
    this.#relay = relay;
    return relay;
  }

  leave(): void {
    this.#relay?.close();
    this.#relay = undefined;
    this.#client = undefined;
    this.#isTaken = false;
    this.resume();
    clearTimeout(this.#idle);
    this.#idle = this.#endAfter(this.#options.idleMs);
  }

  /** Stops reading from the browser while its client does not read. */
  pause(): void {
    this.#cell.wire.pause();
  }

  resume(): void {
    this.#cell.wire.resume();
  }

  /** Takes an event of the browser. */
  observe(method: string, params: CdpFields, sessionId: string): void {
    this.#relay?.observe(method, params, sessionId);
  }

  #endAfter(ms: number): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => this.end(), ms);
    timer.unref();
    return timer;
  }

  #over(): void {
    clearTimeout(this.#expiry);
    clearTimeout(this.#idle);
    this.#cell.processes.leave();
    this.#client?.closed();
    this.viewers.end();
  }
}
