import { z } from "@hono/zod-openapi";
import { TurnpikeError } from "../../lib/errors.ts";
import { type Operation } from "./operation.ts";

const provider = z.object({ name: z.string(), state: z.enum(["closed", "open", "half-open"]) });

const answer = z
  .object({
    status: z.literal("ok"),
    browser: z.string(),
    search: z.array(provider).openapi({ description: "Search providers; those that are open are not asked" }),
  })
  .openapi("Health");

export const health: Operation = {
  name: "health",
  method: "get",
  path: "/health",
  price: undefined,
  summary: "Say whether the service works",
  description:
    "Answers 200 while pages can be loaded and a search provider works, and 503 with the reason otherwise. Free.",
  body: undefined,
  example: undefined,
  success: {
    description: "The service is healthy",
    contentType: "application/json",
    schema: answer,
    example: {
      status: "ok",
      browser: "HeadlessChrome 153.0.8010.0",
      search: [{ name: "duckduckgo", state: "closed" }],
    },
  },
  failures: ["browser-unavailable", "search-unavailable"],
  async run(_body, { degraded, browser, search }) {
    const reason = await degraded();
    if (reason !== undefined) throw new TurnpikeError("browser-unavailable", reason);
    const mute = search.failure();
    if (mute !== undefined) throw new TurnpikeError("search-unavailable", mute);
    return { json: { status: "ok", browser, search: search.states() } };
  },
};
