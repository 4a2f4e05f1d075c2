/** An ACME directory for tests: pebble, its DNS server, and a proxy before it that can fail on request. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../src/lib/testing/listen.ts";
import { LOCALHOST, TEST_CA } from "../../support/certificates.ts";
import { until } from "../../support/program.ts";
import { isInstalled } from "../../../src/lib/testing/installed.ts";

const PEBBLE = Bun.which("pebble");
const DNS = Bun.which("pebble-challtestsrv");

/** False if the Debian package `pebble` is not installed: `describe.skipIf(!hasPebble)`. */
export const hasPebble = isInstalled("pebble", PEBBLE !== null && DNS !== null);

/** They end with the test, even after SIGKILL: their shell waits for the end of standard input. */
const SCRIPT = `"$@" </dev/null & child=$!; read -r _; kill "$child" 2>/dev/null; wait "$child"`;

export interface TestDirectoryOptions {
  /** The ports at which pebble requests the responses to HTTP-01 and TLS-ALPN-01. */
  readonly httpPort: number;
  readonly tlsPort: number;
  /** Percentage of valid nonces that are refused. */
  readonly nonceReject?: number;
  readonly blocked?: readonly string[];
  /** Percentage of valid authorizations that are used for further orders. */
  readonly authzReuse?: number;
  /** Names are not checked. */
  readonly alwaysValid?: boolean;
  /** Keys of external accounts by their ids; accounts need one of them. */
  readonly externalAccounts?: Readonly<Record<string, string>>;
}

/** The proxy's response instead of pebble's; undefined: the request is forwarded. */
export type Intercept = (path: string, body: string) => Response | undefined | Promise<Response | undefined>;

export class TestDirectory {
  readonly url: string;
  readonly caPath: string;
  /** Requested paths, oldest first. */
  readonly asked: string[] = [];
  /** Payloads of orders. */
  readonly orders: Readonly<Record<string, unknown>>[] = [];
  intercept: Intercept = () => undefined;
  /** The renewal window of a certificate (RFC 9773); undefined: the directory has no renewal information. */
  renewal: ((id: string) => { readonly start: string; readonly end: string }) | undefined;
  readonly #folder: string;
  readonly #front: Bun.Server<undefined>;
  readonly #children: readonly Bun.Subprocess<"pipe", "ignore", "ignore">[];
  readonly #dnsUrl: string;
  readonly #pebbleUrl: string;
  readonly #rootsUrl: string;

  private constructor(
    folder: string,
    {
      front,
      children,
      dnsUrl,
      pebbleUrl,
      rootsUrl,
      caPath,
    }: {
      front: (directory: () => TestDirectory) => Bun.Server<undefined>;
      children: readonly Bun.Subprocess<"pipe", "ignore", "ignore">[];
      dnsUrl: string;
      pebbleUrl: string;
      rootsUrl: string;
      caPath: string;
    },
  ) {
    this.#folder = folder;
    this.#children = children;
    this.#dnsUrl = dnsUrl;
    this.#pebbleUrl = pebbleUrl;
    this.#rootsUrl = rootsUrl;
    this.#front = front(() => this);
    this.caPath = caPath;
    this.url = `https://localhost:${this.#front.port}/dir`;
  }

  static async start(options: TestDirectoryOptions): Promise<TestDirectory> {
    const folder = mkdtempSync(join(tmpdir(), "turnpike-pebble-"));
    const [port, rootsPort, dnsPort, managementPort] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const caPath = file("ca.pem", TEST_CA.cert);
    const pebble = {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${rootsPort}`,
      certificate: file("cert.pem", LOCALHOST.cert),
      privateKey: file("key.pem", LOCALHOST.key),
      httpPort: options.httpPort,
      tlsPort: options.tlsPort,
      domainBlocklist: options.blocked ?? [],
      externalAccountBindingRequired: options.externalAccounts !== undefined,
      externalAccountMACKeys: options.externalAccounts ?? {},
    };
    const config = file("pebble.json", JSON.stringify({ pebble }));
    const children = [
      run([PEBBLE ?? "", "-strict", "-config", config, "-dnsserver", `127.0.0.1:${dnsPort}`], {
        PEBBLE_VA_NOSLEEP: "1",
        PEBBLE_WFE_NONCEREJECT: String(options.nonceReject ?? 5),
        PEBBLE_AUTHZREUSE: String(options.authzReuse ?? 0),
        ...(options.alwaysValid === true ? { PEBBLE_VA_ALWAYS_VALID: "1" } : {}),
      }),
      run(
        [
          DNS ?? "",
          "-dns01",
          `127.0.0.1:${dnsPort}`,
          "-management",
          `127.0.0.1:${managementPort}`,
          "-defaultIPv6",
          "",
          "-http01",
          "",
          "-https01",
          "",
          "-tlsalpn01",
          "",
        ],
        {},
      ),
    ];
    const directory = new TestDirectory(folder, {
      front: (own) => createFront(port, own),
      children,
      rootsUrl: `https://127.0.0.1:${rootsPort}/roots/0`,
      pebbleUrl: `https://127.0.0.1:${port}/dir`,
      dnsUrl: `http://127.0.0.1:${managementPort}`,
      caPath,
    });
    await until("pebble", async () => ((await directory.#isUp()) ? true : undefined));
    return directory;
  }

  /** Sets the address of a host name. The default is 127.0.0.1. */
  async resolve(host: string, address: string): Promise<void> {
    const body = JSON.stringify({ host, addresses: [address] });
    await fetch(`${this.#dnsUrl}/clear-a`, { method: "POST", body: JSON.stringify({ host }) });
    await fetch(`${this.#dnsUrl}/add-a`, { method: "POST", body });
  }

  /** The certificate of the authority, in PEM. */
  async root(): Promise<string> {
    return (await fetch(this.#rootsUrl, { tls: { ca: TEST_CA.cert } })).text();
  }

  async close(): Promise<void> {
    await this.#front.stop(true);
    for (const child of this.#children) void child.stdin.end();
    await Promise.all(this.#children.map(({ exited }) => exited));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #isUp(): Promise<boolean> {
    try {
      const [directory, dns] = await Promise.all([
        fetch(this.#pebbleUrl, { tls: { ca: TEST_CA.cert } }),
        fetch(this.#dnsUrl),
      ]);
      return directory.ok && dns.status > 0;
    } catch {
      return false;
    }
  }
}

function run(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Bun.Subprocess<"pipe", "ignore", "ignore"> {
  return Bun.spawn(["sh", "-c", SCRIPT, "sh", ...command], {
    stdio: ["pipe", "ignore", "ignore"],
    env: { ...process.env, ...env },
  });
}

function createFront(port: number, own: () => TestDirectory): Bun.Server<undefined> {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert: LOCALHOST.cert, key: LOCALHOST.key },
    idleTimeout: 120,
    async fetch(request) {
      const directory = own();
      const { pathname, host } = new URL(request.url);
      const body = await request.text();
      directory.asked.push(pathname);
      const instead = await directory.intercept(pathname, body);
      if (instead !== undefined) return instead;
      const renewal = /^\/renewal\/(.*)$/.exec(pathname)?.[1];
      if (renewal !== undefined) return Response.json({ suggestedWindow: directory.renewal?.(renewal) });
      const response = await fetch(`https://127.0.0.1:${port}${pathname}`, {
        method: request.method,
        // Pebble uses the requested host in its URLs.
        headers: {
          host,
          "content-type": "application/jose+json",
          "user-agent": request.headers.get("user-agent") ?? "",
        },
        ...(request.method === "POST" ? { body } : {}),
        tls: { ca: TEST_CA.cert },
        redirect: "manual",
      });
      if (pathname === "/order-plz" && response.ok) directory.orders.push(payloadOf(body));
      // Pebble asks for 3 to 5 s.
      response.headers.delete("retry-after");
      if (pathname !== "/dir" || directory.renewal === undefined) return response;
      const resources: unknown = await response.json();
      return Response.json(Object.assign({}, resources, { renewalInfo: `https://${host}/renewal` }));
    },
  });
}

function payloadOf(body: string): Readonly<Record<string, unknown>> {
  const { payload }: { payload?: string } = JSON.parse(body);
  return JSON.parse(Buffer.from(payload ?? "", "base64url").toString() || "{}");
}

/** The response of a directory that refuses a request. */
export function refusal(
  type: string,
  status: number,
  headers: Readonly<Record<string, string>> = {},
  members: object = {},
): Response {
  return Response.json(
    { type: `urn:ietf:params:acme:error:${type}`, detail: `a test's ${type}`, ...members },
    { status, headers: { "content-type": "application/problem+json", ...headers } },
  );
}
