import { type ContentOptions, type ContentService, startContentService } from "../service.ts";
import { createStateFolder, type StateFolder } from "./state-folder.ts";

export interface TestService {
  readonly service: ContentService;
  readonly state: StateFolder;
  /** Closes the service, and removes its state. */
  readonly close: () => Promise<void>;
}

/** A content service of a test file's own, on a loopback port, that may read pages on loopback and logs nothing. */
export async function startTestService(
  options: Pick<
    ContentOptions,
    "aiUses" | "proxies" | "chargeTimeouts" | "live" | "pageCache" | "files" | "firecrawl" | "search" | "mcp"
  > = {},
): Promise<TestService> {
  const state = createStateFolder();
  const service = await startLocalService(state.path, options);
  const close = async (): Promise<void> => {
    await service.close();
    state.remove();
  };
  return { service, state, close };
}

/** The same with its state in a folder of the caller's. */
export function startLocalService(
  stateDir: string,
  options: Pick<
    ContentOptions,
    "aiUses" | "proxies" | "chargeTimeouts" | "live" | "pageCache" | "files" | "firecrawl" | "search" | "mcp"
  > = {},
): Promise<ContentService> {
  return startContentService({
    ...options,
    listen: { hostname: "127.0.0.1", port: 0 },
    stateDir,
    allowPrivate: true,
    log: () => undefined,
  });
}
