import { type FeatureParts } from "../features/feature-parts.ts";
import type * as Files from "./static-files.ts";

/** Loaded with the first configuration that serves files (bench start). */
const files = (): typeof Files => require("./static-files.ts");

interface FileParts extends FeatureParts {
  readonly maxOpenFiles: number;
}

/** Provides `server.static_root`; `files` is undefined without it. */
export function provideStaticFiles({ config: { server }, maxOpenFiles: maxOpen, ...deps }: FileParts): {
  readonly files: Files.StaticFiles | undefined;
  close(): void;
} {
  const { static_root: root, cache_static_files: caches } = server;
  const made = root === "" ? undefined : new (files().StaticFiles)({ root, caches, maxOpen }, deps);
  return { files: made, close: () => made?.close() };
}
