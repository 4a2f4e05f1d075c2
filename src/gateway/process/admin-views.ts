import type * as Jobs from "../admin/overview/content-jobs.ts";
import type * as Overviews from "../admin/overview/overview.ts";
import { type UsageKeeper } from "../admin/usage/usage-keeper.ts";
import { type Config } from "../config/config.ts";
import { type GatewayFigures } from "./gateway/gateway-figures.ts";
import type * as UsageKeeping from "./usage-keeping.ts";

/** Loaded with the admin interface (bench start). */
const overviews = (): typeof Overviews => require("../admin/overview/overview.ts");
const contentJobs = (): typeof Jobs => require("../admin/overview/content-jobs.ts");
const usageKeeping = (): typeof UsageKeeping => require("./usage-keeping.ts");

export interface AdminViewsDeps {
  readonly figures: GatewayFigures;
  /** The SQLite file of ledger and usage, or `:memory:`. */
  readonly storePath: string;
  readonly postgres: Config["postgres"];
  /** Unix milliseconds. */
  readonly startedAtMs: number;
  readonly contentSocket: string | undefined;
  readonly log: (message: string) => void;
}

/** The parts of an admin interface that need modules and stores of their own. Each is created when it is first used. */
export class AdminViews {
  readonly #deps: AdminViewsDeps;
  #usage: UsageKeeper | undefined;
  #overview: Overviews.Overview | undefined;
  #jobs: Jobs.ContentJobs | undefined;

  constructor(deps: AdminViewsDeps) {
    this.#deps = deps;
  }

  get usage(): UsageKeeper {
    return (this.#usage ??= usageKeeping().createUsageKeeper(this.#deps));
  }

  get overview(): Overviews.Overview {
    return (this.#overview ??= overviews().createOverview(this.#deps.figures, this.#deps));
  }

  get jobs(): Jobs.ContentJobs {
    return (this.#jobs ??= new (contentJobs().ContentJobs)(this.#deps.contentSocket));
  }

  /** Closes what was created, after all counting has ended. */
  async close(): Promise<void> {
    await this.#usage?.close();
  }
}
