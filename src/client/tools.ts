import { type CallOptions, type TurnpikeFile } from "./call.ts";
import { checkOptions, type OptionTypes, TEXT, TEXTS } from "../lib/check-options.ts";
import { type Turnpike } from "./client.ts";
import { type Job } from "./job.ts";
import { type ToolName } from "./operations.ts";
import { TOOL_OPERATIONS } from "./tool-operations.ts";

/** The choice of tools for an agent. */
export interface ToolOptions {
  /** The operations. Default: all. With `crawl`, the agent also gets the tools for jobs. */
  readonly only?: readonly ToolName[];
  /** The highest price of one call. Default: that of the client. */
  readonly maxPrice?: string;
}

const OPTIONS: OptionTypes<ToolOptions> = { only: TEXTS, maxPrice: TEXT };

/** A function for agents, independent of their framework. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>> & { readonly type: "object" };
  /** Resolves with the response: a value for JSON, or a file. Fails like the method of the client. */
  readonly run: (input: unknown, signal: AbortSignal | undefined) => Promise<unknown>;
}

/** Jobs that one set of tools remembers; the oldest is forgotten, but goes on. @bound */
const MAX_JOBS = 100;
/** Number of results of one call: the default and the maximum. */
const COUNT = 10;
const MAX_COUNT = 100;

const JOB = { job: { type: "string", description: "The `job` that another tool has returned" } };
const PIECE = {
  after: { type: "integer", minimum: 0, default: 0, description: "Number of the last result that you have" },
  count: { type: "integer", minimum: 1, maximum: MAX_COUNT, default: COUNT },
};

/** The operations of a gateway as functions for agents. The client pays, within its limits. */
export function agentTools(turnpike: Turnpike, options: ToolOptions = {}): readonly AgentTool[] {
  checkOptions(options, OPTIONS, "the tools");
  const { only, maxPrice } = options;
  // The keys are those of its type.
  const all = Object.keys(TOOL_OPERATIONS) as ToolName[];
  const names = only ?? all;
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined)
    throw new Error(`Cannot make a tool of "${unknown}": there is no such operation; choose of ${all.join(", ")}`);
  const jobs = new Map<string, Job>();
  const tools = names.map((name): AgentTool => {
    const { description, parameters } = TOOL_OPERATIONS[name];
    const run = async (input: unknown, signal: AbortSignal | undefined): Promise<unknown> => {
      // The gateway checks the input.
      const result: unknown = await turnpike[name](input as never, callOptions(signal, maxPrice));
      return isJob(result) ? keep(jobs, result) : result;
    };
    return { name, description, parameters, run };
  });
  return names.includes("crawl") ? [...tools, ...jobTools(jobs)] : tools;
}

/** True if the response of an operation is a file, such as a picture. */
export function isFile(result: unknown): result is TurnpikeFile {
  return typeof result === "object" && result !== null && "bytes" in result && result.bytes instanceof Uint8Array;
}

/** The bytes of a file in base64. */
export function base64Of({ bytes }: TurnpikeFile): string {
  return Buffer.from(bytes).toString("base64");
}

function callOptions(signal: AbortSignal | undefined, maxPrice: string | undefined): CallOptions {
  return { ...(signal === undefined ? {} : { signal }), ...(maxPrice === undefined ? {} : { maxPrice }) };
}

function isJob(result: unknown): result is Job {
  return typeof result === "object" && result !== null && "started" in result;
}

/** The secret of a job stays here: a model does not need it. */
function keep(jobs: Map<string, Job>, job: Job): { readonly job: string } {
  const [oldest] = jobs.keys();
  if (jobs.size >= MAX_JOBS && oldest !== undefined) jobs.delete(oldest);
  jobs.set(job.id, job);
  return { job: job.id };
}

function jobTools(jobs: ReadonlyMap<string, Job>): readonly AgentTool[] {
  const tool = (
    name: string,
    description: string,
    more: object,
    act: (job: Job, input: object, signal: AbortSignal | undefined) => Promise<unknown>,
  ): AgentTool => ({
    name,
    description,
    parameters: { type: "object", properties: { ...JOB, ...more }, required: ["job"], additionalProperties: false },
    run: async (input, signal) => {
      const given = typeof input === "object" && input !== null ? input : {};
      const job = jobs.get(String(Reflect.get(given, "job")));
      if (job === undefined) throw new Error("There is no such job");
      return await act(job, given, signal);
    },
  });
  return [
    tool(
      "job_status",
      "State and counts of a job. Ask again after some seconds while it is running. Free.",
      {},
      (job, _, signal) => job.state(signal),
    ),
    tool(
      "job_results",
      "Pages of a job with numbers above `after`; `next` is the next `after`, if more are ready. Free.",
      PIECE,
      (job, input, signal) => {
        const after = numberIn(input, "after", 0);
        const count = Math.min(numberIn(input, "count", COUNT), MAX_COUNT);
        return job.ready({ after, count, ...(signal === undefined ? {} : { signal }) });
      },
    ),
    tool("job_cancel", "Cancels a job. Its results stay. Free.", {}, (job, _, signal) => job.cancel(signal)),
  ];
}

function numberIn(input: object, name: string, otherwise: number): number {
  const value: unknown = Reflect.get(input, name);
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : otherwise;
}
