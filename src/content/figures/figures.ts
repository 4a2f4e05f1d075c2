import { type OperationFigures } from "./operation-counts.ts";

/** A number of places, and the queue before them. */
export interface SemaphoreFigures {
  readonly places: number;
  readonly under_way: number;
  readonly waiting: number;
}

/** How busy the service is. It is told to who asks the service itself, and not through a gateway. */
export interface Figures {
  readonly started_at_ms: number;
  /** What loads pages. */
  readonly engines: { readonly static: SemaphoreFigures; readonly browser: SemaphoreFigures };
  readonly extraction: SemaphoreFigures;
  /** Browsers that run, those that were started, and those that ended by themselves. */
  readonly browsers: { readonly running: number; readonly started: number; readonly lost: number };
  readonly operations: Readonly<Record<string, OperationFigures>>;
}
