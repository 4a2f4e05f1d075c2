import { TurnpikeError } from "../../../lib/errors.ts";
import { messageOf } from "../../../lib/caught.ts";
import { readJsonUpTo } from "../../../lib/http/response-bytes.ts";
import { findAsset } from "../../../payments/x402/assets.ts";
import { type JobList, jobList, type ListedJob } from "../shapes/jobs.ts";

/** Milliseconds in which the content service must respond, and bytes of its response. @bound */
const TIMEOUT_MS = 5000;
const MAX_BYTES = 4 * 1024 * 1024;

/** The jobs of this program's content service, which it tells its operator over its Unix socket. */
export class ContentJobs {
  readonly #socket: string | undefined;

  /** `socket` is undefined without a content service. */
  constructor(socket: string | undefined) {
    this.#socket = socket;
  }

  /** The newest jobs first; `available: false` with the reason if the service does not respond. */
  async list(): Promise<JobList> {
    if (this.#socket === undefined)
      return { available: false, reason: "This gateway has no content service of its own" };
    try {
      const response = await this.#ask(this.#socket, "/jobs", "GET");
      const value = await readJsonUpTo(response, MAX_BYTES);
      const list = jobList.parse({ available: true, ...(typeof value === "object" ? value : {}) });
      return list.available ? { ...list, jobs: list.jobs.map(withToken) } : list;
    } catch (error) {
      return { available: false, reason: `Cannot query the content service: ${messageOf(error).split("\n")[0] ?? ""}` };
    }
  }

  /** Cancels a job that runs. Rejects with `not-found` if no such job runs. */
  async cancel(id: string): Promise<void> {
    const absent = new TurnpikeError("not-found", `Cannot cancel the job ${JSON.stringify(id)}: no such job runs`);
    if (this.#socket === undefined) throw absent;
    const response = await this.#ask(this.#socket, `/jobs/${encodeURIComponent(id)}`, "DELETE");
    await response.body?.cancel();
    if (response.status === 404) throw absent;
    if (!response.ok) throw new TurnpikeError("overloaded", "Cannot cancel the job: the content service refuses it");
  }

  async #ask(unix: string, path: string, method: string): Promise<Response> {
    return await fetch(`http://content${path}`, { unix, method, signal: AbortSignal.timeout(TIMEOUT_MS) });
  }
}

function withToken(job: ListedJob): ListedJob {
  const { cost } = job;
  const token = cost && findAsset(cost.network, cost.asset);
  if (cost === undefined || token === undefined) return job;
  return { ...job, cost: { ...cost, decimals: token.decimals, symbol: token.symbol } };
}
