/** Starts the real gateway in a separate process, on a free port. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patient } from "../../src/lib/testing/patience.ts";
import { COMMAND } from "./program.ts";

const START_MS = patient(10_000);
const STOP_MS = patient(3_000);

export interface Gateway {
  readonly port: number;
  readonly pid: number;
  /** Its output so far, from standard output and standard error. */
  output(): string;
  /** KiB of a line of /proc/PID/status, as `VmRSS` or `VmHWM`. */
  memoryKib(line: string): number;
  /** Asks it to read this configuration, as `startGateway`. */
  reload(config: object): void;
  stop(): Promise<void>;
  /** Kills it without a warning, like a power failure. */
  kill(): Promise<void>;
}

/**
 * `config` is the configuration file. The default listener is 127.0.0.1, port 0, with one worker. `environment` is
 * added to this process's environment. `prefix` stands before the command, for example to run it in a namespace.
 */
export async function startGateway(
  config: { readonly server?: object; readonly [key: string]: unknown },
  environment: Readonly<Record<string, string>> = {},
  prefix: readonly string[] = [],
): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  const file = join(folder, "turnpike.json");
  const write = ({ server, ...rest }: { readonly server?: object }): void =>
    writeFileSync(file, JSON.stringify({ ...rest, server: { address: "127.0.0.1", port: 0, workers: 1, ...server } }));
  write(config);
  const subprocess = Bun.spawn([...prefix, ...COMMAND, "--config", file], {
    cwd: folder,
    env: { ...Bun.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const listening = Promise.withResolvers<number>();
  const keep = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      output += decoder.decode(chunk, { stream: true });
      const match = /listening on https?:\/\/\S*?:(\d+)/.exec(output);
      if (match !== null) listening.resolve(Number(match[1]));
    }
  };
  const drained = Promise.all([keep(subprocess.stdout), keep(subprocess.stderr)]);
  const failed = (why: string): void => listening.reject(new Error(`Cannot start the gateway: ${why}: ${output}`));
  void Promise.all([subprocess.exited, drained]).then(([code]) => failed(`it ended with ${code}`));
  const timer = setTimeout(() => failed("it does not listen"), START_MS);

  const stop = async (): Promise<void> => {
    subprocess.kill("SIGTERM");
    const patience = setTimeout(() => subprocess.kill("SIGKILL"), STOP_MS);
    await subprocess.exited;
    clearTimeout(patience);
    rmSync(folder, { recursive: true, force: true });
  };
  const kill = async (): Promise<void> => {
    subprocess.kill("SIGKILL");
    await subprocess.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const port = await listening.promise;
    return {
      port,
      pid: subprocess.pid,
      output: () => output,
      memoryKib(line) {
        const match = new RegExp(`^${line}:\\s+(\\d+) kB$`, "m").exec(
          readFileSync(`/proc/${subprocess.pid}/status`, "utf8"),
        );
        if (match === null) throw new Error(`Cannot read ${line} of the gateway`);
        return Number(match[1]);
      },
      reload(changed) {
        write(changed);
        subprocess.kill("SIGHUP");
      },
      stop,
      kill,
    };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** A server that stays in rotation despite any number of failures, because tests make origins fail on purpose. */
export function serverAt(port: number, address = "127.0.0.1"): object {
  return { address, port, max_fails: 1_000_000 };
}

/** An upstream `origin` on the loopback port, with a route for all requests. */
export function everythingTo(port: number): { upstreams: object[]; routes: object[] } {
  return {
    upstreams: [{ name: "origin", servers: [serverAt(port)] }],
    routes: [{ path_prefix: "/", upstream: "origin" }],
  };
}
