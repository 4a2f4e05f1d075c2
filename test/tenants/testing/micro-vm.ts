/** Real microVMs: QEMU, Debian's kernel, and a file system with a shell and a short HTTP server. */
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patient } from "../../../src/lib/testing/patience.ts";
import { until } from "../../../src/lib/testing/until.ts";
import { cpio } from "./cpio.ts";
import { type Machine, type MachineKind } from "./machine.ts";
import { isInstalled } from "../../../src/lib/testing/installed.ts";

/** The folder to which .ci/run unpacks the packages of kernel and shell. */
const ROOT = process.env["TURNPIKE_TEST_MICROVM"] ?? "/opt/turnpike-microvm";
const QEMU = "qemu-system-x86_64";
const MODULES = [
  "drivers/virtio/virtio_ring",
  "drivers/virtio/virtio",
  "drivers/virtio/virtio_mmio",
  "net/core/failover",
  "drivers/net/net_failover",
  "drivers/net/virtio_net",
];

/**
 * One connection at a time for each port, because the machine's server has almost no queue. There are more ports than
 * idle connections that the gateway keeps; otherwise a connection could wait for a port endlessly.
 */
const GUEST_PORTS = Array.from({ length: 20 }, (_, i) => 80 + i);

const INIT = `#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox --install -s /bin
export PATH=/bin
mount -t devtmpfs dev /dev
for m in ${MODULES.map((path) => path.replace(/^.*\//, "")).join(" ")}; do insmod /modules/$m.ko; done
ip link set lo up
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up
for word in $(cat /proc/cmdline); do case $word in tenant=*) echo "\${word#tenant=}" >/tenant;; esac; done
cat /proc/sys/kernel/random/uuid >/boot-id
for port in ${GUEST_PORTS.join(" ")}; do nc -ll -p "$port" -e /serve & done
exec sleep 1000000
`;

/** One connection: requests, one after the other. */
const SERVE = `#!/bin/sh
CR=$(printf '\\r')
TENANT=$(cat /tenant)
BOOT=$(cat /boot-id)
requests=0
while read -r method url version; do
  length=0 host=
  while read -r line; do
    line=\${line%$CR}
    [ -z "$line" ] && break
    value=\${line#*: }
    case $line in
      [Cc]ontent-[Ll]ength:*) length=$value ;;
      [Hh]ost:*) host=$value ;;
    esac
  done
  requests=$((requests + 1))
  [ "$length" -gt 0 ] && head -c "$length" >/dev/null
  body="{\\"tenant\\":\\"$TENANT\\",\\"boot\\":\\"$BOOT\\",\\"requests\\":$requests,\\"method\\":\\"$method\\",\\"url\\":\\"$url\\",\\"host\\":\\"$host\\",\\"body\\":$length}"
  announced=\${#body}
  case $url in /stalls) announced=10000 ;; /late) sleep 0.3 ;; esac
  printf 'HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n%s' "$announced" "$body"
  case $url in /stalls) sleep 600 ;; esac
done
`;

export const MICRO_VMS: MachineKind = {
  name: "microVMs",
  missing: isInstalled("QEMU with a kernel", missing() === undefined) ? undefined : missing(),
  start,
};

function missing(): string | undefined {
  if (Bun.which(QEMU) === null) return `there is no ${QEMU}`;
  if (kernelVersion() === undefined) return `there is no kernel in ${ROOT}`;
  if (!existsSync(join(ROOT, "bin/busybox"))) return `there is no busybox in ${ROOT}`;
  return undefined;
}

function kernelVersion(): string | undefined {
  try {
    return readdirSync(join(ROOT, "lib/modules"))[0];
  } catch {
    return undefined;
  }
}

/** Hardware virtualisation if the machine supports it: without one of these flags, its /dev/kvm runs no kernel. */
function accelerator(): "kvm" | "tcg" {
  try {
    accessSync("/dev/kvm", constants.R_OK | constants.W_OK);
    return /^flags.* (?:vmx|svm)\b/m.test(readFileSync("/proc/cpuinfo", "latin1")) ? "kvm" : "tcg";
  } catch {
    return "tcg";
  }
}

let archive: string | undefined;

/** The file with the initial file system, which is the same for all machines. */
function fileSystem(version: string): string {
  if (archive !== undefined) return archive;
  const folder = mkdtempSync(join(tmpdir(), "turnpike-microvm-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const program = 0o100755;
  const directories = ["bin", "dev", "proc", "modules"].map((name) => ({ name, mode: 0o040755 }));
  const modules = MODULES.map((path) => ({
    name: `modules/${path.replace(/^.*\//, "")}.ko`,
    mode: 0o100644,
    bytes: readFileSync(join(ROOT, "lib/modules", version, "kernel", `${path}.ko`)),
  }));
  const busybox = { name: "bin/busybox", mode: program, bytes: readFileSync(join(ROOT, "bin/busybox")) };
  const scripts = [
    { name: "init", mode: program, bytes: Buffer.from(INIT) },
    { name: "serve", mode: program, bytes: Buffer.from(SERVE) },
  ];
  archive = join(folder, "initramfs.cpio");
  writeFileSync(archive, cpio([...directories, busybox, ...modules, ...scripts]));
  return archive;
}

/**
 * The machine's ports are forwarded from ports of the host's loopback, which get the connections of the Unix socket.
 */
async function start(tenant: string, path: string): Promise<Machine> {
  const version = kernelVersion() ?? "";
  const forwarded = GUEST_PORTS.map((port) => `hostfwd=tcp:127.0.0.1:0-:${port}`).join(",");
  const consoleLog = `${path}.console`;
  const accelerated = accelerator();
  // An emulated machine has no clock with which the kernel could calibrate its own.
  const kernel = ["quiet", "console=ttyS0", "panic=-1", "reboot=t", "no_timer_check", `tenant=${tenant}`];
  const options = [
    ["-M", `microvm,rtc=on,pit=on,pic=on,accel=${accelerated}`, "-cpu", accelerated === "kvm" ? "host" : "max"],
    ["-m", "128", "-smp", "1", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"],
    ["-kernel", join(ROOT, `boot/vmlinuz-${version}`), "-initrd", fileSystem(version)],
    ["-serial", `file:${consoleLog}`, "-qmp", "stdio"],
    ["-append", [...kernel, ...(accelerated === "kvm" ? [] : ["tsc_early_khz=2000000"])].join(" ")],
    ["-netdev", `user,id=net,restrict=on,${forwarded}`, "-device", "virtio-net-device,netdev=net"],
  ].flat();
  const child = Bun.spawn([QEMU, ...options], { stdio: ["pipe", "pipe", "pipe"] });
  const printed = child.stderr.text();
  let bridge: Bridge | undefined;
  const gone = child.exited.then(() => bridge?.close());
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await gone;
  };
  try {
    const ports = await forwardedPorts(child);
    await until(() => responses(ports[0] ?? 0, child), patient(30_000), "a response of the microVM");
    bridge = new Bridge(ports);
    await bridge.listen(path);
  } catch (error) {
    await kill();
    const said = `${await printed}${existsSync(consoleLog) ? readFileSync(consoleLog, "utf8").slice(-2000) : ""}`;
    throw new Error(`Cannot start the machine of ${tenant}: ${said}`, { cause: error });
  }
  return { tenant, path, kill };
}

/** The ports that the host's kernel has chosen, in order, from QEMU's monitor protocol. */
async function forwardedPorts(child: Bun.Subprocess<"pipe", "pipe", "pipe">): Promise<readonly number[]> {
  for (const line of [
    { execute: "qmp_capabilities" },
    { execute: "human-monitor-command", arguments: { "command-line": "info usernet" } },
  ]) {
    await child.stdin.write(`${JSON.stringify(line)}\n`);
  }
  await child.stdin.flush();
  let text = "";
  const decoder = new TextDecoder();
  const reader = child.stdout.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error("QEMU has ended");
    text += decoder.decode(value, { stream: true });
    const ports = [...text.matchAll(/HOST_FORWARD\]\s+\d+\s+127\.0\.0\.1\s+(\d+)/g)].map(([, port]) => Number(port));
    if (text.endsWith("\n") && ports.length === GUEST_PORTS.length) {
      reader.releaseLock();
      return ports;
    }
  }
}

/** QEMU accepts connections before the machine does. Only a response shows that the machine is ready. */
async function responses(port: number, child: Bun.Subprocess): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) throw new Error("QEMU has ended");
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2000), keepalive: false });
    return response.ok;
  } catch {
    return false;
  }
}

/** Passes connections of a Unix socket to ports, one at a time to each; the others wait. */
class Bridge {
  readonly #free: number[];
  readonly #waiting: Socket[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => this.#take(client));

  constructor(ports: readonly number[]) {
    this.#free = [...ports];
  }

  async listen(path: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(path, resolve);
    await promise;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #take(client: Socket): void {
    this.#sockets.add(client);
    client.on("error", () => client.destroy());
    client.on("close", () => this.#sockets.delete(client));
    this.#waiting.push(client);
    this.#next();
  }

  #next(): void {
    const client = this.#waiting.shift();
    const port = client === undefined ? undefined : this.#free.pop();
    if (client === undefined) return;
    if (port === undefined) this.#waiting.unshift(client);
    else this.#connect(client, port);
  }

  #connect(client: Socket, port: number): void {
    const machine = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
    this.#sockets.add(machine);
    machine.on("error", () => client.destroy());
    client.on("close", () => machine.destroy());
    machine.on("close", () => {
      this.#sockets.delete(machine);
      client.destroy();
      this.#free.push(port);
      this.#next();
    });
    client.pipe(machine).pipe(client);
  }
}
