import * as z from "zod";
import { contentResolve } from "./content-resolve.ts";
import { contentSearch } from "./content-search.ts";
import { ours, socketPath } from "./kinds.ts";

/** `content`: the content service. */
export const content = z
  .strictObject({
    allow_private: z
      .boolean()
      .default(false)
      .describe(
        "Allow pages on private, loopback and link-local addresses, and on this machine's own addresses. For tests and intranets.",
      ),
    browser_path: z
      .string()
      .default("")
      .describe("Browser program. Empty: an installed one, otherwise the packaged one."),
    socket: socketPath()
      .default("")
      .describe("UNIX socket of the service, at most 103 bytes. Empty: in the state folder."),
    charge_timeouts: z
      .boolean()
      .default(false)
      .describe(
        "Charge for a failed page that used its time up with its own scripts: it took most of the time as processor time, or was stopped because it took too much. Other failures stay free.",
      ),
    search: contentSearch,
    resolve: contentResolve,
  })
  .prefault({})
  .meta(ours("The content service, started by `turnpike start`."));
