import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { z } from "zod";
import { messageOf } from "../../../lib/caught.ts";
import { enterCell, INNER_SOCKET } from "./mounts.ts";

/** The port of the egress proxy inside a cell. */
export const INNER_PROXY_PORT = 3128;
/** The line on standard error that names why a cell cannot be entered. */
const CELL_FAILED = "Cannot enter the cell: ";

const order = z.object({
  files: z.object({
    root: z.string(),
    readable: z.array(z.string()),
    socket: z.string(),
    maxBytes: z.int(),
  }),
  /** The program that runs inside, and its arguments. Its files 3 and 4 are those of this process. */
  command: z.array(z.string()).min(1),
  environment: z.record(z.string(), z.string()),
});

export type CellOrder = z.output<typeof order>;

/**
 * The first process of a cell: it enters the cell, passes connections on to the egress proxy, and runs the program. All
 * processes of the cell end with it. It ends when the program ends, or when standard input is closed.
 */
export async function runInside(text: string): Promise<number> {
  const { files, command, environment } = order.parse(JSON.parse(text));
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  process.stdin.on("end", () => resolve(0));
  process.stdin.on("error", () => resolve(0));
  process.stdin.resume();
  try {
    enterCell(files);
  } catch (error) {
    console.error(CELL_FAILED + messageOf(error));
    return 1;
  }
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const proxy = connect({ path: INNER_SOCKET, allowHalfOpen: true });
    const close = (): void => {
      socket.destroy();
      proxy.destroy();
    };
    for (const one of [socket, proxy]) {
      one.on("error", close);
      one.on("close", close);
    }
    socket.pipe(proxy);
    proxy.pipe(socket);
  });
  const listening = Promise.withResolvers<void>();
  server.on("error", listening.reject);
  server.listen(INNER_PROXY_PORT, "127.0.0.1", listening.resolve);
  await listening.promise;
  const [program = "", ...args] = command;
  const child = spawn(program, args, { env: environment, cwd: "/", stdio: ["ignore", "ignore", "inherit", 3, 4] });
  child.on("error", (error) => {
    console.error(CELL_FAILED + error.message);
    resolve(1);
  });
  child.on("exit", (code) => resolve(code ?? 1));
  return await ended;
}
