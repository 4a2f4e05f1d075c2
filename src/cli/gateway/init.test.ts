import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMAND } from "../../../test/support/program.ts";
import { diagnosticText } from "../../gateway/config/diagnostic.ts";
import { loadFile } from "../../gateway/config/load.ts";
import { patient } from "../../lib/testing/patience.ts";
import { smallDisk } from "../../lib/testing/small-disk.ts";
import { until } from "../../lib/testing/until.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

const folder = mkdtempSync(join(tmpdir(), "turnpike-init-"));
afterAll(() => rmSync(folder, { recursive: true }));
const MAIN = join(import.meta.dir, "../main.ts");

async function run(...args: readonly string[]) {
  return await runBy(COMMAND, ...args);
}

async function runBy(command: readonly string[], ...args: readonly string[]) {
  const child = Bun.spawn([...command, "init", ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

const PAY_TO = ["--pay-to", "0x8ba1f109551bD432803012645Ac136ddd64DBA72"];
const API = [
  "--upstream",
  "https://api.example.com:9443",
  "--price",
  "0.02",
  "--network",
  "base",
  "--port",
  "8181",
].concat(PAY_TO);

test("configurations for content and APIs load in every format without a problem or warning, and are equal", async () => {
  for (const [name, flags] of [
    ["content", []],
    ["api", API],
    ["free", ["--upstream", "http://[::1]:9000", "--price", "0"]],
  ] as const) {
    const loaded: unknown[] = [];
    for (const ending of ["jsonc", "yaml", "json"]) {
      const file = `${name}.${ending}`;
      expect((await run(file, ...flags)).code).toBe(0);
      const { config, problems, warnings } = await loadFile(join(folder, file));
      expect([file, ...problems, ...warnings].map((it) => (typeof it === "string" ? it : diagnosticText(it)))).toEqual([
        file,
      ]);
      if (name === "content")
        expect(config?.routes.filter(({ x402, body_schema }) => x402 && !body_schema)).toEqual([]);
      loaded.push(config);
    }
    expect(loaded[1]).toEqual(loaded[0]);
    expect(loaded[2]).toEqual(loaded[0]);
  }
  expect(readFileSync(join(folder, "api.yaml"), "utf8")).toContain(
    "  # Processes that serve; 0: one for each CPU.\n  workers: 1\n",
  );
  const { config } = await loadFile(join(folder, "api.jsonc"));
  expect(config?.server.port).toBe(8181);
  expect(config?.upstreams[0]).toMatchObject({ tls: true, servers: [{ address: "api.example.com", port: 9443 }] });
  expect(config?.routes[0]?.x402).toMatchObject({ price: "$0.02", network: "eip155:8453" });
});

test("the commands that it suggests name this program by its path, because npx could fetch another one", async () => {
  const program = join(import.meta.dir, "../../../bin/turnpike");
  const written = `wrote next.yaml\ncheck it with: ${program} check next.yaml\nstart with:    ${program}`;
  const source = [process.execPath, MAIN];
  expect((await runBy(source, "next.yaml", ...API)).out).toBe(`${written} --config next.yaml\n`);
  expect((await runBy(source, "next.yaml", "--force")).out).toBe(`${written} start --config next.yaml\n`);
});

test("several paths have the price and the schema of bodies, and the others are free", async () => {
  writeFileSync(join(folder, "schema.json"), '{ "type": "object", "required": ["url"] }');
  const flags = ["--path", "/a", "--path", "/b/c", "--body-schema", "schema.json"];
  for (const ending of ["jsonc", "yaml", "json"]) {
    expect((await run(`paths.${ending}`, ...API, ...flags)).err).toBe("");
    const { config, warnings } = await loadFile(join(folder, `paths.${ending}`));
    const routes = config?.routes.map(({ path_prefix, x402, body_schema }) => [path_prefix, x402?.price, body_schema]);
    const schema = { type: "object", required: ["url"] };
    expect([warnings, routes]).toEqual([
      [],
      [
        ["/a", "$0.02", schema],
        ["/b/c", "$0.02", schema],
        ["/", undefined, undefined],
      ],
    ]);
  }
});

test("an existing file stays unless --force is given", async () => {
  writeFileSync(join(folder, "mine.jsonc"), "mine");
  expect(await run("mine.jsonc")).toMatchObject({ code: 1, err: expect.stringContaining("it exists already") });
  expect(readFileSync(join(folder, "mine.jsonc"), "utf8")).toBe("mine");
  expect((await run("mine.jsonc", "--force")).code).toBe(0);
});

test("a full disk leaves an old file as it is, and no part of a new one", async () => {
  using disk = smallDisk("16k");
  if (!disk.isMounted) return;
  const old = join(disk.path, "old.jsonc");
  writeFileSync(old, "mine", { mode: 0o640 });
  const filler = disk.fill();
  for (const [name, flags] of [
    [join(disk.path, "new.jsonc"), []],
    [old, ["--force"]],
  ] as const)
    expect(await run(name, ...flags)).toMatchObject({ code: 1, err: expect.stringContaining(`"${name}": ENOSPC`) });
  expect(readdirSync(disk.path).toSorted()).toEqual(["filler", "old.jsonc"]);
  expect(readFileSync(old, "utf8")).toBe("mine");
  rmSync(filler);
  expect((await run(old, "--force")).code).toBe(0);
  expect(statSync(old).mode & 0o777).toBe(0o640);
});

test.each([
  [["--port", "70000"], '--port "70000" is not a port number'],
  [["--upstream", "http://localhost:8080"], "--port 8080 is the port of your API on this machine"],
  [["--upstream", "http://127.0.0.1", "--port", "80"], "--port 80 is the port of your API on this machine"],
  [["--price", "much"], '--price "much" is not a price such as $0.01'],
  [["--price", "0"], "--price 0 is for an API only; web content has a price"],
  [["--pay-to", "me"], '--pay-to "me" is not an address'],
  [["--pay-to", "0x209693Bc6afc0C5328bA36FaF03C514EF312288C"], "has a mistyped digit"],
  [["--network", "visa"], '--network "visa" is not an EVM chain'],
  [["--upstream", "ftp://x"], '--upstream "ftp://x" is not the address of a server'],
  [["--upstream", "http://x:0"], '--upstream "http://x:0" is not the address of a server'],
  [["--upstream", "http://x/#here"], '--upstream "http://x/#here" is not the address of a server'],
  [["--upstream", "http://x/path"], '--upstream "http://x/path" is not the address of a server'],
  [["--price", "-1"], '--price has no value. Write --price=VALUE if the value begins with "-"'],
  [["second.jsonc"], "Name one file"],
  [["--network", "base"], "--pay-to is missing: name your own account on Base (eip155:8453)"],
  [["--network", "base", "--pay-to", `0x${"0".repeat(36)}dEaD`], "on Base (eip155:8453): it is a burn address"],
  [["--path", "/a"], "--path and --body-schema are for an API only"],
  [["--body-schema", "x"], "--path and --body-schema are for an API only"],
  [["--upstream", "http://x", "--path", "a"], '--path "a" does not begin with "/"'],
  [["--upstream", "http://x", "--price", "0", "--path", "/a"], "--path needs a price"],
])("%j is refused", async (flags, message) => {
  expect(await run("wrong.jsonc", ...flags)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
});

test("a password in the URL of an upstream is refused and not shown", async () => {
  const { code, err } = await run("wrong.jsonc", "--upstream", "http://me:hush@127.0.0.1:9000");
  expect(code).toBe(2);
  expect(err).toContain("--upstream must not contain a user name or password");
  expect(err).not.toContain("hush");
});

test.each([
  [["wrong.txt"], 2, 'FILE "wrong.txt" must end in .jsonc, .yaml, .yml or .json'],
  [["none/wrong.yaml"], 1, 'Cannot write "none/wrong.yaml": there is no folder "none"'],
  [["wrong.yaml", "--network", "eip155:56", ...PAY_TO], 1, 'asset "USDC" is unknown on eip155:56'],
  [
    ["wrong.yaml", "--upstream", 'http://a"b'],
    1,
    "upstreams[0].servers[0].address: expected an IP address or host name",
  ],
  [["wrong.yaml", "--pay-to", `0x${"0".repeat(40)}`], 1, "pay_to"],
  [["wrong.yaml", ...API, "--body-schema", "none.json"], 1, 'Cannot read --body-schema "none.json": ENOENT'],
  [["wrong.yaml", ...API, "--body-schema", import.meta.path], 1, "it is not JSON"],
])("no file is written for %j", async (args, code, message) => {
  expect(await run(...args)).toMatchObject({ code, err: expect.stringContaining(message) });
  expect(existsSync(join(folder, args[0] ?? ""))).toBe(false);
});

test("on a terminal it asks for the values, and asks again after invalid input", async () => {
  let shown = "";
  const child = Bun.spawn([process.execPath, MAIN, "init", "asked.jsonc", "--network", "base"], {
    cwd: folder,
    terminal: { data: (_terminal, data) => void (shown += new TextDecoder().decode(data)) },
  });
  const typed = async (question: string, text: string): Promise<void> => {
    await until(() => shown.includes(question));
    shown = "";
    child.terminal?.write(`${text}\r`);
  };
  await typed("URL of your own API", "http://127.0.0.1:9000");
  await typed("Port to listen on [8080]", "many");
  await typed("is not a port number", "9191");
  await typed("Price of a request", "");
  await typed("Paths to sell", "/reports /files");
  await typed("Account that receives the payments", "");
  await typed("is missing: name your own account on Base", PAY_TO[1] ?? "");
  expect(await child.exited).toBe(0);
  const { config } = await loadFile(join(folder, "asked.jsonc"));
  expect(config?.server.port).toBe(9191);
  expect(config?.routes.map(({ path_prefix }) => path_prefix)).toEqual(["/reports", "/files", "/"]);
  expect(config?.routes[0]?.x402).toMatchObject({ price: "$0.005", network: "eip155:8453" });
});
