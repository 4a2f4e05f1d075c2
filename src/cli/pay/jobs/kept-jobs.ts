import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { codeOf } from "../../../lib/caught.ts";
import { type FileLock, lockFile } from "../../../lib/files/file-lock.ts";
import { replaceWholeFile } from "../../../lib/files/whole-file.ts";
import { parsedJson } from "../../../lib/parsed-json.ts";
import { statePath } from "../../common/state-folder.ts";
import { UsageError } from "../../common/usage-error.ts";

/** Milliseconds for which a job is kept on this machine. No gateway keeps its results as long. @bound */
const KEPT_MS = 30 * 24 * 3_600_000;

const startedSchema = z.object({
  // It becomes the name of a file.
  id: z.string().regex(/^[\w-]{1,64}$/),
  secret: z.string(),
  status: z.string(),
  results: z.string(),
});

const aboutSchema = z.object({
  version: z.literal(1),
  /** Without a slash at the end. */
  gateway: z.string(),
  /** Such as `crawl of https://example.com/`. */
  what: z.string(),
  /** Unix milliseconds. */
  started_at: z.number(),
  /** The folder or the file with the results. */
  out: z.string().optional(),
});

const keptSchema = aboutSchema.extend({ job: startedSchema });
const orderedSchema = aboutSchema.extend({
  order: z.object({
    id: startedSchema.shape.id,
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  }),
});

/** A job that this user has started, with the secret that gives access to it. */
export type KeptJob = z.output<typeof keptSchema>;

/** A request that pays for a job, and whose response did not come yet. The gateway responds to it again. */
export type OrderedJob = z.output<typeof orderedSchema>;

type New<T> = Omit<T, "version" | "started_at"> & { readonly started_at?: number };

/** The response to a request that starts a job. Throws if it is something else. */
export function startedJobOf(response: unknown): KeptJob["job"] {
  const parsed = startedSchema.safeParse(response);
  if (!parsed.success) throw new Error("Cannot follow the job: the gateway's response does not name it");
  return parsed.data;
}

/** The name of a job, or of its order. */
export function idOf(one: KeptJob | OrderedJob): string {
  return "job" in one ? one.job.id : one.order.id;
}

/** The jobs of this user: a file of mode 0600 for each, in the folder `jobs` of $TURNPIKE_HOME or ~/.turnpike. */
export class KeptJobs {
  readonly #folder = join(statePath(undefined), "jobs");
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Keeps a job that was started now or before, and removes old ones. */
  keep(job: New<KeptJob>): KeptJob {
    const kept: KeptJob = { version: 1, started_at: this.#now(), ...job };
    this.#write(kept);
    for (const old of this.list()) if (old.started_at < this.#now() - KEPT_MS) this.forget(old);
    return kept;
  }

  /** Keeps a request that pays for a job, before it is sent. */
  keepOrder({
    order,
    ...about
  }: New<Omit<OrderedJob, "order"> & { order: Omit<OrderedJob["order"], "id"> }>): OrderedJob {
    // The payment is in it, so that no other order has the same name.
    const id = createHash("sha256").update(JSON.stringify(order)).digest("hex").slice(0, 32);
    const kept: OrderedJob = { version: 1, started_at: this.#now(), ...about, order: { id, ...order } };
    this.#write(kept);
    return kept;
  }

  /** All jobs, the newest first. */
  list(): (KeptJob | OrderedJob)[] {
    const schema = z.union([keptSchema, orderedSchema]);
    return this.#names()
      .flatMap((name) => schema.safeParse(parsedJson(readFileSync(join(this.#folder, name), "utf8"))).data ?? [])
      .toSorted((a, b) => b.started_at - a.started_at);
  }

  /** The job whose id begins with `start`. Throws UsageError if no job or several have such an id. */
  find(start: string): KeptJob | OrderedJob {
    const found = this.list().filter((one) => idOf(one).startsWith(start));
    const [only] = found.filter((one) => idOf(one) === start || found.length === 1);
    if (only !== undefined && start !== "") return only;
    throw new UsageError(`${found.length === 0 ? "No job" : "Several jobs"} with an id that begins with "${start}"`);
  }

  #write(one: KeptJob | OrderedJob): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    replaceWholeFile(this.#file(idOf(one)), `${JSON.stringify(one)}\n`);
  }

  forget(one: KeptJob | OrderedJob): void {
    const id = idOf(one);
    for (const file of [this.#file(id), `${this.#file(id)}.lock`]) rmSync(file, { force: true });
  }

  /** Keeps other processes from writing the results of the job to its files until this process ends. */
  lock({ job: { id } }: KeptJob): FileLock {
    return lockFile(`${this.#file(id)}.lock`);
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => name.endsWith(".json"));
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  }
}
