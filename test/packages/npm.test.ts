/** The npm packages: their files, and that they work after installation. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import clientManifest from "../../client/package.json";
import manifest from "../../package.json";
import { patient } from "../../src/lib/testing/patience.ts";
import { PRIVATE_KEY } from "../../src/payments/testing/payment.ts";
import { Folder, Program } from "../support/program.ts";
import { install, pack } from "./testing/npm-install.ts";

// npm, and a gateway, while other tests run.
setDefaultTimeout(patient(60_000));

/** Bytes of the package without its fonts, which are compressed already. */
const MAX_PACKED_BYTES = 3_800_000;
const MAX_UNPACKED_BYTES = 10_800_000;
const MAX_FONT_BYTES = 5_000_000;
const MAX_CLIENT_BYTES = 66_000;

/** Node programs to test in addition to the one in the path, separated by colons. */
const NODES = ["node", ...(process.env["TURNPIKE_TEST_NODES"] ?? "").split(":").filter((path) => path !== "")];

const folder = new Folder();
afterAll(() => folder.remove());

const whole = pack(".", folder.path);
const client = pack("client", folder.path);
install(whole.tarball, folder.file("local"), "turnpike");

async function run(command: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawn([...command], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TURNPIKE_HOME: folder.file("home"), ...env },
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

test("the package has the program, and neither tests, benches nor documents", () => {
  console.log(`turnpike: ${whole.size} bytes packed, ${whole.unpackedSize} unpacked; client: ${client.size} packed`);
  const fonts = statSync(join(import.meta.dir, "../../src/content/fonts/fonts.tar.br")).size;
  expect(whole.size - fonts).toBeLessThan(MAX_PACKED_BYTES);
  expect(whole.unpackedSize - fonts).toBeLessThan(MAX_UNPACKED_BYTES);
  expect(fonts).toBeLessThan(MAX_FONT_BYTES);
  expect(client.size).toBeLessThan(MAX_CLIENT_BYTES);
  const other =
    /\.test\.|\/testing\/|\/testdata\/|^(?!README\.md$|LICENSE$|package\.json$|turnpike\.schema\.json$|scripts\/bun\.mjs$|(?:bin|client|config|src)\/)/;
  expect(whole.files.filter((path) => other.test(path))).toEqual([]);
  expect(client.files.toSorted()).toEqual([
    "LICENSE",
    "README.md",
    "ai.d.ts",
    "ai.js",
    "call.d.ts",
    "client.d.ts",
    "client.js",
    "job.d.ts",
    "langchain.d.ts",
    "langchain.js",
    "operations.d.ts",
    "package.json",
    "tool-operations.d.ts",
    "tools.d.ts",
    "tools.js",
    "turnpike-error.d.ts",
  ]);
  expect(manifest).not.toHaveProperty("private");
});

test("the package of the client has the version and the dependencies of the main package", () => {
  expect(clientManifest.version).toBe(manifest.version);
  expect(manifest.dependencies).toMatchObject(clientManifest.dependencies);
});

test("npx runs the program in a folder that has it installed", async () => {
  const bin = folder.file("local/node_modules/.bin");
  mkdirSync(bin);
  symlinkSync("../turnpike/bin/turnpike", join(bin, "turnpike"));
  const ran = await run(["npx", "--offline", "turnpike", "--version"], folder.file("local"));
  expect(ran).toMatchObject({ code: 0, out: `turnpike ${manifest.version}\n` });
});

test.each(NODES)("a globally installed program calls and pays for an operation, on %s", async (node) => {
  // The layout of a global npm package: lib/node_modules/turnpike, and a link to its program in bin.
  const prefix = folder.file(`prefix-${NODES.indexOf(node)}`);
  install(whole.tarball, join(prefix, "lib"), "turnpike");
  mkdirSync(join(prefix, "bin"));
  const turnpike = join(prefix, "bin/turnpike");
  symlinkSync("../lib/node_modules/turnpike/bin/turnpike", turnpike);
  const state = join(prefix, "state");
  const program = new Program(["start", "--port", "0", "--state-dir", state, "--admin-port", "0"], {
    command: [turnpike],
  });
  try {
    const [, gateway = ""] = await program.sees(/^gateway +(http:\S+)$[^]*^try /m);
    const paid = await run([turnpike, "call", "qr", "hello", "--gateway", gateway, "--out", "qr.png"], prefix);
    expect([paid.code, paid.err]).toEqual([0, expect.stringContaining("paid $0.001 USDC")]);
    expect(readFileSync(join(prefix, "qr.png")).subarray(1, 4).toString()).toBe("PNG");
    const place = folder.file(`client-${NODES.indexOf(node)}`);
    install(client.tarball, place, "turnpike-client", Object.keys(clientManifest.dependencies));
    const script = `import { Turnpike } from "turnpike-client";
const { bytes } = await new Turnpike({ url: "${gateway}", privateKey: "${PRIVATE_KEY}" }).qr({ data: "hello" });
console.log(Buffer.from(bytes).subarray(1, 4).toString());`;
    await Bun.write(join(place, "call.mjs"), script);
    expect(await run([node, "call.mjs"], place)).toEqual({ code: 0, out: "PNG\n", err: "" });
  } finally {
    await program.stop();
  }
});
