import { z } from "@hono/zod-openapi";
import { jobList } from "../shapes/jobs.ts";
import { callerOf, type Operation, operationTable } from "./operation.ts";

export const JOB_OPERATIONS: readonly Operation[] = operationTable({
  "GET /v1/jobs": {
    name: "listJobs",
    summary: "The newest jobs of the content service: crawls and batches",
    success: { description: "The jobs, or the reason why they cannot be read", schema: jobList },
    run: async (_call, { jobs }) => Response.json(await jobs.list()),
  },
  "DELETE /v1/jobs/{id}": {
    name: "cancelJob",
    summary: "Cancel a job; its results stay",
    parameters: { id: "The name of the job" },
    success: {
      description: "The job is cancelled",
      schema: z.object({ ok: z.literal(true), cancelled: z.string() }),
    },
    failures: ["not-found", "overloaded"],
    async run(call, { jobs, events }) {
      const { id = "" } = call.parameters;
      await jobs.cancel(id);
      const message = `the job ${JSON.stringify(id)} is cancelled`;
      events.add({ kind: "job", message, by: callerOf(call).by, outcome: "done", details: { job: id } });
      return Response.json({ ok: true, cancelled: id });
    },
  },
});
