import { expect, test } from "bun:test";
import { limitedCommand } from "../../lib/process/limited-command.ts";
import { childEnvironment } from "../../lib/process/child-environment.ts";
import { ENGINE } from "./process-host.ts";

test("the engine can compile below the limit of memory", () => {
  const script = `const { numberOfDFGCompiles } = require("bun:jsc");
    function f() {}
    console.log(numberOfDFGCompiles(f));`;
  const limits = { cpuSeconds: 60, memory: { kind: "data", bytes: 1024 * 1024 * 1024 } } as const;
  const { stdout } = Bun.spawnSync(limitedCommand([process.execPath, "-e", script], limits), {
    env: { ...ENGINE, ...childEnvironment() },
  });
  // Without its compilers, the engine says that each function is compiled often.
  expect(stdout.toString()).toBe("0\n");
});
