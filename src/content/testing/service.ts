import { type ContentOptions } from "../content-options.ts";
import { type ContentService, startContentService } from "../service.ts";
import { createStateFolder, type StateFolder } from "./state-folder.ts";

/** The options of a service that tests may set. */
type TestOptions = Partial<
  Pick<
    ContentOptions,
    | "remoteBrowser"
    | "aiUses"
    | "proxies"
    | "chargeTimeouts"
    | "live"
    | "log"
    | "pageCache"
    | "files"
    | "firecrawl"
    | "search"
    | "mcp"
  >
>;

export interface TestService {
  readonly service: ContentService;
  readonly state: StateFolder;
  /** Closes the service, and removes its state. */
  readonly close: () => Promise<void>;
}

/** A content service of a test file's own, on a loopback port, that may read pages on loopback. It logs nothing by default. */
export async function startTestService(options: TestOptions = {}): Promise<TestService> {
  const state = createStateFolder();
  const service = await startLocalService(state.path, options);
  const close = async (): Promise<void> => {
    await service.close();
    state.remove();
  };
  return { service, state, close };
}

/** The same with its state in a folder of the caller's. */
export function startLocalService(stateDir: string, options: TestOptions = {}): Promise<ContentService> {
  return startContentService({
    log: () => undefined,
    ...options,
    listen: { hostname: "127.0.0.1", port: 0 },
    stateDir,
    allowPrivate: true,
  });
}
