import { availableParallelism } from "node:os";
import { type SemaphoreFigures } from "../figures/figures.ts";
import { type ExtractionJob, type ExtractionOutcome } from "../extraction/tree/extraction.ts";
import { kindOf } from "../documents/kind.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { ExtractionPool, failed } from "./pool.ts";
import { ProcessHost } from "./process-host.ts";
import { ThreadHost } from "./thread-host.ts";

/**
 * Characters of a page that is parsed, or bytes if it is not decoded yet. @operator No real article is
 * that long.
 */
const MAX_INPUT_LENGTH = 10_000_000;
/** Bytes of a PDF document or another file, whose parts have bounds of their own. @operator */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Milliseconds of one extraction, threads, and waiting pages. @operator Hostile pages can send some libraries into endless loops. @bound */
const DEADLINE_MS = 10_000;
const MAX_WORKERS = 4;
const MAX_QUEUED = 128;
/** Processes that read files, and files that wait. @operator */
const MAX_PROCESSES = 2;
const MAX_QUEUED_FILES = 64;
/** Bytes of the memory of a process that reads files. The kernel refuses it more. */
const MAX_FILE_MEMORY_BYTES = 1024 * 1024 * 1024;
/**
 * Bytes of the process's memory during an extraction: a document of kilobytes can expand to gigabytes.
 * @operator
 */
const MAX_PROCESS_BYTES = 2 * 1024 * 1024 * 1024;
/**
 * Bytes by which a worker's memory may always grow, so that earlier pages do not reduce the memory for this one. @bound
 */
const MIN_GROWTH_BYTES = 1024 * 1024 * 1024;

/** Limits of extractions in milliseconds and bytes. */
interface ExtractorLimits {
  readonly deadlineMs?: number;
  readonly maxProcessBytes?: number;
  readonly minGrowthBytes?: number;
  readonly maxFileMemoryBytes?: number;
}

/** Parses all HTML from other servers in threads, and files in processes, so that no document harms another. */
export class Extractor {
  readonly #pages: ExtractionPool;
  readonly #files: ExtractionPool;

  constructor({
    deadlineMs = DEADLINE_MS,
    maxProcessBytes = MAX_PROCESS_BYTES,
    minGrowthBytes = MIN_GROWTH_BYTES,
    maxFileMemoryBytes = MAX_FILE_MEMORY_BYTES,
  }: ExtractorLimits = {}) {
    const places = Math.min(availableParallelism(), MAX_WORKERS);
    this.#pages = new ExtractionPool({
      places,
      maxQueued: MAX_QUEUED,
      deadlineMs,
      start: (events) => new ThreadHost(events),
      memory: new MemoryWatch({
        maxBytes: maxProcessBytes,
        minGrowth: minGrowthBytes,
        rss: () => process.memoryUsage.rss(),
        now: () => performance.now(),
      }),
    });
    this.#files = new ExtractionPool({
      places: Math.min(places, MAX_PROCESSES),
      maxQueued: MAX_QUEUED_FILES,
      deadlineMs,
      start: (events) => new ProcessHost(events, maxFileMemoryBytes),
    });
  }

  /**
   * Extracts content in a thread or a process. Fails with `page-failed` if the page is too long, takes too much time or
   * memory, or breaks the extraction. It also fails as soon as `stopped` rejects, because its result is then not needed.
   * The `owner` with the fewest of them gets the next one.
   */
  extract(job: ExtractionJob, stopped?: Promise<never>, owner: object = {}): Promise<ExtractionOutcome> {
    const { body, contentType } = job.source;
    const kind = kindOf(contentType, body);
    const isFile = kind === "file" || kind === "pdf";
    const most = isFile ? MAX_FILE_BYTES : MAX_INPUT_LENGTH;
    if (body.length > most) return Promise.reject(failed(`it has more than ${most} characters`));
    return (isFile ? this.#files : this.#pages).extract(job, stopped, owner);
  }

  /** The figures of threads and processes together. */
  get figures(): SemaphoreFigures {
    const [pages, files] = [this.#pages.figures, this.#files.figures];
    return {
      places: pages.places + files.places,
      under_way: pages.under_way + files.under_way,
      waiting: pages.waiting + files.waiting,
    };
  }

  close(): void {
    this.#pages.close();
    this.#files.close();
  }
}
