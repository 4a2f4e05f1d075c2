/** Visitors of an admin interface until they are killed: `visitors.ts MODE URL KEY`. */
import { request } from "node:http";

const TABS = 4;
/** What a tab asks for each second. */
const POLL_MS = 1000;
const ADDRESSES = 50;
const WRONG_KEYS_A_SECOND = 1000;

const [, , mode, url = "", key = ""] = process.argv;
const headers = { "x-api-key": key };

async function openTab(n: number): Promise<void> {
  const events = await fetch(`${url}/v1/events`, { headers });
  void events.text();
  await Bun.sleep((n * POLL_MS) / TABS);
  setInterval(() => {
    void fetch(`${url}/v1/overview`, { headers }).then((response) => response.text());
  }, POLL_MS);
}

/** A connection of its own for each try: so it costs most. */
function tryWrongKey(n: number): void {
  const options = {
    localAddress: `127.0.1.${1 + (n % ADDRESSES)}`,
    agent: false,
    headers: { "x-api-key": `wrong-${n}` },
  };
  const asked = request(`${url}/v1/status`, options, (answer) => answer.resume());
  // Those that were cut at the end of the run, and those that the kernel had no room for.
  asked.on("error", () => {});
  asked.end();
}

if (mode === "console") {
  await Promise.all(Array.from({ length: TABS }, (_, n) => openTab(n)));
} else {
  let n = 0;
  const begun = performance.now();
  setInterval(() => {
    const due = ((performance.now() - begun) / 1000) * WRONG_KEYS_A_SECOND;
    while (n < due) tryWrongKey(n++);
  }, 5);
}
console.log("visiting");
