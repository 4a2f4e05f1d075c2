import { expect, test } from "bun:test";
import { everythingTo } from "../support/gateway.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { PROTOCOLS, startProtocols } from "./protocols.ts";

test("a script may read that its body, whose length it did not announce, is too long, whenever that shows", async () => {
  const origin = await RawOrigin.start();
  origin.answer = () => {};
  const cors = { allow_origins: ["*"] };
  const gateway = await startProtocols({ ...everythingTo(origin.port), cors, limits: { max_body_bytes: 10 } });
  try {
    for (const protocol of PROTOCOLS.slice(1)) {
      const reply = await gateway.request(protocol, { method: "POST", body: "a".repeat(20) });
      expect([reply.status, reply.header("access-control-allow-origin")]).toEqual([413, "*"]);
    }
  } finally {
    await gateway.stop();
    await origin.stop();
  }
});
