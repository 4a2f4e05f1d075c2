/** Sends each WebSocket message back. The argument is the port. */
Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  fetch: (request, server) => (server.upgrade(request) ? undefined : new Response(null, { status: 426 })),
  websocket: {
    idleTimeout: 0,
    perMessageDeflate: false,
    message: (socket, message) => void socket.send(message),
  },
});
console.log("ready");
