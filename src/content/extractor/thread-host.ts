import { type ExtractionJob, type ExtractionResponse } from "../extraction/tree/extraction.ts";
import { type Host, type HostEvents, PARSER_FAILED } from "./host.ts";

/** A thread that parses pages. It shares the memory of the process. */
export class ThreadHost implements Host {
  readonly #worker: Worker;

  constructor(events: HostEvents) {
    this.#worker = new Worker(new URL("./extract-worker.ts", import.meta.url).href, { env: {} });
    this.#worker.unref();
    this.#worker.addEventListener("message", (event: MessageEvent<ExtractionResponse>) => events.responded(event.data));
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault();
      events.broke(PARSER_FAILED);
    });
    // Called without an error if the worker ended by itself. Otherwise its task would never be settled.
    this.#worker.addEventListener("close", () => events.broke(PARSER_FAILED));
  }

  send(id: number, job: ExtractionJob): void {
    this.#worker.postMessage({ id, job });
  }

  end(): void {
    this.#worker.terminate();
  }
}
