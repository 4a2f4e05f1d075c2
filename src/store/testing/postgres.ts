import { spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { freePort } from "../../lib/testing/listen.ts";
import { until } from "../../lib/testing/until.ts";
import { Connection, statement } from "../postgres/connection.ts";
import { type PoolSettings } from "../postgres/pool.ts";
import { type SslMode } from "../postgres/target.ts";
import { patient } from "../../lib/testing/patience.ts";
import { isInstalled } from "../../lib/testing/installed.ts";
import { inTestCache } from "../../lib/testing/test-cache.ts";
import { uniqueName } from "../../lib/text/unique-name.ts";

/** Debian installs each version in a folder of its own. The newest comes first. */
function findBinaries(): string | undefined {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...versions.map((version) => join(root, version, "bin")),
  ];
  return folders.find(
    (folder) => folder !== "" && existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")),
  );
}

const BINARIES = findBinaries();

/** False if PostgreSQL is not installed. Use it as `describe.skipIf(!hasPostgres)`. */
export const hasPostgres = isInstalled("PostgreSQL", BINARIES !== undefined);

/** PostgreSQL refuses to run as root. */
const AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const IS_ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;

/**
 * The server dies with the process that started it: its shell waits for the end of standard input, which also comes
 * with SIGKILL. It removes the folder of a shared server, which no test closes.
 */
const SCRIPT = `"$@" </dev/null & child=$!; read -r _; kill -QUIT "$child" 2>/dev/null; wait "$child"; rm -rf $SHARED_FOLDER`;
const START_MS = 30_000;

/** Users, and how each logs in. All have the password `PASSWORD`. Other users need no password. */
const HBA = `
local all all trust
host all clear 127.0.0.1/32 password
host all hashed 127.0.0.1/32 md5
host all salted 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
`;
export const PASSWORD = "correct horse";

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** A server that other tests use too: a test must not stop it or change its settings. */
export type SharedPostgres = Omit<TestPostgres, "show" | "configure" | "crash" | "up" | "close">;

let shared: Promise<SharedPostgres> | undefined;

/** The server of all test files of this process, which lives as long as the process. Each test takes a user of its own. */
export function sharedPostgres(): Promise<SharedPostgres> {
  return (shared ??= TestPostgres.start({ isShared: true }));
}

interface ServerOptions {
  /** With it, the server speaks TLS. */
  readonly certificate?: CertificateFiles;
  /** `on`: it waits for the disk, as measurements need it. */
  readonly fsync?: "on" | "off";
  readonly isShared?: boolean;
}

/** For tests only: a PostgreSQL server of its own, in a temporary folder, on a port of the loopback interface. */
export class TestPostgres {
  readonly port: number;
  readonly #folder: string;
  readonly #isShared: boolean;
  #shell: Bun.Subprocess<"pipe", "ignore", "ignore"> | undefined;
  #users = 0;

  private constructor(folder: string, port: number, isShared: boolean) {
    this.#folder = folder;
    this.port = port;
    this.#isShared = isShared;
  }

  /** Starts a server. Throws if it does not start. `sharedPostgres` is enough for tests that never stop it. */
  static async start({ certificate, fsync = "off", isShared = false }: ServerOptions = {}): Promise<TestPostgres> {
    const folder = mkdtempSync(join(tmpdir(), "turnpike-pg-"));
    if (IS_ROOT) chownSync(folder, NOBODY, NOBODY);
    const port = await freePort();
    const server = new TestPostgres(folder, port, isShared);
    try {
      createData(join(folder, "data"));
      writeFileSync(join(folder, "data", "pg_hba.conf"), HBA);
      if (certificate !== undefined) server.#writeCertificate(certificate);
      writeFileSync(
        join(folder, "data", "postgresql.auto.conf"),
        configuration(folder, port, { tls: certificate !== undefined, fsync }),
      );
      await server.up();
      await server.#makeUsers();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** Settings to connect. The default user is `admin`, who needs no password. */
  settings(changes: Partial<PoolSettings> & { user?: string; host?: string; sslMode?: SslMode } = {}): PoolSettings {
    const { user = "admin", host = "127.0.0.1", sslMode = "disable", ...rest } = changes;
    return {
      target: { host, port: this.port, user, database: "postgres", sslMode },
      password: "",
      allowCleartext: false,
      authorities: "",
      statementMs: 10_000,
      size: 2,
      ...rest,
    };
  }

  /** Its Unix socket, at which users need no password. */
  get socketPath(): string {
    return join(this.#folder, `.s.PGSQL.${this.port}`);
  }

  /** The value of `postgres.url` in the configuration. */
  url(user: string, sslMode: SslMode = "disable"): string {
    return `postgres://${user}@127.0.0.1:${this.port}/postgres?sslmode=${sslMode}`;
  }

  /**
   * Creates a user with an empty schema of its own. This works as well as a new database and takes a tenth of the time.
   */
  async newUser(): Promise<string> {
    const user = `test${(this.#users += 1)}`;
    await this.query(`CREATE ROLE ${user} LOGIN`);
    await this.query(`CREATE SCHEMA AUTHORIZATION ${user}`);
    return user;
  }

  /** Runs a statement as `admin`, on a connection of its own. */
  async query(text: string): Promise<readonly (readonly (string | null)[])[]> {
    const connection = await Connection.open(this.settings());
    try {
      return (await connection.run([{ statement: statement(text), values: [] }], patient(START_MS))).rows;
    } finally {
      connection.close();
    }
  }

  /** Process ids of the sessions of a user. */
  async backendsOf(user: string): Promise<number[]> {
    return (await this.query(`SELECT pid FROM pg_stat_activity WHERE usename = '${user}'`)).map(([pid]) => Number(pid));
  }

  /** From now on the server presents this certificate. */
  async show(certificate: CertificateFiles): Promise<void> {
    this.#writeCertificate(certificate);
    await this.#reload();
  }

  /** Changes a setting of the running server. */
  async configure(name: string, value: string): Promise<void> {
    await this.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    await this.#reload();
  }

  async #reload(): Promise<void> {
    const before = await this.query("SELECT pg_conf_load_time()");
    await this.query("SELECT pg_reload_conf()");
    await until(async () => (await this.query("SELECT pg_conf_load_time()"))[0]?.[0] !== before[0]?.[0]);
  }

  /** Kills the server with all its sessions, as a power failure would. Its files are free when the promise resolves. */
  async crash(): Promise<void> {
    await until(() => {
      const pids = this.#processes();
      for (const pid of pids) kill(pid);
      return pids.length === 0;
    });
    await this.#shell?.stdin.end();
    await this.#shell?.exited;
  }

  /** The processes of a server are those that have its folder as working directory. No other process has it. */
  #processes(): number[] {
    const data = join(this.#folder, "data");
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 1 && folderOf(pid) === data);
  }

  /** Starts the server, also after a crash. */
  async up(): Promise<void> {
    const command = [...(IS_ROOT ? AS_NOBODY : []), join(BINARIES ?? "", "postgres"), "-D", join(this.#folder, "data")];
    this.#shell = Bun.spawn(["sh", "-c", SCRIPT, "sh", ...command], {
      stdin: "pipe",
      stdout: "ignore",
      stderr: "ignore",
      cwd: this.#folder,
      env: { ...process.env, SHARED_FOLDER: this.#isShared ? this.#folder : "" },
    });
    if (this.#isShared) this.#shell.unref();
    await until(() => this.query("SELECT 1").then(Boolean, () => false), START_MS, "the database is up");
  }

  async close(): Promise<void> {
    await this.#shell?.stdin.end();
    await this.#shell?.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #writeCertificate({ cert, key }: CertificateFiles): void {
    for (const [name, text] of [
      ["server.crt", cert],
      ["server.key", key],
    ] as const) {
      const path = join(this.#folder, name);
      writeFileSync(path, text, { mode: 0o600 });
      if (IS_ROOT) chownSync(path, NOBODY, NOBODY);
    }
  }

  async #makeUsers(): Promise<void> {
    await this.query(`CREATE ROLE clear LOGIN PASSWORD '${PASSWORD}'`);
    await this.query(`CREATE ROLE salted LOGIN PASSWORD '${PASSWORD}'`);
    const hash = new Bun.CryptoHasher("md5").update(`${PASSWORD}hashed`).digest("hex");
    await this.query(`CREATE ROLE hashed LOGIN PASSWORD 'md5${hash}'`);
  }
}

/** Creates the files of a server. They are a copy of the first ones: initdb takes 0.75 s of CPU time, a copy 0.1 s. */
function createData(folder: string): void {
  const version = Bun.spawnSync([join(BINARIES ?? "", "postgres"), "--version"]).stdout.toString();
  const template = inTestCache(`postgres-${Bun.hash(`${version}${process.getuid?.()}, WAL of 1 MB`).toString(36)}`);
  if (existsSync(template)) return copy(template, folder);
  run("initdb", "-D", folder, "-U", "admin", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--wal-segsize=1");
  const own = `${template}-${uniqueName()}`;
  copy(folder, own);
  try {
    renameSync(own, template);
  } catch {
    // Another process was faster.
    rmSync(own, { recursive: true });
  }
}

/** Copies a folder with its owners and modes. */
function copy(from: string, to: string): void {
  const { exitCode, stderr } = Bun.spawnSync(["cp", "-a", from, to]);
  if (exitCode !== 0) throw new Error(`Cannot copy ${from}: ${stderr.toString()}`);
}

function configuration(folder: string, port: number, { tls, fsync }: { tls: boolean; fsync: string }): string {
  return `
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = '${folder}'
max_connections = 100
shared_buffers = '16MB'
dynamic_shared_memory_type = mmap
fsync = ${fsync}
full_page_writes = ${fsync}
log_min_messages = panic
ssl = ${tls ? "on" : "off"}
ssl_cert_file = '${join(folder, "server.crt")}'
ssl_key_file = '${join(folder, "server.key")}'
`;
}

function run(name: string, ...args: readonly string[]): void {
  const [command = "", ...rest] = [...(IS_ROOT ? AS_NOBODY : []), join(BINARIES ?? "", name), ...args];
  const { status, stderr } = spawnSync(command, rest, { cwd: tmpdir() });
  if (status !== 0) throw new Error(`Cannot start PostgreSQL: ${name}: ${stderr.toString()}`);
}

/** The working directory of a process; undefined if it cannot be read, or the process has ended. */
function folderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended already.
  }
}
