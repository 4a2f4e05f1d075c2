/** A sandbox manager: it accepts commands on the control socket, and starts a machine for each requested tenant. */
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { type Machine, type MachineKind } from "./machine.ts";

const REPORT = "test manager\nproto_version=1\n";

export interface ManagerOptions {
  readonly kind: MachineKind;
  /** The control socket. */
  readonly control: string;
  /** The folder of the machines' sockets. */
  readonly folder: string;
}

/** Another reply to a command; undefined: start a machine. */
export type Responder = (tenant: string) => string | Promise<string> | undefined;

export class Manager {
  /** Tenants that were requested, in order, and the number of started machines. */
  readonly asked: string[] = [];
  started = 0;
  /** Why machines could not be started. */
  readonly failures: string[] = [];
  response: Responder = () => undefined;
  readonly #options: ManagerOptions;
  readonly #machines = new Map<string, Promise<Machine>>();
  readonly #clients = new Set<Socket>();
  readonly #server = createServer((socket) => this.#serve(socket));

  constructor(options: ManagerOptions) {
    this.#options = options;
  }

  async listen(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.on("error", reject).listen(this.#options.control, resolve);
    await promise;
  }

  /** The socket of a tenant's machine, which is started if it does not run. */
  async path(tenant: string): Promise<string> {
    return (await this.#machine(tenant)).path;
  }

  /** Ends a tenant's machine without a warning, like a crash; the next command starts another one. */
  async kill(tenant: string): Promise<void> {
    const machine = this.#machines.get(tenant);
    this.#machines.delete(tenant);
    await (await machine)?.kill();
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const client of this.#clients) client.destroy();
    await Promise.all([...this.#machines.keys()].map((tenant) => this.kill(tenant)));
  }

  #serve(socket: Socket): void {
    this.#clients.add(socket);
    socket.on("close", () => this.#clients.delete(socket)).on("error", () => socket.destroy());
    let rest = "";
    socket.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) void this.#obey(line).then(([output, code]) => socket.write(reply(output, code)));
    });
  }

  /** The reply to a command: output and exit code. */
  async #obey(line: string): Promise<readonly [output: string, code: number]> {
    if (line === "__info__") return [REPORT, 0];
    const tenant = /^start ([A-Za-z0-9.-]{1,64})(?::\d+)?$/.exec(line)?.[1]?.toLowerCase();
    if (tenant === undefined) return ["no such command", 2];
    this.asked.push(tenant);
    try {
      return [(await this.response(tenant)) ?? (await this.path(tenant)), 0];
    } catch (error) {
      this.#machines.delete(tenant);
      this.failures.push(String(error));
      return [String(error), 1];
    }
  }

  /** One machine for each tenant, however often it is requested. */
  #machine(tenant: string): Promise<Machine> {
    const known = this.#machines.get(tenant);
    if (known !== undefined) return known;
    this.started++;
    const path = join(this.#options.folder, `${tenant}-${this.started}.sock`);
    const machine = this.#options.kind.start(tenant, path);
    this.#machines.set(tenant, machine);
    return machine;
  }
}

/** Control bytes of the protocol are escaped in an output. */
function reply(output: string, code: number): Buffer {
  const escaped = output.replaceAll(/[\x1e\x1f]/g, (byte) => `\x1f${String.fromCharCode(byte.charCodeAt(0) ^ 0x40)}`);
  return Buffer.from(`${escaped}\x1e${code}\n`, "latin1");
}
