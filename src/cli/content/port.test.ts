import { expect, test } from "bun:test";
import { COMMAND } from "../../../test/support/program.ts";

test.each(["65536", "99999", "123456", "-1", "x", ""])("--port %p is refused before anything starts", (port) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...COMMAND, "content", `--port=${port}`]);
  const refusal = `turnpike content: --port "${port}" is not a port number. Run "turnpike content --help" for its usage.\n`;
  expect([exitCode, stdout.toString(), stderr.toString()]).toEqual([2, "", refusal]);
});
