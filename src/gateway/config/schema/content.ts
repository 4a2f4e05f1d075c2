import * as z from "zod";
import { contentSearch } from "./content-search.ts";
import { ours } from "./kinds.ts";

/** `content`: the content service. */
export const content = z
  .strictObject({
    allow_private: z
      .boolean()
      .default(false)
      .describe("Read pages on private, loopback and link-local addresses; for tests and intranets."),
    browser_path: z
      .string()
      .default("")
      .describe("Browser program; empty looks for an installed one, then the packaged one."),
    socket: z
      .string()
      .default("")
      .describe("UNIX socket that the service listens on; empty puts it into the state folder."),
    search: contentSearch,
  })
  .prefault({})
  .meta(ours("The content service, started by `turnpike start`."));
