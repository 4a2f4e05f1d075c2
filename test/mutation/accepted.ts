/** A survivor that is not a gap in the tests, with the reason. */
export interface Accepted {
  readonly file: string;
  /** The source line at which the mutant begins, without surrounding blanks. */
  readonly code: string;
  /** The complete description of the mutant, as a run prints it. */
  readonly mutant: string;
  readonly reason: string;
}

/** Survivors without a visible effect, or with an effect that tests should not check. */
export const ACCEPTED: readonly Accepted[] = [
  {
    file: "src/store/postgres/ledger.ts",
    code: 'if (ended.length > 0) await this.#database.quick(sql.GIVE_UP, [this.#owner, ended.join(",")]);',
    mutant: "ended.length > 0  →  true",
    reason: "saves a statement: a list without nonces gives up no lease",
  },
  {
    file: "src/store/postgres/ledger.ts",
    code: 'if (ended.length > 0) await this.#database.quick(sql.GIVE_UP, [this.#owner, ended.join(",")]);',
    mutant: "ended.length > 0  →  (ended.length >= 0)",
    reason: "saves a statement: a list without nonces gives up no lease",
  },
  {
    file: "src/gateway/http1/field-scan.ts",
    code: "if (!isPlain) return unusualLength(latin1Text(bytes, from, end), isRequest);",
    mutant: "!isPlain  →  true",
    reason: "saves a slice for the usual lengths: unusualLength reads them to the same result",
  },
  {
    file: "src/gateway/http1/field-scan.ts",
    code: "if (end - start === KEEP_ALIVE.length && named(bytes, start, KEEP_ALIVE, id) === id) this.keepAlive = true;",
    mutant: "end - start === KEEP_ALIVE.length && named(bytes, start, KEEP_ALIVE, …  →  false",
    reason: "saves an allocation for the usual value: #takeConnection reads it to the same result",
  },
  {
    file: "src/gateway/http2/server-connection.ts",
    code: "const isLate = this.streams.size === 0 && this.#idleMsLeft() <= 0;",
    mutant: "0  →  (0 + 1)",
    reason: "one millisecond of the idle time more or less",
  },
  {
    file: "src/gateway/http2/hpack/decoder.ts",
    code: "const huffman = (block[this.#at] ?? 0) >= 0x80;",
    mutant: "0x80  →  (0x80 + 1)",
    reason: "0x80 alone is an empty text, which is the same by either code",
  },
  {
    file: "src/content/egress/forward-proxy.ts",
    code: "return;",
    mutant: "return;  →  ;",
    reason: "the socket is destroyed by then: nothing more comes from it, and its close takes it out of the count",
  },
  {
    file: "src/content/egress/forward-proxy.ts",
    code: 'server.once("error", reject);',
    mutant: 'server.once("error", reject);  →  ;',
    reason: "listening on port 0 of loopback fails only if no port or descriptor is left in the whole system",
  },
  {
    file: "src/content/egress/forward-proxy.ts",
    code: "socket.setNoDelay(true);",
    mutant: "socket.setNoDelay(true);  →  ;",
    reason: "the kernel sends small pieces sooner; the bytes and their order are the same",
  },
  {
    file: "src/content/egress/forward-proxy.ts",
    code: "socket.setNoDelay(true);",
    mutant: "true  →  false",
    reason: "the kernel sends small pieces sooner; the bytes and their order are the same",
  },
  {
    file: "src/content/egress/forward-proxy.ts",
    code: 'socket.on("close", () => sockets.delete(socket));',
    mutant: 'socket.on("close", () => sockets.delete(socket));  →  ;',
    reason:
      "it frees memory before the visit ends, which has 2,000 requests at most; destroying a closed socket does nothing",
  },
  {
    file: "src/content/egress/forward-proxy.ts",
    code: "if (rules === undefined || request === undefined || !(await access.admits(client))) {",
    mutant: "rules === undefined || request === undefined  →  (rules === undefined && request === undefined)",
    reason: "the next use of what is undefined throws, and the connection is destroyed for that as well",
  },
  {
    file: "src/store/sqlite/open-sqlite.ts",
    code: 'closeSync(openSync(path, "a", 0o600));',
    mutant: "0o600  →  (0o600 + 1)",
    reason: "the next line sets the mode of the file once more",
  },
  {
    file: "src/store/postgres/dial.ts",
    code: "const socket = connectTcp({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });",
    mutant: "true  →  false",
    reason: "options of the kernel for its own timing; the bytes and their order are the same",
  },
  {
    file: "src/store/postgres/messages.ts",
    code: "this.#int32(0);",
    mutant: "0  →  (0 + 1)",
    reason: "holds the place of the length, which is written over it at the end",
  },
  {
    file: "src/store/postgres/messages.ts",
    code: "this.#int32(0).#text(text);",
    mutant: "0  →  (0 + 1)",
    reason: "holds the place of the length, which is written over it below",
  },
  {
    file: "src/store/postgres/wire.ts",
    code: "this.#pending = end - bytes.length;",
    mutant: "this.#pending = end - bytes.length;  →  ;",
    reason: "saves joining a long message again with each piece; the messages are the same",
  },
  {
    file: "src/store/postgres/wire.ts",
    code: "if (at < bytes.length) this.#rest = bytes.subarray(at);",
    mutant: "at < bytes.length  →  (at <= bytes.length)",
    reason: "an empty rest is as good as none",
  },
  {
    file: "src/store/postgres/log-in.ts",
    code: "if (this.#messages.length >= MAX_MESSAGES) {",
    mutant: "this.#messages.length >= MAX_MESSAGES  →  false",
    reason: "keeps memory small where such a server sends all at once; the loop above refuses it either way",
  },
  {
    file: "src/store/postgres/log-in.ts",
    code: 'wire.end(new PostgresError("protocol", "the peer does not speak PostgreSQL\'s protocol"));',
    mutant: 'wire.end(new PostgresError("protocol", "the peer does not speak Postg…  →  ;',
    reason: "ends such a server's connection a moment sooner; the loop above refuses it either way",
  },
  {
    file: "src/store/postgres/ledger.ts",
    code: 'if (ended.length > 0) await this.#database.quick(sql.GIVE_UP, [this.#owner, ended.join(",")]);',
    mutant: "ended.length > 0  →  true",
    reason: "saves a statement that would give nothing up",
  },
  {
    file: "src/gateway/policy/body-schema/provide-body-schemas.ts",
    code: "return isOperationReference(body_schema) ? lazily(make) : make();",
    mutant: "isOperationReference(body_schema)  →  false",
    reason: "saves memory at the start; the policy is the same",
  },
  {
    file: "src/gateway/policy/body-schema/provide-body-schemas.ts",
    code: 'return { name: "body_schema", request: (exchange) => (made ??= make()).request(exchange) };',
    mutant: "made ??= make()  →  (made = make())",
    reason: "saves compiling the schema again for each request; the decisions are the same",
  },
  {
    file: "src/gateway/policy/auth/method.ts",
    code: 'return /^[\\u0020-\\u007e]*$/.test(value) ? value : Buffer.from(value.toWellFormed()).toString("latin1");',
    mutant: "/^[\\u0020-\\u007e]*$/.test(value)  →  false",
    reason: "saves a copy: ASCII is the same bytes in UTF-8",
  },
  {
    file: "src/gateway/policy/payment/responses/response-file.ts",
    code: 'if (bytesWritten === 0) throw new Error("Cannot write a response: the disk is full");',
    mutant: "bytesWritten === 0  →  false",
    reason: "Linux writes at least a byte to a regular file, or gives an error",
  },
  {
    file: "src/gateway/policy/payment/responses/response-file.ts",
    code: 'if (bytesWritten === 0) throw new Error("Cannot write a response: the disk is full");',
    mutant: "0  →  (0 + 1)",
    reason: "Linux writes at least a byte to a regular file, or gives an error",
  },
  {
    file: "src/gateway/policy/auth/auth.ts",
    code: "if (forged.length > 0 && exchange.head.bodyLength !== 0) exchange.body = new GuardedBody(exchange.body, forged);",
    mutant: "forged.length > 0 && exchange.head.bodyLength !== 0  →  true",
    reason: "saves an object for a request without a body, which has no trailers to guard against",
  },
  {
    file: "src/gateway/http2/hpack/literals.ts",
    code: "return (Math.imul(hash, 31) + code) | 0;",
    mutant: "31  →  (31 + 1)",
    reason: "any number makes a hash, and those who write and look up take the same",
  },
  {
    file: "src/gateway/policy/payment/responses/response-index.ts",
    code: "return body === undefined ? undefined : { body };",
    mutant: "body === undefined  →  false",
    reason:
      "only a process that removes the row between the two reads leaves no body, and nothing can be put between them",
  },
  {
    file: "src/gateway/http1/client-connection.ts",
    code: "#requestChunked = false;",
    mutant: "false  →  true",
    reason: "each request sets it before anything of its body is sent",
  },
  {
    file: "src/gateway/http2/field-section.ts",
    code: "if (isWhole && type === HEADERS) return undefined;",
    mutant: "isWhole && type === HEADERS  →  false",
    reason: "saves a copy: a block that is put together from one frame is the same",
  },
  {
    file: "src/gateway/http1/field-scan.ts",
    code: "export const targetScan = { end: 0, pathEnd: 0, isRegular: true };",
    mutant: "0  →  (0 + 1)",
    reason: "scanTarget sets all three before anything reads them",
  },
  {
    file: "src/gateway/http1/field-scan.ts",
    code: "export const targetScan = { end: 0, pathEnd: 0, isRegular: true };",
    mutant: "true  →  false",
    reason: "scanTarget sets all three before anything reads them",
  },
  {
    file: "src/gateway/http1/request-body.ts",
    code: "held?.shift(piece.end - piece.start);",
    mutant: "piece.end - piece.start  →  (piece.end + piece.start)",
    reason: "a piece is taken whole, and by more than it has no more is taken",
  },
  {
    file: "src/gateway/http1/client-connection.ts",
    code: "wheel.set(this, 0);",
    mutant: "0  →  (0 + 1)",
    reason: "a deadline fires with the next tick of the wheel, of 10 ms, either way",
  },
  {
    file: "src/gateway/http1/client-connection.ts",
    code: "holdCork();",
    mutant: "holdCork();  →  ;",
    reason: "what is written within an event leaves in fewer writes; the bytes and their order are the same",
  },
  {
    file: "src/gateway/http2/connection.ts",
    code: "if (padding > 0) stream.taken(padding);",
    mutant: "padding > 0  →  true",
    reason: "saves the calls for each frame without padding: to take nothing changes no window",
  },
  {
    file: "src/gateway/http2/connection.ts",
    code: "if (padding > 0) stream.taken(padding);",
    mutant: "padding > 0  →  (padding >= 0)",
    reason: "saves the calls for each frame without padding: to take nothing changes no window",
  },
  {
    file: "src/gateway/http2/socket.ts",
    code: "if (this.#paused) {",
    mutant: "this.#paused  →  true",
    reason: "saves a call: a wire that is not paused is resumed to no effect",
  },
  {
    file: "src/gateway/http2/server-exchange.ts",
    code: "#writeMsLeft = 0;",
    mutant: "0  →  (0 + 1)",
    reason: "the first time that the stream is starved sets it before it is read",
  },
  {
    file: "src/gateway/policy/payment/sale/sale.ts",
    code: "await this.#fail(error);",
    mutant: "await this.#fail(error)  →  (this.#fail(error))",
    reason: "the client has its response by then, and the remaining code handles the ledger's failures itself",
  },
  {
    file: "src/gateway/policy/payment/sale/sale.ts",
    code: "await this.#lease.salvage(spent, isReturned);",
    mutant: "await this.#lease.salvage(spent, isReturned)  →  (this.#lease.salvage(spent, isReturned))",
    reason: "nothing comes after it, and it never rejects",
  },
  {
    file: "src/gateway/policy/payment/sale/request-digest.ts",
    code: "if (rest > 0 && rest <= bytes.length) {",
    mutant: "rest > 0  →  (rest >= 0)",
    reason: "the same sum is taken twice: nothing was added since",
  },
  {
    file: "src/gateway/http2/stream.ts",
    code: "while (at < end) {",
    mutant: "at < end  →  (at <= end)",
    reason: "one turn more finds nothing to send, and leaves the loop",
  },
  {
    file: "src/gateway/http3/engine-socket.ts",
    code: "[0x80, 0],",
    mutant: "0  →  (0 + 1)",
    reason: "the kernel reads no value with the instruction that loads the length",
  },
  {
    file: "src/gateway/http3/request-stream.ts",
    code: "if (hasBody)",
    mutant: "hasBody  →  true",
    reason: "saves an object for a request without a body",
  },
  {
    file: "src/gateway/upstream/outlier-detection.ts",
    code: "return ((this.#common[cellOf(slot) + ACTIVE] ?? 0) & DRAINED) !== 0;",
    mutant: "cellOf(slot) + ACTIVE  →  (cellOf(slot) - ACTIVE)",
    reason: "ACTIVE is 0, so that the sum and the difference are equal",
  },
  {
    file: "src/gateway/filters/module/metering/control-stack.ts",
    code: 'if (block.kind === "function") this.#charge({ ...block, atLabel: this.cost }, block.atStart);',
    mutant: 'block.kind === "function"  →  true',
    reason: "other blocks have no edit: an amount at -1 is not read",
  },
  {
    file: "src/gateway/filters/proxy-wasm/response-side.ts",
    code: 'if (this.#state !== "open" || this.#stage !== undefined) return 0;',
    mutant: "return 0;  →  return undefined as never;",
    reason: "every caller reads undefined as 0, because a sink need not have this function",
  },
  {
    file: "src/content/extraction/tree/text-runs.ts",
    code: "if (this.#states.currentCharacterToken !== null) return false;",
    mutant: "this.#states.currentCharacterToken !== null  →  true",
    reason: "saves a token for each character: the library reads white space to the same tree",
  },
  {
    file: "src/content/extraction/tree/text-runs.ts",
    code: "if (html.charCodeAt(stop) !== LESS_THAN) return false;",
    mutant: "html.charCodeAt(stop) !== LESS_THAN  →  true",
    reason: "saves a token for each character: the library reads white space to the same tree",
  },
  {
    file: "src/gateway/http1/request-head.ts",
    code: 'if (isLatin1At(bytes, from, "GET ")) return "GET";',
    mutant: 'isLatin1At(bytes, from, "GET ")  →  false',
    reason: "saves a text for a usual method: the next lines read the same one",
  },
  {
    file: "src/gateway/http1/request-head.ts",
    code: 'if (isLatin1At(bytes, from, "POST ")) return "POST";',
    mutant: 'isLatin1At(bytes, from, "POST ")  →  false',
    reason: "saves a text for a usual method: the next line reads the same one",
  },
  {
    file: "src/gateway/http1/server-connection.ts",
    code: "const CLOSED = 5;",
    mutant: "5  →  (5 + 1)",
    reason: "the highest of the states: no other has the next number",
  },
  {
    file: "src/gateway/http1/client-connection.ts",
    code: "const CLOSED = 6;",
    mutant: "6  →  (6 + 1)",
    reason: "the highest of the states: no other has the next number",
  },
  {
    file: "src/gateway/http1/chunked.ts",
    code: "const DONE = 7;",
    mutant: "7  →  (7 + 1)",
    reason: "the highest of the states: no other has the next number",
  },
  {
    file: "src/gateway/http1/chunk-extension.ts",
    code: "const QUOTE_CLOSED = 8;",
    mutant: "8  →  (8 + 1)",
    reason: "the highest of the states: no other has the next number",
  },
  {
    file: "src/gateway/http2/frame-reader.ts",
    code: "const STOPPED = 7;",
    mutant: "7  →  (7 + 1)",
    reason: "the highest of the states: no other has the next number",
  },
  {
    file: "src/gateway/http2/hpack/encoder.ts",
    code: 'if (fields === "") return at;',
    mutant: 'fields === ""  →  false',
    reason: "saves a look among the kept fields: no fields are written as nothing",
  },
  {
    file: "src/gateway/http3/server-exchange.ts",
    code: "const bytes = start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end);",
    mutant: "start === 0 && end === chunk.length  →  false",
    reason: "saves a view: that of the whole chunk has the same bytes",
  },
  {
    file: "src/store/sqlite/sqlite-usage.ts",
    code: "if (count + uses.length <= most) return [...uses];",
    mutant: "count + uses.length <= most  →  (count + uses.length < most)",
    reason: "saves a read of the names: withinRoom keeps all uses that fit",
  },
  {
    file: "src/store/postgres/messages.ts",
    code: "if (this.#length + bytes <= this.#bytes.length) return;",
    mutant: "this.#length + bytes <= this.#bytes.length  →  (this.#length + bytes < this.#bytes.length)",
    reason: "a larger buffer holds the same bytes",
  },
  {
    file: "src/store/open/open-store.ts",
    code: "if (current === synchronous) return;",
    mutant: "current === synchronous  →  false",
    reason: "saves a statement: the connection has this setting already",
  },
  {
    file: "src/store/open/open-store.ts",
    code: "if (current === synchronous) return;",
    mutant: "return;  →  ;",
    reason: "saves a statement: the connection has this setting already",
  },
  {
    file: "src/store/sqlite/sqlite-ledger.ts",
    code: "if (isSent(change) && quick.run(SENT, values) > 0) return true;",
    mutant: "isSent(change) && quick.run(SENT, values) > 0  →  false",
    reason: "saves time (bench channels): MOVE records the same",
  },
  {
    file: "src/gateway/admin/running-config/document-judge.ts",
    code: 'const parsed = await judgeInThread(this.#jobOf({ ...text, asks: "text" }));',
    mutant:
      'await judgeInThread(this.#jobOf({ ...text, asks: "text" }))  →  (judgeInThread(this.#jobOf({ ...text, asks: "text" })))',
    reason: "saves time for a document in parts: the second judgement has the same result",
  },
  {
    file: "src/gateway/admin/running-config/config-source.ts",
    code: "return parsed.ok ? parsed.value : undefined;",
    mutant: "parsed.ok  →  true",
    reason: "a text that is not parsed has no value: the type alone asks for the branch",
  },
  {
    file: "src/gateway/admin/http/listener.ts",
    code: "await pollUntil(() => this.#connections.size === 0, { everyMs: 5, mostMs: CLOSE_MS });",
    mutant: "5  →  (5 + 1)",
    reason: "a millisecond between two looks more or less",
  },
];
