import * as z from "./recorded-schema.ts";
import { count, ours } from "./kinds.ts";

export const contentFiles = z
  .strictObject({
    max_upload_mb: count(32, 1, 100).describe(
      "Size in MiB of a body of `/parse`. The route's `max_body_bytes` must allow it too.",
    ),
  })
  .prefault({})
  .meta(ours("Files that are read by `/parse` or found at an address."));
