import { pause } from "../../lib/time/pause.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { type Job } from "../../store/jobs/job-store.ts";
import { isEnd, type JobEvent } from "./job-events.ts";

/** Clients that watch jobs in one service at the same time: in all, and of one job. Further ones are rejected. */
const MAX_WATCHERS = 1_000;
const MAX_WATCHERS_OF_JOB = 100;
/** Milliseconds between two looks at a job that is watched. @bound */
const LOOK_MS = 500;
/** Milliseconds without an event after which a watcher hears that its job still runs. @bound */
const HEARTBEAT_MS = 15_000;
/** Results that are read together. */
const RESULTS_AT_ONCE = 16;

/** The parts of `Jobs` that a feed needs. */
export interface EventSource {
  again(job: Job): Promise<Job | undefined>;
  events(job: Job, after: number, count: number): Promise<readonly JobEvent[]>;
}

/** A job that is watched. All its watchers share one look at the store, and those that keep up one read of new results. */
class Feed {
  readonly #source: EventSource;
  readonly #gone = new AbortController();
  job: Job;
  watchers = 0;
  changed = Promise.withResolvers<void>();
  isLost = false;
  #read: { readonly after: number; readonly job: Job; readonly events: Promise<readonly JobEvent[]> } | undefined;

  constructor(source: EventSource, job: Job) {
    this.#source = source;
    this.job = job;
    void this.#look();
  }

  read(after: number): Promise<readonly JobEvent[]> {
    if (this.#read?.after === after && this.#read.job === this.job) return this.#read.events;
    const events = this.#source.events(this.job, after, RESULTS_AT_ONCE);
    const read = { after, job: this.job, events };
    this.#read = read;
    // The next watcher asks again.
    events.catch(() => {
      if (this.#read === read) this.#read = undefined;
    });
    return events;
  }

  close(): void {
    this.#gone.abort();
    this.changed.resolve();
  }

  async #look(): Promise<void> {
    const { signal } = this.#gone;
    for (;;) {
      await pause(LOOK_MS, signal);
      if (signal.aborted) return;
      // While the store fails, there is nothing to tell.
      const job = await this.#source.again(this.job).catch(() => this.job);
      this.isLost = job === undefined;
      if (job !== undefined && !hasChanged(this.job, job)) continue;
      this.job = job ?? this.job;
      this.changed.resolve();
      this.changed = Promise.withResolvers();
    }
  }
}

function hasChanged(a: Job, b: Job): boolean {
  return a.results !== b.results || a.state !== b.state || a.payment !== b.payment || a.paid !== b.paid;
}

/** The jobs that clients of this service watch. */
export class JobFeeds {
  readonly #source: EventSource;
  readonly #feeds = new Map<string, Feed>();
  readonly #closing = new AbortController();
  #watchers = 0;

  constructor(source: EventSource) {
    this.#source = source;
  }

  /**
   * The events of a job with numbers above `after`, in pieces, up to the job's end. An empty piece is a keep-alive. If the
   * service closes or the job is removed, no event of the end comes. Throws `overloaded` if too many clients watch.
   */
  watch(job: Job, after: number, signal: AbortSignal): AsyncGenerator<readonly JobEvent[]> {
    const known = this.#feeds.get(job.id);
    if (this.#watchers >= MAX_WATCHERS || (known?.watchers ?? 0) >= MAX_WATCHERS_OF_JOB) {
      throw new TurnpikeError("overloaded", "Cannot watch the job: too many clients watch already");
    }
    const feed = this.#feeds.getOrInsertComputed(job.id, () => new Feed(this.#source, job));
    feed.watchers += 1;
    this.#watchers += 1;
    const left = AbortSignal.any([signal, this.#closing.signal]);
    let isOver = false;
    const leave = (): void => {
      if (isOver) return;
      isOver = true;
      this.#watchers -= 1;
      feed.watchers -= 1;
      if (feed.watchers > 0) return;
      feed.close();
      this.#feeds.delete(job.id);
    };
    // A generator that was never begun runs no `finally`.
    left.addEventListener("abort", leave, { once: true });
    if (left.aborted) leave();
    return follow(feed, after, { left, leave });
  }

  close(): void {
    this.#closing.abort();
  }
}

async function* follow(
  feed: Feed,
  from: number,
  { left, leave }: { readonly left: AbortSignal; readonly leave: () => void },
): AsyncGenerator<readonly JobEvent[]> {
  let after = from;
  try {
    while (!left.aborted && !feed.isLost) {
      const changed = feed.changed.promise;
      const events = await feed.read(after);
      const last = events.at(-1);
      if (last === undefined) {
        const isQuiet = await quiet(changed, left);
        if (isQuiet) yield [];
        continue;
      }
      yield events;
      if (isEnd(last)) return;
      after = last.number;
    }
  } finally {
    leave();
  }
}

/** Waits for a change. True if nothing changed for a while. */
async function quiet(changed: Promise<void>, left: AbortSignal): Promise<boolean> {
  const nap = new AbortController();
  const signal = AbortSignal.any([left, nap.signal]);
  const isQuiet = await Promise.race([changed.then(() => false), pause(HEARTBEAT_MS, signal).then(() => true)]);
  nap.abort();
  return isQuiet && !left.aborted;
}
