// Runs under Deno, which has raw QUIC and no HTTP/3: plays the connections that it reads from standard input, one after the
// other, and writes what the server did. See raw-quic.ts for both forms.
const text = await new Response(Deno.stdin.readable).text();
const { port, ca, plays } = JSON.parse(text);
const CLOSE_MS = 5000;
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const within = (promise, ms) =>
  Promise.race([promise, new Promise((resolve) => setTimeout(() => resolve(undefined), ms))]);

async function readAll(stream) {
  let hex = "";
  try {
    for await (const chunk of stream) hex += hexOf(chunk);
    return { hex, end: "fin" };
  } catch (error) {
    const code = /error (\d+)/.exec(error.message)?.[1];
    return { hex, end: code === undefined ? "lost" : `reset 0x${Number(code).toString(16)}` };
  }
}

async function play({ steps, probe, waitForClose }) {
  const connection = await Deno.connectQuic({
    hostname: "127.0.0.1",
    port,
    serverName: "localhost",
    alpnProtocols: ["h3"],
    caCerts: [ca],
    maxIdleTimeout: 20_000,
  });
  const closed = connection.closed.then(
    (info) => info.closeCode ?? -1,
    () => -1,
  );
  const kept = [];
  const answers = [];
  const send = async ({ kind, hex, fin, unread }) => {
    let writer;
    if (kind === "bidi") {
      const stream = await connection.createBidirectionalStream();
      writer = stream.writable.getWriter();
      if (!unread) answers.push(readAll(stream.readable));
      kept.push(stream);
    } else {
      const stream = await connection.createUnidirectionalStream();
      writer = stream.getWriter();
      kept.push(stream);
    }
    kept.push(writer);
    if (hex !== "") await writer.write(bytesOf(hex));
    if (fin) await writer.close();
  };
  for (const step of steps) await send(step).catch(() => {});
  let close = waitForClose ? await within(closed, CLOSE_MS) : undefined;
  let probed;
  if (!waitForClose) {
    const streams = await within(Promise.race([Promise.all(answers), closed]), CLOSE_MS);
    close = typeof streams === "number" ? streams : undefined;
    if (close === undefined && probe !== undefined) {
      await send({ kind: "bidi", hex: probe, fin: true }).catch(() => {});
      const found = await within(Promise.race([answers.at(-1), closed]), CLOSE_MS);
      if (typeof found === "number") close = found;
      else probed = found;
      answers.pop();
    }
  }
  const streams = await Promise.all(answers.map((answer) => within(answer, close === undefined ? 100 : 1000)));
  if (kept.length > 0 && close === undefined) connection.close({ closeCode: 0x100, reason: "" });
  return { close, probed, streams: streams.map((stream) => stream ?? { hex: "", end: "open" }) };
}

const results = [];
for (const one of plays) {
  try {
    results.push(await play(one));
  } catch (error) {
    results.push({ failed: error.message, streams: [] });
  }
}
console.log(JSON.stringify(results));
Deno.exit(0);
