/** The hint that a gateway without routes gives its operator. */
import { setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { Folder, Program } from "../support/program.ts";

setDefaultTimeout(patient(30_000));

test("a gateway without routes names the command that adds them", async () => {
  const folder = new Folder();
  const server = { address: "127.0.0.1", port: 0, workers: 1 };
  for (const [admin, hint] of [
    [{}, /^no routes: every request gets 404\. Make a configuration by \S.* init, then name it by --config$/m],
    [
      { enabled: true, port: 0, api_key: "key-of-the-operator-1" },
      /^no routes: every request gets 404\. Add one by \S.* routes add$/m,
    ],
  ] as const) {
    const program = new Program([
      "--config",
      folder.write("turnpike.json", { server, admin, state_path: folder.path }),
    ]);
    await program.sees(hint);
    await program.stop();
  }
  folder.remove();
});
