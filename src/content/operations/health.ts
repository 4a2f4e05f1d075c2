import { z } from "@hono/zod-openapi";
import { TurnpikeError } from "../../lib/errors.ts";
import { type Operation } from "./operation.ts";

const answer = z.object({ status: z.literal("ok"), browser: z.string() }).openapi("Health");

export const health: Operation = {
  name: "health",
  method: "get",
  path: "/health",
  price: undefined,
  summary: "Say whether the service works",
  description: "Answers 200 while pages can be loaded, and 503 with the reason otherwise. Free.",
  body: undefined,
  example: undefined,
  success: {
    description: "The service is healthy",
    contentType: "application/json",
    schema: answer,
    example: { status: "ok", browser: "HeadlessChrome 153.0.8010.0" },
  },
  failures: ["browser-unavailable"],
  async run(_body, { degraded, browser }) {
    const reason = await degraded();
    if (reason !== undefined) throw new TurnpikeError("browser-unavailable", reason);
    return { json: { status: "ok", browser } };
  },
};
