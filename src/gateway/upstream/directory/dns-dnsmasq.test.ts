/** DNS discovery against a real name server. Debian has it as `dnsmasq-base`. */
import { afterEach, expect, test } from "bun:test";
import { Folder, Program, until } from "../../../../test/support/program.ts";
import { freePort } from "../../../lib/testing/listen.ts";
import { plentyOfBuffers } from "../../../lib/testing/plenty.ts";
import { TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { serverKey } from "../member.ts";
import { DnsDiscovery } from "./dns-discovery.ts";
import { isInstalled } from "../../../lib/testing/installed.ts";

const dnsmasq = Bun.which("dnsmasq", { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/usr/local/sbin` });
const TTL_S = 1;
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function hosts(addresses: readonly string[]): string {
  return addresses.map((address) => `${address} app.test\n`).join("");
}

test.skipIf(!isInstalled("dnsmasq", dnsmasq !== null))(
  "any number of servers is found through dnsmasq, changes with its records, and stays when it has stopped (skipped without dnsmasq)",
  async () => {
    const folder = new Folder();
    closing.push(() => folder.remove());
    // More addresses than a datagram of 512 bytes holds.
    const many = Array.from({ length: 120 }, (_, i) => `10.0.0.${i + 1}`);
    const file = folder.write("hosts", hosts([...many, "fd00::1"]));
    const port = await freePort();
    const place = [`--port=${port}`, "--listen-address=127.0.0.1", "--bind-interfaces", "--user="];
    const silent = [
      "--no-daemon",
      "--conf-file=/dev/null",
      "--pid-file",
      "--no-resolv",
      "--no-hosts",
      "--no-poll",
      "--local=/test/",
    ];
    const server = new Program([...silent, ...place, `--addn-hosts=${file}`, `--local-ttl=${TTL_S}`], {
      command: [dnsmasq ?? ""],
    });
    closing.push(() => server.stop());
    await server.sees(/read .*hosts/);
    const logged: string[] = [];
    const errors: unknown[] = [];
    const discovery = new DnsDiscovery(
      { name: "u", allowPrivate: true },
      { hostname: "app.test", port: 80, interval_s: 60, nameservers: [`127.0.0.1:${port}`] },
      {
        wheel: new TimerWheel(),
        buffers: plentyOfBuffers(),
        random: () => 0,
        log: (message) => logged.push(message),
        onError: (error) => errors.push(error),
      },
    );
    closing.push(() => discovery.close());
    const keys = (): string[] => discovery.servers.list.map(({ endpoint }) => serverKey(endpoint));
    await discovery.servers.first;
    expect(new Set(keys())).toEqual(new Set([...many.map((address) => `${address}:80`), "[fd00::1]:80"]));
    folder.write("hosts", hosts(["10.0.0.7"]));
    server.kill("SIGHUP");
    await until("the change is found", () => (keys().join() === "10.0.0.7:80" ? true : undefined));
    server.kill("SIGKILL");
    await until("its end is noticed", () => logged[0]);
    expect(keys()).toEqual(["10.0.0.7:80"]);
    expect(errors).toEqual([]);
  },
  20_000,
);
