/** Tries wrong keys at an admin interface until it is killed: `wrong-keys.ts URL`. Prints `trying` when it begins. */
import { request } from "node:http";

const ADDRESSES = 50;
const WRONG_KEYS_A_SECOND = 1000;

const [, , url = ""] = process.argv;

/** Each try has its own connection, which is the most expensive case. */
function tryWrongKey(n: number): void {
  const options = {
    localAddress: `127.0.1.${1 + (n % ADDRESSES)}`,
    agent: false,
    headers: { "x-api-key": `wrong-${n}` },
  };
  const asked = request(`${url}/v1/status`, options, (response) => response.resume());
  // Requests that the end of the run cut off, and those that the kernel refused.
  asked.on("error", () => {});
  asked.end();
}

let n = 0;
const begun = performance.now();
setInterval(() => {
  const due = ((performance.now() - begun) / 1000) * WRONG_KEYS_A_SECOND;
  while (n < due) tryWrongKey(n++);
}, 5);
console.log("trying");
