/** Header compression: one head is decoded or encoded. */
import { HpackDecoder, staticItems } from "../../src/gateway/http2/hpack/decoder.ts";
import { maxEncodedLength, writeFields, writeStatus } from "../../src/gateway/http2/hpack/encoder.ts";
import { decodeHuffman } from "../../src/gateway/http2/hpack/huffman.ts";
import { encodeHuffman } from "../../src/gateway/http2/hpack/testing/huffman-encode.ts";
import { IndexingEncoder, type SentField } from "../../src/gateway/http2/hpack/testing/indexing-encoder.ts";
import { type RequestField, RequestFields, requestField } from "../../src/gateway/exchange/request-fields.ts";
import { type Part } from "../parts.ts";

const BROWSER_HEAD: readonly (readonly [name: string, value: string])[] = [
  [":method", "GET"],
  [":scheme", "https"],
  [":path", "/articles/2026/11/a-title-of-some-length?utm_source=feed"],
  [":authority", "www.example.com"],
  [
    "user-agent",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36",
  ],
  ["accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"],
  ["accept-language", "en-US,en;q=0.9"],
  ["accept-encoding", "gzip, deflate, br, zstd"],
  ["cookie", "session=0123456789abcdef0123456789abcdef; theme=dark"],
  ["referer", "https://www.example.com/"],
];
const RESPONSE_FIELDS =
  "Server: nginx/1.22.1\r\nDate: Fri, 20 Nov 2026 21:37:44 GMT\r\nContent-Type: application/json\r\n" +
  "Cache-Control: private, max-age=0\r\nX-Request-Id: 0193e4a0-0000-7000-8000-000000000000\r\n";

interface Item {
  readonly name: string;
  readonly value: string;
}

function make(name: string, value: string): Item {
  return { name, value };
}

const statics = staticItems(make);
let seen = 0;
const sink = {
  field(_item: Item, size: number): void {
    seen += size;
  },
};

function block(as: SentField["as"], huffman: boolean, encoder = new IndexingEncoder()): Buffer {
  return encoder.block(BROWSER_HEAD.map(([name, value]) => ({ name, value, as, huffman })));
}

/** A decoder that has seen the head once, and the same head with all fields indexed. */
function decodeIndexed(): () => void {
  const encoder = new IndexingEncoder();
  const decoder = new HpackDecoder(make, statics);
  const first = block("indexed", true, encoder);
  decoder.decode(first, 0, first.length, sink);
  const again = block("indexed", true, encoder);
  return () => decoder.decode(again, 0, again.length, sink);
}

function decodeLiterals(huffman: boolean): () => void {
  const decoder = new HpackDecoder(make, statics);
  const bytes = block("without", huffman);
  return () => decoder.decode(bytes, 0, bytes.length, sink);
}

const NEW_PATH_HEAD: readonly SentField[] = BROWSER_HEAD.map(([name, value]) => ({
  name,
  value,
  as: name === ":path" ? "without" : "indexed",
  huffman: true,
}));

/** The head from a client that indexes everything except the path. */
function decodeNewPath(): () => void {
  const encoder = new IndexingEncoder();
  const decoder = new HpackDecoder(make, statics);
  const first = block("indexed", true, encoder);
  decoder.decode(first, 0, first.length, sink);
  const again = encoder.block(NEW_PATH_HEAD);
  return () => decoder.decode(again, 0, again.length, sink);
}

const requestStatics = staticItems(requestField);

/** A request from the head of `decodeNewPath`: decoded and checked. */
function request(): () => void {
  const encoder = new IndexingEncoder();
  const decoder = new HpackDecoder(requestField, requestStatics);
  const list = new RequestFields();
  const taker = { field: (item: RequestField): void => list.add(item) };
  const first = encoder.block(NEW_PATH_HEAD);
  decoder.decode(first, 0, first.length, taker);
  const again = encoder.block(NEW_PATH_HEAD);
  return () => {
    list.begin();
    decoder.decode(again, 0, again.length, taker);
    seen += list.finish(false, { scheme: "https", maxCount: 100, extendedConnect: true }) === undefined ? 0 : 1;
  };
}

function decodeText(): () => void {
  const bytes = encodeHuffman(BROWSER_HEAD[4]?.[1] ?? "");
  return () => {
    seen += decodeHuffman(bytes, 0, bytes.length)?.length ?? 0;
  };
}

/** A new string each time, as for received data. One in `distinct` has the same content. */
function encode(distinct: number): () => void {
  const target = Buffer.alloc(maxEncodedLength(RESPONSE_FIELDS) + 8);
  const heads = Array.from({ length: distinct }, (_, i) =>
    Buffer.from(`${RESPONSE_FIELDS.slice(0, -14)}${String(i).padStart(12, "0")}\r\n`),
  );
  let next = 0;
  return () => {
    next = next + 1 === distinct ? 0 : next + 1;
    const fields = heads[next]?.toString("latin1") ?? "";
    seen += writeFields(target, writeStatus(target, 0, 200), fields);
  };
}

/** Only makes the string, without encoding it. */
function textOnly(): () => void {
  const head = Buffer.from(RESPONSE_FIELDS);
  return () => {
    seen += head.toString("latin1").length;
  };
}

export function hpackParts(): Part[] {
  return [
    { name: "hpack: decode, all 10 fields indexed", work: decodeIndexed() },
    { name: "hpack: decode, a new path and 9 indexed", work: decodeNewPath() },
    { name: "hpack: decode, 8 plain literals", work: decodeLiterals(false) },
    { name: "hpack: decode, 8 Huffman literals", work: decodeLiterals(true) },
    { name: "hpack: decode, one Huffman text of 101 characters", work: decodeText() },
    { name: "hpack: a request with a new path, decoded, checked", work: request() },
    { name: "hpack: make the response's text alone", work: textOnly() },
    { name: "hpack: encode, 5 fields, the same each time", work: encode(1) },
    { name: "hpack: encode, 5 fields, 64 heads in turn", work: encode(64) },
    { name: "hpack: encode, 5 fields, never the same", work: encode(20_000) },
  ];
}
