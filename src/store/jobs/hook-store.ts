/**
 * The webhooks of jobs: how far each one has sent the events of its job. Any number of services send from one store. A
 * taken webhook belongs to its taker for `LEASE_MS` after each record, so that one service at a time sends to a receiver.
 */
export interface HookStore {
  /** Adds the webhook of a job. A second call has no effect. */
  add(jobId: string): Promise<void>;
  /** Takes webhooks that are due and may have something to send: those that failed last, or the others. */
  take(count: number, isFailing: boolean): Promise<readonly TakenHook[]>;
  /** Records the progress of a taken webhook. False if another service has taken it. */
  record(hook: TakenHook, progress: HookProgress): Promise<boolean>;
  /** The progress of the webhook of the job with this number. */
  of(job: number): Promise<HookState | undefined>;
}

export interface HookState {
  /** The number of the last event that needs no further try; -1 before the first. */
  readonly sent: number;
  /** Tries of the next event that have failed, the reason of the last one, and Unix milliseconds of the first one. */
  readonly tries: number;
  readonly failure: string;
  readonly failingSince: number;
  /** Nothing more is sent. */
  readonly isOver: boolean;
}

export interface TakenHook extends HookState {
  readonly jobId: string;
  readonly job: number;
  /** Number of times that it was taken. */
  readonly turn: number;
}

/** The new state of a webhook. */
export interface HookProgress extends Omit<HookState, "isOver" | "failingSince"> {
  /** Milliseconds until it is due again. Undefined: it is over. */
  readonly nextMs: number | undefined;
}
