import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { patient } from "../../lib/testing/patience.ts";
import { call } from "../testing/client.ts";
import { hasNamespaces } from "../testing/namespaces.ts";
import { startLocalService } from "../testing/service.ts";
import { withBrowser } from "../testing/state-folder.ts";
import { liveOptions } from "./testing/live-service.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

// A cell has its own /dev/shm and /tmp.
test.skipIf(!hasNamespaces).each(["/dev/shm", "/tmp"])(
  "a service with its state in %s sells browsers",
  async (parent) => {
    const state = withBrowser(mkdtempSync(join(parent, "turnpike-test-")));
    const errors: string[] = [];
    const service = await startLocalService(state, {
      live: liveOptions({ max: 1 }),
      log: (level, message) => void (level === "error" && errors.push(message)),
    });
    try {
      const { status } = await call(service, "/browsers", { minutes: 1 });
      expect([status, errors]).toEqual([201, []]);
    } finally {
      await service.close();
      rmSync(state, { recursive: true, force: true });
    }
  },
);
