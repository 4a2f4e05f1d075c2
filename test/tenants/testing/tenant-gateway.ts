/** A gateway with tenant routes, and the manager that starts its tenants. */
import { mkdirSync, writeFileSync } from "node:fs";
import { KEY } from "../../support/admin.ts";
import { Folder } from "../../support/program.ts";
import { type ProtocolGateway, startProtocols } from "../../policy/protocols.ts";
import { type MachineKind } from "./machine.ts";
import { Manager } from "./manager.ts";

export interface TenantGatewayOptions {
  readonly kind: MachineKind;
  /** Modules of filters by the path prefix of their route. */
  readonly filters: Readonly<Record<string, Uint8Array>>;
  /** Settings of `server`, and other sections. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The routes; `socket_dir` is the folder of the machines' sockets. */
  readonly routes: (socketDir: string) => readonly object[];
}

/** The part of a tenant's response that tests check: see serve-tenant.ts. */
export interface Told {
  readonly tenant: string;
  readonly boot: string;
  readonly host: string;
  readonly body: number;
  readonly requests: number;
  readonly url: string;
}

export class TenantGateway {
  readonly gateway: ProtocolGateway;
  readonly manager: Manager;
  readonly folder: Folder;

  private constructor(gateway: ProtocolGateway, manager: Manager, folder: Folder) {
    this.gateway = gateway;
    this.manager = manager;
    this.folder = folder;
  }

  static async start({ kind, filters, config = {}, routes }: TenantGatewayOptions): Promise<TenantGateway> {
    const folder = new Folder();
    const sockets = folder.file("vms");
    mkdirSync(sockets);
    const control = folder.file("control.sock");
    const manager = new Manager({ kind, control, folder: sockets });
    await manager.listen();
    const wasmFilters = Object.entries(filters).map(([match, bytes], i) => {
      const module = folder.file(`filter-${i}.wasm`);
      writeFileSync(module, bytes);
      return { match, module, instances: 64 };
    });
    const whole = {
      admin: { enabled: true, port: 0, api_key: KEY },
      routes: routes(sockets),
      wasm_filters: wasmFilters,
      wasm_control_socket: control,
      ...config,
    };
    try {
      const gateway = await startProtocols(whole);
      return new TenantGateway(gateway, manager, folder);
    } catch (error) {
      await manager.close();
      throw error;
    }
  }

  /** Requests a path of a tenant over HTTP/1.1. */
  async ask(tenant: string, path = "/", request: RequestInit = {}): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.set("x-tenant", tenant);
    return await fetch(`http://127.0.0.1:${this.gateway.plainPort}${path}`, { ...request, headers });
  }

  async told(tenant: string, path = "/", request: RequestInit = {}): Promise<Told> {
    const response = await this.ask(tenant, path, request);
    if (response.status !== 200) {
      const said = [`${response.status}: ${await response.text()}`, ...this.manager.failures];
      throw new Error(`Cannot ask ${tenant}: ${said.join("\n")}`);
    }
    // Machines send JSON of this form.
    return (await response.json()) as Told;
  }

  /** Sends a request to the admin interface. */
  async admin(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
    const [, url = ""] = await this.gateway.program.sees(/admin interface on (https?:\/\/\S+)\//);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { "x-api-key": KEY, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Keys of the tenants that are warm. */
  async warm(): Promise<string[]> {
    const { body } = await this.admin("GET", "/v1/tenants");
    return Reflect.get(body as object, "tenants").map((tenant: { key: string }) => tenant.key);
  }

  /** Reloads the configuration with other values of some keys. */
  async reload(changes: object): Promise<void> {
    const { folder } = this.gateway;
    const before = await Bun.file(folder.file("turnpike.json")).json();
    folder.write("turnpike.json", { ...before, ...changes });
    const { status, body } = await this.admin("POST", "/v1/reload");
    if (status !== 200) throw new Error(`Cannot reload: ${JSON.stringify(body)}`);
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.manager.close();
    this.folder.remove();
  }
}
