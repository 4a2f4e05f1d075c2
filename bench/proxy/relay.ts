/**
 * A minimal proxy on the runtime's own sockets: `PORT ORIGIN_PORT`. It reads a head as one text, finds its end and
 * length, and forwards the bytes over a connection pool. After a 101 it forwards all bytes of both sides. It has no checks,
 * extra fields, chunked bodies, pipelines or timeouts. So its cost is the cost of the sockets, which is the target of the proxy bench.
 */
import { LOCAL_RESPONSE } from "../front/cases.ts";

const [port = 0, originPort = 0] = process.argv.slice(2).map(Number);
const OWN = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const CLOSE = "\r\nConnection: close\r\n";
const KEEP_ALIVE = "\r\nConnection: keep-alive\r\n";
const LENGTH = "\r\nContent-Length: ";
const SWITCHING = "HTTP/1.1 101 ";

type Socket = Bun.Socket<Link>;

/** One side: a client's connection, or a connection to the origin. */
class Link {
  readonly isClient: boolean;
  socket: Socket | undefined = undefined;
  peer: Link | undefined = undefined;
  /** The start of an incomplete head. */
  partial = "";
  /** Bytes of the current body that are still missing. */
  left = 0;
  /** Data that the socket has not accepted yet. */
  unsent: Buffer | undefined = undefined;
  closes = false;

  constructor(isClient: boolean) {
    this.isClient = isClient;
  }

  data(chunk: Buffer): void {
    if (this.left > 0) this.pass(chunk);
    else this.head(chunk);
  }

  head(chunk: Buffer): void {
    const text = this.partial + chunk.toString("latin1");
    const end = text.indexOf("\r\n\r\n");
    if (end === -1) {
      this.partial = text;
      return;
    }
    const at = text.indexOf(LENGTH);
    this.left =
      (at === -1 ? 0 : Number.parseInt(text.slice(at + LENGTH.length, at + LENGTH.length + 16), 10)) + end + 4;
    const isWhole = this.partial === "" && this.peer?.closes !== true;
    this.partial = "";
    if (text.startsWith(SWITCHING)) this.tunnel();
    if (this.isClient) this.request(text);
    else if (isWhole) this.pass(chunk);
    else this.passEdited(text, text.replace(KEEP_ALIVE, CLOSE));
  }

  request(text: string): void {
    this.left -= text.length;
    if (text.startsWith(`GET ${LOCAL_RESPONSE} `)) {
      this.socket?.write(OWN);
      return;
    }
    const close = text.indexOf(CLOSE);
    this.closes = close !== -1;
    const upstream = pool.pop() ?? open();
    this.peer = upstream;
    upstream.peer = this;
    upstream.send(this.closes ? text.replace(CLOSE, "\r\n") : text);
  }

  /** Every byte that follows belongs to the current message. */
  tunnel(): void {
    this.left = Number.POSITIVE_INFINITY;
    if (this.peer !== undefined) this.peer.left = Number.POSITIVE_INFINITY;
  }

  passEdited(text: string, edited: string): void {
    this.left += edited.length - text.length;
    this.pass(Buffer.from(edited, "latin1"));
  }

  /** Forwards a piece of the current message. The last piece of a response returns the connection to the pool. */
  pass(chunk: Buffer): void {
    this.left -= chunk.length;
    const { peer } = this;
    peer?.send(chunk);
    if (this.isClient || this.left > 0 || peer === undefined) return;
    this.peer = undefined;
    peer.peer = undefined;
    // The client may still have to take the rest of the response, without this connection.
    this.socket?.resume();
    pool.push(this);
    peer.endOnce();
  }

  /** Closes the client's connection if the client asked for it, and has been sent everything. */
  endOnce(): void {
    if (this.closes && this.peer === undefined && this.unsent === undefined) this.socket?.end();
  }

  send(piece: string | Buffer): void {
    const { socket } = this;
    const sent = socket === undefined || this.unsent !== undefined ? 0 : Math.max(0, socket.write(piece));
    if (sent === piece.length) return;
    const bytes = typeof piece === "string" ? Buffer.from(piece, "latin1") : Buffer.from(piece);
    this.unsent = Buffer.concat([this.unsent ?? Buffer.alloc(0), bytes.subarray(sent)]);
    this.peer?.socket?.pause();
  }

  drain(): void {
    const { unsent, socket } = this;
    if (unsent === undefined || socket === undefined) return;
    const sent = Math.max(0, socket.write(unsent));
    this.unsent = sent === unsent.length ? undefined : unsent.subarray(sent);
    if (this.unsent !== undefined) return;
    this.peer?.socket?.resume();
    this.endOnce();
  }

  close(): void {
    this.socket = undefined;
    const { peer } = this;
    this.peer = undefined;
    const at = pool.indexOf(this);
    if (at !== -1) pool.splice(at, 1);
    if (peer === undefined) return;
    peer.peer = undefined;
    peer.socket?.terminate();
  }
}

const pool: Link[] = [];

const handlers: Bun.SocketHandler<Link> = {
  data: (socket, chunk) => socket.data.data(chunk),
  drain: (socket) => socket.data.drain(),
  close: (socket) => socket.data.close(),
  end: (socket) => socket.terminate(),
  error: (socket) => socket.terminate(),
};

function open(): Link {
  const link = new Link(false);
  void Bun.connect<Link>({
    hostname: "127.0.0.1",
    port: originPort,
    data: link,
    socket: {
      ...handlers,
      open(socket) {
        link.socket = socket;
        link.drain();
      },
      connectError: () => link.close(),
    },
  });
  return link;
}

Bun.listen<Link>({
  hostname: "127.0.0.1",
  port,
  socket: {
    ...handlers,
    open(socket) {
      socket.data = new Link(true);
      socket.data.socket = socket;
    },
  },
});
console.log("ready");
