/** IndexedDB of the pages of a session: the databases that the next page finds, and those that the session names as left out. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patient } from "../../lib/testing/patience.ts";
import { baseUrl } from "../testing/client.ts";
import { startTestService } from "../testing/service.ts";
import { killed, startProgram } from "../testing/service-process.ts";
import { withBrowser } from "../testing/state-folder.ts";

const PROGRAM = join(import.meta.dir, "../testing/service-program.ts");

// A browser on a busy machine is slow.
setDefaultTimeout(patient(90_000));

/** Each page shows what its script returns. */
const SCRIPTS: Readonly<Record<string, string>> = {
  // As Firebase keeps its logins.
  "/login": `
    const database = await open("firebaseLocalStorageDb", 1, (made) => made.createObjectStore("firebaseLocalStorage", { keyPath: "fbase_key" }));
    await write(database, "firebaseLocalStorage", (store) =>
      store.put({ fbase_key: "firebase:authUser", value: { uid: "ada", stsTokenManager: { refreshToken: "AMf-vB", expirationTime: 1 } } }));
    return "welcome";`,
  "/account": `
    const database = await open("firebaseLocalStorageDb", 1, (made) => made.createObjectStore("firebaseLocalStorage", { keyPath: "fbase_key" }));
    const found = await settled(database.transaction("firebaseLocalStorage").objectStore("firebaseLocalStorage").get("firebase:authUser"));
    return found === undefined ? "logged out" : "account of " + found.value.uid + " by " + found.value.stsTokenManager.refreshToken;`,
  "/kinds": `
    const database = await open("kinds", 3, (made) => {
      const store = made.createObjectStore("values", { autoIncrement: true });
      store.createIndex("by tag", ["tag", "n"], { unique: true });
      store.createIndex("by tags", "tags", { multiEntry: true });
      made.createObjectStore("empty", { keyPath: ["a", "b"] });
    });
    await write(database, "values", (store) => {
      KINDS.forEach((value, at) => store.put(value, at + 10));
      store.put("of a date", new Date(5));
      store.put("of bytes", new Uint8Array([1, 255]).buffer);
      store.put({ tag: "t", n: 1, tags: ["x", "y"] }, ["a", 1]);
    });
    return "stored";`,
  "/kinds-again": `
    const database = await open("kinds", 3, () => { throw new Error("is new"); });
    const store = database.transaction("values", "readwrite").objectStore("values");
    const differences = [];
    for (const [at, value] of KINDS.entries()) if (!same(value, await settled(store.get(at + 10)))) differences.push(at);
    const found = [
      await settled(store.get(new Date(5))),
      await settled(store.get(new Uint8Array([1, 255]).buffer)),
      (await settled(store.index("by tag").get(["t", 1]))).tags.length,
      await settled(store.index("by tags").count("y")),
      await settled(store.add("next")),
      JSON.stringify(database.transaction("empty").objectStore("empty").keyPath),
    ];
    return "differences=" + differences + "; " + found.join(" ");`,
  "/unkept": `
    const one = await open("blob", 1, (made) => made.createObjectStore("values", { autoIncrement: true }));
    await write(one, "values", (store) => store.put(new Blob(["text"])));
    const two = await open("large", 1, (made) => made.createObjectStore("values", { autoIncrement: true }));
    await write(two, "values", (store) => store.put("x".repeat(500000)));
    const many = await open("many", 1, (made) => made.createObjectStore("values", { autoIncrement: true }));
    await write(many, "values", (store) => { for (let n = 0; n < 2001; n += 1) store.put(n); });
    const loop = await open("loop", 1, (made) => made.createObjectStore("values", { autoIncrement: true }));
    const ring = {};
    ring.ring = ring;
    await write(loop, "values", (store) => store.put(ring));
    const small = await open("small", 1, (made) => made.createObjectStore("values", { autoIncrement: true }));
    await write(small, "values", (store) => store.put("kept"));
    localStorage.setItem("large", "x".repeat(200001));
    return "stored";`,
  "/names": `
    return (await indexedDB.databases()).map(({ name }) => name).sort().join(" ") + " items=" + localStorage.length;`,
  "/hold": `
    const database = await open("firebaseLocalStorageDb", 1, () => { throw new Error("is new"); });
    // It waits until the page closes the other connection, and those that are opened meanwhile wait behind it.
    indexedDB.open(database.name, 2);
    return "held";`,
  "/forget": `
    for (const { name } of await indexedDB.databases()) await settled(indexedDB.deleteDatabase(name));
    return "forgotten";`,
};

const HELPERS = `
  const settled = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });
  const open = (name, version, make) => { const request = indexedDB.open(name, version); request.onupgradeneeded = () => make(request.result); return settled(request); };
  const write = (database, name, put) => new Promise((resolve, reject) => { const one = database.transaction(name, "readwrite"); one.oncomplete = resolve; one.onabort = () => reject(one.error); put(one.objectStore(name)); });
  const KINDS = ["text \\u{1f600}\\u0000\\ud800", 1.5, -0, NaN, -Infinity, true, null, undefined, 12345678901234567890n, new Date(7), new Date(NaN), /a+/gi,
    new Map([["k", new Set([1, undefined])]]), new Uint8Array([0, 128, 255]), new DataView(new Uint8Array([9, 8]).buffer, 1), new Float64Array([0.1]),
    new ArrayBuffer(3), [], [1, [undefined]], { undefined: 1, number: "2", ["__proto__x"]: { object: [] }, "": null }];
  const same = (a, b) => {
    if (Object.is(a, b)) return true;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    if (Object.prototype.toString.call(a) !== Object.prototype.toString.call(b)) return false;
    if (a instanceof Date) return Object.is(a.getTime(), b.getTime());
    if (a instanceof RegExp) return String(a) === String(b);
    if (a instanceof Map || a instanceof Set) return same([...a], [...b]);
    if (a instanceof ArrayBuffer) return same(new Uint8Array(a), new Uint8Array(b));
    if (a instanceof DataView) return a.byteLength === b.byteLength && a.getUint8(0) === b.getUint8(0);
    const [x, y] = [Object.entries(a), Object.entries(b)];
    return x.length === y.length && x.every(([key, value], at) => key === y[at][0] && same(value, y[at][1]));
  };`;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    const script = SCRIPTS[new URL(request.url).pathname] ?? 'return "none"';
    const page = `<p id="shown">loading</p><script type="module">${HELPERS}
      const run = async () => { ${script} };
      document.getElementById("shown").textContent = await run().catch(String);
      document.body.insertAdjacentHTML("beforeend", "<i id=done></i>");</script>`;
    return new Response(page, { headers: { "content-type": "text/html" } });
  },
});
const { service, close } = await startTestService();

afterAll(async () => {
  await close();
  await server.stop(true);
});

interface Made {
  readonly id: string;
  readonly secret: string;
}

async function post(base: string, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) });
  return (await response.json()) as Record<string, unknown>; // as each response of the service
}

async function create(base = baseUrl(service)): Promise<Made> {
  const { id, secret } = await post(base, "/sessions", {});
  return { id: String(id), secret: String(secret) };
}

/** The text of a page once its script is done. */
async function shows({ id, secret }: Made, path: string, base = baseUrl(service)): Promise<string> {
  const page = { url: `http://127.0.0.1:${server.port}${path}`, format: "text", engine: "browser", selector: "#done" };
  const reply = await post(base, "/scrape", { ...page, session: id, session_secret: secret, timeout: 60 });
  const { content } = reply;
  return typeof content === "string" ? content.trim() : JSON.stringify(reply);
}

async function leftOut({ id, secret }: Made): Promise<unknown> {
  const response = await fetch(`${baseUrl(service)}/sessions/${id}`, { headers: { "x-session-secret": secret } });
  const { left_out: all } = (await response.json()) as { left_out: readonly { database?: string; reason: string }[] }; // as described
  return all.map(({ database = "localStorage", reason }) => `${database}: ${reason}`).toSorted();
}

test("a login in IndexedDB is there for the next page, after the service was killed, too", async () => {
  const state = withBrowser(mkdtempSync(join(tmpdir(), "turnpike-test-")));
  const first = await startProgram(PROGRAM, state);
  const made = await create(first.base);
  expect(await shows(made, "/account", first.base)).toBe("logged out");
  expect(await shows(made, "/login", first.base)).toBe("welcome");
  await killed(first.child);
  const second = await startProgram(PROGRAM, state);
  expect(await shows(made, "/account", second.base)).toBe("account of ada by AMf-vB");
  expect(await shows(await create(second.base), "/account", second.base)).toBe("logged out");
  await killed(second.child);
  rmSync(state, { recursive: true, force: true });
});

test("keeps each kind of value and key, with schemas and indexes", async () => {
  const made = await create();
  expect(await shows(made, "/kinds")).toBe("stored");
  expect(await shows(made, "/names")).toBe("kinds items=0");
  expect(await shows(made, "/kinds-again")).toBe(`differences=; of a date of bytes 2 1 30 ["a","b"]`);
  expect(await leftOut(made)).toEqual([]);
});

test("a database that is too large, or has a value without a text, is left out as a whole, and named", async () => {
  const made = await create();
  expect(await shows(made, "/unkept")).toBe("stored");
  const unkept = ["blob: value", "large: size", "localStorage: size", "loop: value", "many: size"];
  expect(await leftOut(made)).toEqual(unkept);
  expect(await shows(made, "/names")).toBe("small items=0");
  expect(await leftOut(made)).toEqual([]);
  expect(await shows(made, "/forget")).toBe("forgotten");
  expect(await shows(made, "/names")).toBe("items=0");
});

test("a database that its page does not let be read keeps its earlier state, and is named", async () => {
  const made = await create();
  expect(await shows(made, "/login")).toBe("welcome");
  expect(await shows(made, "/hold")).toBe("held");
  expect(await leftOut(made)).toEqual(["firebaseLocalStorageDb: busy"]);
  expect(await shows(made, "/account")).toBe("account of ada by AMf-vB");
  expect(await leftOut(made)).toEqual([]);
});
