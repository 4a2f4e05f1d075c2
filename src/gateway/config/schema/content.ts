import * as z from "zod";
import { contentResolve } from "./content-resolve.ts";
import { contentSearch } from "./content-search.ts";
import { ours } from "./kinds.ts";

/** `content`: the content service. */
export const content = z
  .strictObject({
    allow_private: z
      .boolean()
      .default(false)
      .describe(
        "Read pages on private, loopback and link-local addresses, and on this machine's own; for tests and intranets.",
      ),
    browser_path: z
      .string()
      .default("")
      .describe("Browser program; empty looks for an installed one, then the packaged one."),
    socket: z
      .string()
      .default("")
      .describe("UNIX socket that the service listens on; empty puts it into the state folder."),
    charge_timeouts: z
      .boolean()
      .default(false)
      .describe(
        "Charge for a page that failed because it used its time up itself: it took most of the time as processor time, or was stopped for taking too much. Other failures stay free.",
      ),
    search: contentSearch,
    resolve: contentResolve,
  })
  .prefault({})
  .meta(ours("The content service, started by `turnpike start`."));
