import { spawn } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Readable, type Writable } from "node:stream";
import { childEnvironment } from "../../../lib/process/child-environment.ts";
import { within } from "../../../lib/time/within.ts";
import { FLAGS, watch } from "../launch.ts";
import { PipeWire } from "../pipe-wire.ts";
import { CdpConnection, type CdpObserver } from "../program/cdp.ts";
import { type BrowserProgram } from "../program/find.ts";
import { childrenOf } from "../program/process-table.ts";
import { ProcessWatch } from "../program/process-watch.ts";
import { type CellOrder, INNER_PROXY_PORT } from "./inside.ts";
import { INNER_HOME } from "./mounts.ts";

/** Milliseconds until the first response of a browser in a cell. */
const START_MS = 60_000;
/** Bytes of the files that a browser in a cell may write: its profile, its shared memory, and nothing else. They are in memory. @operator */
const MAX_CELL_BYTES = 512 * 1024 * 1024;

/** Creates namespaces. Each of them is a part of the wall, and a system without one of them has no wall. */
const NAMESPACES = ["--user", "--net", "--mount", "--pid", "--ipc", "--uts"];
const OUTER = ["--map-root-user", "--fork", "--kill-child=SIGKILL", "--"];
/** The browser runs as an ordinary user without the rights of the cell's first process. */
const INNER = ["--user", "--map-user=1000", "--map-group=1000", "--"];

const PROXY = `--proxy-server=http://127.0.0.1:${INNER_PROXY_PORT}`;

export interface CellSettings {
  readonly program: BrowserProgram;
  /** The command that runs `runInside` with the argument that is appended. */
  readonly command: readonly string[];
  /** The folder of the service's browsers. */
  readonly folder: string;
  readonly userAgent?: string | undefined;
}

/** A browser in namespaces of its own: it sees no file but its program, and no network but an egress proxy. */
export interface Cell {
  readonly cdp: CdpConnection;
  readonly wire: PipeWire;
  readonly processes: ProcessWatch;
  /** Settles when all its processes have ended. Nothing of it is left then: its files were in memory. */
  readonly exited: Promise<void>;
  kill(): void;
}

/** Starts a browser that reaches the network only by the proxy at this Unix socket. Fails with a one-line reason. */
export async function startCell(settings: CellSettings, socket: string, observe: CdpObserver): Promise<Cell> {
  const unshare = Bun.which("unshare");
  if (unshare === null) throw new Error("the program unshare (util-linux) is missing");
  const { program, command, folder } = settings;
  const root = join(folder, "cell");
  await mkdir(root, { recursive: true, mode: 0o700 });
  const order: CellOrder = {
    files: { root, readable: [...(await readableFor(program))], socket, maxBytes: MAX_CELL_BYTES },
    command: [unshare, ...INNER, program.path, ...flagsOf(settings)],
    environment: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8", HOME: INNER_HOME, TMPDIR: "/tmp", ...program.environment },
  };
  const child = spawn(unshare, [...NAMESPACES, ...OUTER, ...command, JSON.stringify(order)], {
    env: childEnvironment(),
    stdio: ["pipe", "ignore", "pipe", "pipe", "pipe"],
    detached: true,
  });
  const watched = watch(child);
  const { exited } = watched;
  // Both are pipes, as requested above. The types of stdio only have the first three.
  const wire = new PipeWire(child.stdio[3] as unknown as Writable, child.stdio[4] as unknown as Readable);
  const cdp = new CdpConnection(wire, observe);
  const kill = (): void => {
    child.kill("SIGKILL");
    cdp.close();
  };
  void exited.then(() => cdp.close());
  try {
    await within(START_MS, cdp.send("Browser.getVersion"), () => {
      throw new Error(`the browser did not respond within ${START_MS / 1000} s`);
    });
  } catch (error) {
    kill();
    await exited;
    throw new Error(watched.reason() ?? String(error), { cause: error });
  }
  // A page may use its processors as long as it is paid for.
  const processes = new ProcessWatch(browserOf(child.pid ?? 0), { rendererCpuMs: Infinity, drawingCpuMs: Infinity });
  return { cdp, wire, processes, exited, kill };
}

/** The browser, below the program that made the namespaces and the first process in them. */
function browserOf(pid: number): number {
  const [first = pid] = childrenOf(pid);
  const [browser = first] = childrenOf(first);
  return browser;
}

function flagsOf({ userAgent }: CellSettings): string[] {
  const flags = FLAGS.filter((flag) => !flag.startsWith("--proxy-server=") && flag !== "--block-new-web-contents");
  const named = userAgent === undefined ? [] : [`--user-agent=${userAgent}`];
  return [...flags, PROXY, ...named, `--user-data-dir=${INNER_HOME}/profile`];
}

/** The files that the program reads: its own, and fonts. */
async function readableFor({ path, environment }: BrowserProgram): Promise<readonly string[]> {
  const { FONTCONFIG_FILE: fonts = "", LD_LIBRARY_PATH: libraries = "" } = environment;
  const config = fonts === "" ? "" : await readFile(fonts, "utf8");
  const folders = [...config.matchAll(/<(?:cache)?dir>([^<]*)</g)].map(([, folder = ""]) => unescaped(folder));
  return [dirname(path), fonts, ...folders, ...libraries.split(":")].filter((one) => one.startsWith("/"));
}

/** Undoes `Bun.escapeHTML`. */
function unescaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };
  return text.replaceAll(/&([^;]+);/g, (whole, name: string) => entities[name] ?? whole);
}
