import { type ModelFigures } from "./model-figures.ts";
import { type OperationFigures } from "./operation-counts.ts";

/** The load of a semaphore: its permits (`places`), the permits in use, and the requests that wait for one. */
export interface SemaphoreFigures {
  readonly places: number;
  readonly under_way: number;
  readonly waiting: number;
}

/** The load of the service, for requests that come directly to it and not through a gateway. */
export interface Figures {
  readonly started_at_ms: number;
  readonly engines: { readonly static: SemaphoreFigures; readonly browser: SemaphoreFigures };
  readonly extraction: SemaphoreFigures;
  /** Browsers that run, browsers that were started, and browsers that ended by themselves. */
  readonly browsers: { readonly running: number; readonly started: number; readonly lost: number };
  /** Left out without a language model. */
  readonly model?: ModelFigures | undefined;
  readonly operations: Readonly<Record<string, OperationFigures>>;
}
