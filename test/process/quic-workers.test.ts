/** Workers that die while others serve HTTP/3 on the same port. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { LOCALHOST } from "../support/certificates.ts";
import { Http3Client } from "../support/http3-client.ts";
import { isAlive } from "../../src/lib/process/is-alive.ts";
import { descendants, Folder, Program, until } from "../support/program.ts";
import { parseMetrics } from "../support/prometheus.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const CLIENTS = 12;
const WORKERS = 3;

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.remove());

function write(): string {
  const listeners = [{ address: "127.0.0.1", port: 0, use_tls: true, quic_enabled: true }];
  const tls = { cert_path: folder.write("cert.pem", LOCALHOST.cert), key_path: folder.write("key.pem", LOCALHOST.key) };
  return folder.write("turnpike.json", { server: { workers: WORKERS, listeners }, tls });
}

async function metric(port: number, name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
  const response = await fetch(`https://127.0.0.1:${port}/metrics`, {
    tls: { rejectUnauthorized: false },
    headers: { connection: "close" },
  });
  const samples = parseMetrics(await response.text()).get(name)?.samples ?? [];
  const found = samples.filter((sample) =>
    Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  return found.reduce((sum, { value }) => sum + value, 0);
}

test("when any worker dies, the connections of the others continue, also after its replacement", async () => {
  const program = new Program(["--config", write()]);
  const clients: Http3Client[] = [];
  try {
    const [, text] = await program.sees(/listening on \S+:(\d+)/);
    const port = Number(text);
    // Some containers allow no pidfd_getfd.
    if (program.output.includes("does not allow sockets to be kept")) return;
    const open = (): Promise<number> => metric(port, "turnpike_connections_open", { transport: "quic" });
    const workers = descendants(program.pid, "/process/workers/worker.");
    expect(workers).toHaveLength(WORKERS);
    while (clients.length < CLIENTS) clients.push(await Http3Client.connect(port));
    for (const [i, worker] of workers.entries()) {
      process.kill(worker, "SIGKILL");
      await until("its end", () => (isAlive(worker) ? undefined : true));
      // A client that reaches the TCP socket of the dead worker gets a reset.
      const restarts = (): Promise<number> => metric(port, "turnpike_worker_restarts_total").catch(() => 0);
      await until("another", async () => ((await restarts()) > i ? true : undefined));
      const left = await open();
      let responded = 0;
      for (const client of clients) {
        void client.request("GET", "/.healthz").then(
          () => responded++,
          () => {},
        );
      }
      await until(`answers to all ${left}`, () => (responded >= left ? true : undefined));
      expect(responded).toBe(left);
    }
  } finally {
    for (const client of clients) client.close();
    await program.stop();
  }
});
