import { type ExtractionJob, type ExtractionResponse } from "../extraction/tree/extraction.ts";

/** A thread or a process that does one job at a time. */
export interface Host {
  send(id: number, job: ExtractionJob): void;
  end(): void;
}

export interface HostEvents {
  responded(response: ExtractionResponse): void;
  /** It ended by itself, or can do no further job. The reason completes "Cannot read the page: ". */
  broke(reason: string): void;
}

/** The reason for a failure that the document did not explain. */
export const PARSER_FAILED = "the parser failed on it";
