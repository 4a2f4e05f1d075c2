import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { browserPrograms } from "../browser/program/find.ts";

/** The flags of docs/guides/several-gateways.md for a browser that a content service uses from another machine. */
export const GUIDE_FLAGS: readonly string[] = [
  "--headless=new",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  "--disable-background-networking",
  "--block-new-web-contents",
  "--disable-blink-features=AutomationControlled",
  "--js-flags=--max-old-space-size=512",
];

/** A browser as its operator starts it, in a process of its own with a debugging port. */
export interface StartedBrowser {
  readonly pid: number;
  readonly port: number;
  /** The URL of its WebSocket, which is another after each start. */
  readonly webSocketUrl: string;
  kill(): Promise<void>;
}

/** Starts a browser. Port 0: one that it chooses. */
export async function startBrowser(
  folder: string,
  flags: readonly string[] = GUIDE_FLAGS,
  port = 0,
): Promise<StartedBrowser> {
  for await (const program of browserPrograms(undefined, join(folder, "browser"))) {
    const profile = mkdtempSync(join(folder, "remote-"));
    const own = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", `--remote-debugging-port=${port}`];
    const child = spawn(program.path, [...flags, ...own, `--user-data-dir=${profile}`], {
      env: { PATH: "/usr/bin:/bin", HOME: profile, ...program.environment },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const url = /DevTools listening on (ws:\S+)/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
    void exited.then(() => reject(new Error(`The browser ended: ${output}`)));
    const webSocketUrl = await promise;
    return {
      pid: child.pid ?? 0,
      port: Number(new URL(webSocketUrl).port),
      webSocketUrl,
      async kill() {
        child.kill("SIGKILL");
        await exited;
      },
    };
  }
  throw new Error("Cannot test: there is no browser");
}
