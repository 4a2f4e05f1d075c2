import { type BufferPool } from "../../lib/memory/buffer-pool.ts";
import { type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type Config } from "../config/config.ts";
import { type RespondWithError } from "../exchange/local-response.ts";
import { type OnEvent } from "../telemetry/event.ts";
import { type Telemetry } from "../telemetry/telemetry.ts";

/** The configuration, and the services of the process that every feature can use. */
export interface FeatureParts {
  readonly config: Config;
  readonly respondWithError: RespondWithError;
  readonly telemetry: Telemetry;
  readonly wheel: TimerWheel;
  /** For data that waits for a slow peer. */
  readonly buffers: BufferPool;
  /** For bodies that a feature buffers whole. */
  readonly bodies: BufferPool;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: (message: string) => void;
  readonly onEvent: OnEvent;
  readonly onError: (error: unknown) => void;
}
