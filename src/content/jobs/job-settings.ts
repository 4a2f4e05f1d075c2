/** The bounds of jobs that an operator sets. */
export interface JobSettings {
  /** Maximum milliseconds for which a job runs, and milliseconds for which its results stay after its end. */
  readonly maxRunMs: number;
  readonly keptMs: number;
  /** Milliseconds between two requests to a host that asks for no longer delay. */
  readonly hostIntervalMs: number;
  /** Bytes of the compressed results of one job, after which it ends. */
  readonly maxJobBytes: number;
  /** Bytes of the file with all jobs. */
  readonly maxBytes: number;
}

export const JOB_DEFAULTS: JobSettings = {
  maxRunMs: 86_400_000,
  keptMs: 86_400_000,
  hostIntervalMs: 100,
  maxJobBytes: 1024 * 1024 * 1024,
  maxBytes: 16 * 1024 * 1024 * 1024,
};
