/** Relays TCP connections to a Unix socket: `relay-program.ts ADDRESS PORT SOCKET`. */
import { connect, createServer } from "node:net";

const [address = "", port = "", path = ""] = process.argv.slice(2);
const server = createServer((near) => {
  const far = connect(path);
  near.on("error", () => far.destroy());
  far.on("error", () => near.destroy());
  near.pipe(far).pipe(near);
});
server.listen(Number(port), address, () => console.log("listening on relay"));
