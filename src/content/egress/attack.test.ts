import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { BrowserPool } from "../browser/pool.ts";
import { createStateFolder } from "../testing/state-folder.ts";
import { openPage, pageRequestOf } from "../testing/visit.ts";
import { ATTACK_EGRESS, type AttackSite, attackUrl, startAttackSite } from "./testing/attack-site.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const state = createStateFolder();
let pool: BrowserPool;
let site: AttackSite;

beforeAll(async () => {
  site = await startAttackSite();
  ({ pool } = await BrowserPool.start({ stateDir: state.path, log: () => undefined }));
});

afterAll(async () => {
  await pool.close();
  await site.close();
  state.remove();
});

function attack(to: string, more = "", origin = site.origin): Promise<unknown> {
  const request = pageRequestOf(attackUrl({ origin }, to, more), { selector: "#done", waitMs: 1000, pictures: true });
  return openPage(pool, request, (open) => open.snapshot(), ATTACK_EGRESS);
}

test.each<[string, (port: number, own: string) => string]>([
  ["its address", (port) => `http://127.0.0.1:${port}/`],
  ["a name", (port) => `http://inside.test:${port}/`],
  ["localhost", (port) => `http://localhost:${port}/`],
  ["an IPv6 address that holds it", (port) => `http://[::ffff:127.0.0.1]:${port}/`],
  ["a number", (port) => `http://2130706433:${port}/`],
  ["a redirect", (port, own) => `${own}/redirect?to=${encodeURIComponent(`http://127.0.0.1:${port}/`)}&way=`],
])("a hostile page reaches nothing of the private network by %s", async (_what, target) => {
  await attack(target(site.insidePort, site.origin));
  expect(site.reached).toEqual([]);
});

test.each(["127.0.0.1", "inside.test"])("nor by WebRTC, at %s", async (host) => {
  await attack(`http://${host}:${site.insidePort}/`, "&webrtc");
  expect(site.reached).toEqual([]);
});

test("nor from a page that may use WebTransport and service workers", async () => {
  await attack(`http://127.0.0.1:${site.insidePort}/`, "", site.secureOrigin);
  expect(site.asked).toContain("sw.js");
  expect(site.reached).toEqual([]);
});

test("the attempted ways reach their target if it is allowed", async () => {
  await attack(`${site.origin}/`);
  // Some ways need a secure page, a visible page or a click. The ways of an ordinary public page are enough for this
  // check.
  const open = ["image", "style.css", "import.css", "background", "frame", "object", "embed", "preload", "module.js"];
  const more = [
    "script.js",
    "dynamic.js",
    "fetch",
    "keepalive",
    "xhr",
    "beacon",
    "events",
    "socket",
    "worker",
    "worker-socket",
    "srcdoc",
    "form",
  ];
  expect(site.asked).toEqual(expect.arrayContaining([...open, ...more]));
});
