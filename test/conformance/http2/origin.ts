/** The origin of the HTTP/2 cases; the path selects its behaviour. */
import { type Responder, echo } from "../../support/raw-origin.ts";
import { valuesOf } from "../../support/message.ts";
import { HOLD } from "./case.ts";

function ok(body: string, more = ""): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
}

const FIXED: Readonly<Record<string, string>> = {
  "/early": `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok("early")}`,
  "/answer-trailers": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n",
  "/hop": ok("hop", "Connection: keep-alive, X-Hop\r\nKeep-Alive: timeout=5\r\nX-Hop: 1\r\nX-Mixed: Value\r\n"),
};

export const respondByPath: Responder = (request, connection) => {
  const path = request.startLine.split(" ")[1] ?? "";
  const fixed = FIXED[path];
  if (path === HOLD) return;
  if (fixed !== undefined) connection.send(fixed);
  else if (path === "/broken") connection.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
  else if (path === "/count") connection.send(ok(String(request.body.length)));
  else if (path === "/via") connection.send(ok(valuesOf(request, "via").join("|")));
  else if (path === "/cookie") connection.send(ok(valuesOf(request, "cookie").join("|")));
  else if (path === "/trailers")
    connection.send(ok(request.trailers.map(([name, value]) => `${name}: ${value}`).join()));
  else if (path.startsWith("/bytes/")) connection.send(ok("x".repeat(Number(path.slice(7)))));
  else if (path.startsWith("/status/")) connection.send(`HTTP/1.1 ${path.slice(8)} S\r\n\r\n`);
  else echo(request, connection);
};
