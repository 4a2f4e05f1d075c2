import { expect, test } from "bun:test";
import { childEnvironment } from "./child-environment.ts";

test("a child sees the variables of the system and those that it is given, and no others", () => {
  const env = {
    PATH: "/bin",
    LC_ALL: "C",
    HOME: undefined,
    TURNPIKE_FACILITATOR_KEY: "key",
    DATABASE_PASSWORD: "password",
    BRAVE_KEY: "brave",
    BUN_CONFIG_TOKEN: "token",
    LD_PRELOAD: "x.so",
  };
  expect(childEnvironment(["BRAVE_KEY", "NOT_SET"], env)).toEqual({ PATH: "/bin", LC_ALL: "C", BRAVE_KEY: "brave" });
  expect(childEnvironment([], env)).toEqual({ PATH: "/bin", LC_ALL: "C" });
});
