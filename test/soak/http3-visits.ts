/**
 * HTTP/3 visits in a separate process, because the QUIC client does not free the memory of its sessions. The arguments
 * are a port, a seed, a number of sessions, and "whole" or "aborted". It prints the number of body bytes.
 */
import { Random } from "../fuzz/random.ts";
import { Http3Client } from "../support/http3-client.ts";
import { bodyOf, BodyCheck } from "./pattern.ts";
import { sizeOf } from "./sizes.ts";

async function whole(client: Http3Client, random: Random): Promise<number> {
  let moved = 0;
  for (let i = 0; i < 10; i++) {
    const [seed, size] = [random.below(1_000_000), sizeOf(random)];
    if (random.below(3) === 0) {
      const { body } = await client.request("POST", `/check/${seed}/${size + 1}`, bodyOf(seed, size + 1));
      if (body.toString() !== "sound") throw new Error(`the body ${seed}/${size + 1} did not arrive`);
    } else {
      const { body, headers } = await client.request("GET", `/send/${seed}/${size}`);
      if (headers[":status"] !== "200") throw new Error(`answered with ${String(headers[":status"])}`);
      const check = new BodyCheck(seed, size);
      check.take(body);
      check.end();
    }
    moved += size;
  }
  return moved;
}

async function aborted(client: Http3Client, random: Random): Promise<number> {
  const opened = await client.open("GET", "/send/1/2000000");
  opened.response.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, random.below(60)));
  return 0;
}

const [port = "", seed = "", sessions = "", kind = ""] = process.argv.slice(2);
const random = new Random(Number(seed));
const visit = kind === "aborted" ? aborted : whole;
let moved = 0;
for (let i = 0; i < Number(sessions); i++) {
  const client = await Http3Client.connect(Number(port));
  try {
    moved += await visit(client, random);
  } finally {
    client.close();
  }
}
console.log(moved);
process.exit(0);
