import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { freePort } from "../../lib/testing/listen.ts";
import { until } from "../../lib/testing/until.ts";
import { Connection, statement } from "../postgres/connection.ts";
import { type PoolSettings } from "../postgres/pool.ts";
import { type SslMode } from "../postgres/target.ts";
import { patient } from "../../lib/testing/patience.ts";

/** Debian keeps them apart by version: the newest first. */
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

/** False where PostgreSQL is not installed: `describe.skipIf(!hasPostgres)`. */
export const hasPostgres = BINARIES !== undefined;

/** PostgreSQL refuses to run as root. */
const AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const IS_ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;

/** The server dies with whoever started it: its shell waits for the end of standard input, which comes with a SIGKILL too. */
const SCRIPT = `"$@" </dev/null & child=$!; read -r _; kill -QUIT "$child" 2>/dev/null; wait "$child"`;
const START_MS = 30_000;

/** Users by how they log in; the password of all is `PASSWORD`. All others need none. */
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

/** For tests alone: a PostgreSQL server of its own, in a temporary folder, on a port of the loopback interface. */
export class TestPostgres {
  readonly port: number;
  readonly #folder: string;
  #shell: Bun.Subprocess<"pipe", "ignore", "ignore"> | undefined;
  #users = 0;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
  }

  /**
   * Starts one, with TLS where there is a certificate; throws where it does not come up. `fsync`: it waits for the disk, as
   * measurements need it.
   */
  static async start(certificate?: CertificateFiles, fsync: "on" | "off" = "off"): Promise<TestPostgres> {
    const folder = mkdtempSync(join(tmpdir(), "turnpike-pg-"));
    if (IS_ROOT) chownSync(folder, NOBODY, NOBODY);
    const port = await freePort();
    const server = new TestPostgres(folder, port);
    try {
      run("initdb", "-D", join(folder, "data"), "-U", "admin", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync");
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

  /** How to connect, as `admin` where no user is named, who needs no password. */
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

  /** `postgres.url` of the configuration. */
  url(user: string, sslMode: SslMode = "disable"): string {
    return `postgres://${user}@127.0.0.1:${this.port}/postgres?sslmode=${sslMode}`;
  }

  /** A user with an empty schema of its own, which is as good as a database and made in a tenth of the time. */
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

  /** Shows another certificate from now on. */
  async show(certificate: CertificateFiles): Promise<void> {
    this.#writeCertificate(certificate);
    const before = await this.query("SELECT pg_conf_load_time()");
    await this.query("SELECT pg_reload_conf()");
    await until(async () => (await this.query("SELECT pg_conf_load_time()"))[0]?.[0] !== before[0]?.[0]);
  }

  /** Kills the server as a power cut would, sessions and all; its files are free when it resolves. */
  async crash(): Promise<void> {
    await until(() => {
      const pids = this.#processes();
      for (const pid of pids) kill(pid);
      return pids.length === 0;
    });
    await this.#shell?.stdin.end();
    await this.#shell?.exited;
  }

  /** All processes of a server work in its folder, and nobody else does. */
  #processes(): number[] {
    const data = join(this.#folder, "data");
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 1 && folderOf(pid) === data);
  }

  /** Starts it, once more after a crash. */
  async up(): Promise<void> {
    const command = [...(IS_ROOT ? AS_NOBODY : []), join(BINARIES ?? "", "postgres"), "-D", join(this.#folder, "data")];
    this.#shell = Bun.spawn(["sh", "-c", SCRIPT, "sh", ...command], {
      stdin: "pipe",
      stdout: "ignore",
      stderr: "ignore",
      cwd: this.#folder,
    });
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

function configuration(folder: string, port: number, { tls, fsync }: { tls: boolean; fsync: string }): string {
  return `
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = '${folder}'
max_connections = 100
shared_buffers = '16MB'
fsync = ${fsync}
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

/** Where a process works; undefined where that is not ours to know, or it is gone. */
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
    // It is gone already.
  }
}
