import { int, type Output, strictObject, string, toJSONSchema } from "../../lib/schema.ts";
import { type ApiSchema } from "../api/api-document.ts";
import { briefInput } from "./brief.ts";
import { jobOutput } from "./tools.ts";

/** Results of one call: by default, and at most. An agent reads all of them. */
const COUNT = 10;
const MAX_COUNT = 100;

const job = {
  job: string()
    .regex(/^\/(?:crawl|batch)\/[\w-]{1,64}$/, "must be the `status` of a started job")
    .meta({ description: "The `status` of the started job, such as /crawl/ID" }),
  secret: string().min(1).max(200).meta({ description: "The `secret` of the started job" }),
};
const piece = {
  after: int().min(0).default(0).meta({ description: "Number of the last result that you have" }),
  count: int().min(1).max(MAX_COUNT).default(COUNT),
};

const jobInput = strictObject(job);
const pieceInput = strictObject({ ...job, ...piece });

/** A tool for a job that another tool has started. It is free. */
export interface JobTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: typeof jobInput | typeof pieceInput;
  readonly method: "GET" | "DELETE";
  /** The path below that of the job. */
  readonly path: (input: Partial<Output<typeof pieceInput>>) => string;
}

export const JOB_TOOLS: readonly JobTool[] = [
  {
    name: "job_status",
    title: "Return the state of a job",
    description: "Returns the state and the counts of a job. Ask again after some seconds while it is running.",
    input: jobInput,
    method: "GET",
    path: () => "",
  },
  {
    name: "job_results",
    title: "Return results of a job",
    description:
      "Returns the pages of a job with numbers above `after`. `next` is the next `after`, if more are ready.",
    input: pieceInput,
    method: "GET",
    path: ({ after = 0, count = COUNT }) => `/results?after=${after}&count=${count}`,
  },
  {
    name: "job_cancel",
    title: "Cancel a job",
    description: "Cancels a job, and returns its state. Its results stay.",
    input: jobInput,
    method: "DELETE",
    path: () => "",
  },
];

/** The tool as `tools/list` has it. */
export function listedJobTool({ name, title, description, input, method, path }: JobTool) {
  // The library writes JSON Schema.
  const inputSchema = briefInput(toJSONSchema(input, { io: "input" }) as ApiSchema);
  const [below = ""] = path({}).split("?");
  const outputSchema = jobOutput(below, method);
  return {
    name,
    title,
    description: `${description} Free.`,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    annotations: { readOnlyHint: method === "GET", openWorldHint: false },
  };
}
