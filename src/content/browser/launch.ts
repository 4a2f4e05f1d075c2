import { type ChildProcess, spawn } from "node:child_process";
import { access, constants, mkdir, mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { type Readable, type Writable } from "node:stream";
import { isAlive } from "../../lib/process/is-alive.ts";
import { within } from "../../lib/time/within.ts";
import { OWN_PROCESSES } from "../egress/proxy-access.ts";
import { CdpConnection } from "./program/cdp.ts";
import { PipeWire } from "./pipe-wire.ts";
import { type RunningBrowser } from "./program/running-browser.ts";
import { type BrowserProgram } from "./program/find.ts";
import { ownBrowser, reapOrphans } from "./orphans.ts";
import { processName, shortName } from "./program/process-table.ts";
import { ProcessWatch } from "./program/process-watch.ts";

/** Milliseconds until the first response, enough for a cold start from a slow disk. */
const LAUNCH_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 3_000;
const KEPT_ERROR_OUTPUT = 4_096;
/** With less shared memory (containers give 64 MB) large pages crash, so the browser uses files in its place. */
const MIN_SHARED_MEMORY_BYTES = 512 * 1024 * 1024;

/** The flags of every browser of this machine. */
export const FLAGS: readonly string[] = [
  "--headless=new",
  "--remote-debugging-pipe",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-gpu",
  // The process that draws is killed if a page keeps it busy, however often.
  "--disable-gpu-process-crash-limit",
  "--window-size=1280,720",
  "--hide-scrollbars",
  "--mute-audio",
  "--disable-extensions",
  "--disable-sync",
  "--disable-breakpad",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-default-apps",
  "--disable-client-side-phishing-detection",
  "--disable-hang-monitor",
  "--disable-backgrounding-occluded-windows",
  "--disable-background-timer-throttling",
  "--disable-renderer-backgrounding",
  "--no-pings",
  "--metrics-recording-only",
  "--password-store=basic",
  "--use-mock-keychain",
  "--lang=en-US",
  // A mouse, as every desktop has. Pointer type 4 is a fine pointer, hover type 2 can hover.
  "--blink-settings=primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2",
  // Workers report this language too, and no setting of a tab reaches them.
  "--accept-lang=en-US,en",
  // Popups fail at once. The few that still open are closed.
  "--block-new-web-contents",
  // navigator.webdriver is false, as in a browser that a person uses.
  "--disable-blink-features=AutomationControlled",
  // Megabytes of each script heap, so that one page cannot take the machine's memory.
  "--js-flags=--max-old-space-size=512",
  // All traffic passes the egress guard: no direct loopback, no QUIC, no WebRTC over UDP, no DNS lookups by the
  // browser.
  "--proxy-server=http://127.0.0.1:9",
  "--proxy-bypass-list=<-loopback>",
  "--disable-quic",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--disable-features=Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider,AcceptCHFrame,InterestFeedContentSuggestions",
];

export interface LaunchOptions {
  readonly sandboxed: boolean;
  /** The user agent in shared and service workers, which the settings of a tab do not reach. */
  readonly userAgent?: string;
}

/** Starts a browser with its own profile folder below `folder`. Fails with a one-line reason. */
export async function launchBrowser(
  program: BrowserProgram,
  folder: string,
  options: LaunchOptions,
): Promise<RunningBrowser> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeAbandonedProfiles(folder);
  const profile = await mkdtemp(join(folder, `profile-${process.pid}-`));
  const child = spawn(program.path, [...FLAGS, ...(await machineFlags(options)), `--user-data-dir=${profile}`], {
    cwd: profile,
    env: environmentOf(program, profile),
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
    // A process group of its own: Ctrl-C signals the service's whole group, and visits in flight still need the browser.
    detached: true,
  });
  const started = watch(child);
  const pid = child.pid ?? 0;
  ownBrowser(pid);
  let name = shortName(program.path);
  const exited = started.exited.then(() => reapOrphans(pid, name)).then(() => removeProfile(profile));
  // Both are pipes, as requested above. The types of stdio only have the first three.
  const cdp = new CdpConnection(
    new PipeWire(child.stdio[3] as unknown as Writable, child.stdio[4] as unknown as Readable),
  );
  void started.exited.then(() => cdp.close());
  const kill = () => {
    child.kill("SIGKILL");
    cdp.close();
  };
  try {
    const version = await within(LAUNCH_TIMEOUT_MS, cdp.send("Browser.getVersion"), () => {
      throw new Error(`Cannot wait longer than ${LAUNCH_TIMEOUT_MS} ms`);
    });
    const product = String(version["product"]);
    // Read only now: the program may be a script that executes another program.
    name = processName(pid) || name;
    return {
      cdp,
      processes: new ProcessWatch(pid),
      proxyAccess: OWN_PROCESSES,
      tabCalls: [],
      pausesWorkers: true,
      product,
      exited,
      kill,
      close: () => close(cdp, exited, kill),
    };
  } catch {
    kill();
    await exited;
    throw new Error(`'${program.path}' ${started.reason() ?? `did not respond within ${LAUNCH_TIMEOUT_MS / 1000} s`}`);
  }
}

/** A browser process, and the reason of its end. */
interface WatchedProcess {
  readonly exited: Promise<void>;
  /** The reason why the process ended by itself, in one line; undefined if it did not. */
  reason(): string | undefined;
}

/** Follows a process whose standard error is a pipe. */
export function watch(child: ChildProcess): WatchedProcess {
  let output = "";
  let failure: string | undefined;
  child.stderr?.setEncoding("utf8");
  child.stderr?.on("data", (text: string) => {
    output = (output + text).slice(-KEPT_ERROR_OUTPUT);
  });
  const { promise: exited, resolve } = Promise.withResolvers<void>();
  child.on("error", (error) => {
    failure = `does not start: ${error.message}`;
    resolve();
  });
  child.on("close", (code, signal) => {
    if (signal !== "SIGKILL") failure ??= `ended with ${code ?? signal}: ${lastLine(output)}`;
    resolve();
  });
  return { exited, reason: () => failure };
}

function lastLine(output: string): string {
  const lines = output.split("\n").filter((line) => /error|fatal|sandbox|cannot|not found/i.test(line));
  return (lines[0] ?? output.trim().split("\n").at(-1) ?? "").trim().slice(0, 300);
}

async function close(cdp: CdpConnection, exited: Promise<void>, kill: () => void): Promise<void> {
  // The response is often lost because the pipe closes first. The end of the process is the result that counts.
  cdp.send("Browser.close").catch(() => undefined);
  await within(CLOSE_TIMEOUT_MS, exited).catch(() => undefined);
  kill();
  await exited;
}

/**
 * The environment of the browser. It inherits none of our variables: they may hold secrets, and a page may break out of
 * its renderer.
 */
function environmentOf(program: BrowserProgram, profile: string): Record<string, string> {
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LANG: "C.UTF-8",
    TZ: process.env["TZ"] ?? "UTC",
    HOME: profile,
    TMPDIR: profile,
    XDG_CONFIG_HOME: profile,
    XDG_CACHE_HOME: profile,
    ...program.environment,
  };
}

async function machineFlags({ sandboxed, userAgent }: LaunchOptions): Promise<string[]> {
  const flags = sandboxed ? [] : ["--no-sandbox"];
  if (userAgent !== undefined) flags.push(`--user-agent=${userAgent}`);
  if ((await sharedMemoryBytes()) < MIN_SHARED_MEMORY_BYTES) flags.push("--disable-dev-shm-usage");
  return flags;
}

/** Bytes of shared memory that the browser can use; 0 without shared memory or access to it. */
async function sharedMemoryBytes(): Promise<number> {
  try {
    await access("/dev/shm", constants.W_OK);
    const { bsize, blocks } = await statfs("/dev/shm");
    return bsize * blocks;
  } catch {
    return 0;
  }
}

async function removeProfile(profile: string): Promise<void> {
  // Helper processes can still write for a moment after the browser has ended.
  await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => undefined);
}

/** Removes the profiles of processes that were killed before they could remove them. */
async function removeAbandonedProfiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(/^profile-(\d+)-/.exec(name)?.[1]);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    await removeProfile(join(folder, name));
  }
}
