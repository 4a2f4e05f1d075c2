import { describe, expect, test } from "bun:test";
import { decodeBlock, type Pair, pairDecoder } from "./testing/decode.ts";

/** One field section of RFC 7541 appendix C and its fields. */
interface Example {
  readonly hex: string;
  readonly fields: readonly Pair[];
}

const REQUEST_1: readonly Pair[] = [
  [":method", "GET"],
  [":scheme", "http"],
  [":path", "/"],
  [":authority", "www.example.com"],
];
const REQUEST_2: readonly Pair[] = [...REQUEST_1, ["cache-control", "no-cache"]];
const REQUEST_3: readonly Pair[] = [
  [":method", "GET"],
  [":scheme", "https"],
  [":path", "/index.html"],
  [":authority", "www.example.com"],
  ["custom-key", "custom-value"],
];
const DATE_1 = "Mon, 21 Oct 2013 20:13:21 GMT";
const DATE_2 = "Mon, 21 Oct 2013 20:13:22 GMT";
const LOCATION: Pair = ["location", "https://www.example.com"];
const RESPONSE_1: readonly Pair[] = [[":status", "302"], ["cache-control", "private"], ["date", DATE_1], LOCATION];
const RESPONSE_2: readonly Pair[] = [[":status", "307"], ["cache-control", "private"], ["date", DATE_1], LOCATION];
const RESPONSE_3: readonly Pair[] = [
  [":status", "200"],
  ["cache-control", "private"],
  ["date", DATE_2],
  LOCATION,
  ["content-encoding", "gzip"],
  ["set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"],
];

const SECTIONS: readonly (readonly [section: string, tableSize: number, blocks: readonly Example[]])[] = [
  [
    "C.2.1, a literal with indexing",
    4096,
    [
      {
        hex: "400a637573746f6d2d6b65790d637573746f6d2d686561646572",
        fields: [["custom-key", "custom-header"]],
      },
    ],
  ],
  [
    "C.2.2, a literal without indexing",
    4096,
    [{ hex: "040c2f73616d706c652f70617468", fields: [[":path", "/sample/path"]] }],
  ],
  [
    "C.2.3, a literal never indexed",
    4096,
    [{ hex: "100870617373776f726406736563726574", fields: [["password", "secret"]] }],
  ],
  ["C.2.4, an indexed field", 4096, [{ hex: "82", fields: [[":method", "GET"]] }]],
  [
    "C.3, requests without Huffman coding",
    4096,
    [
      { hex: "828684410f7777772e6578616d706c652e636f6d", fields: REQUEST_1 },
      { hex: "828684be58086e6f2d6361636865", fields: REQUEST_2 },
      { hex: "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565", fields: REQUEST_3 },
    ],
  ],
  [
    "C.4, requests with Huffman coding",
    4096,
    [
      { hex: "828684418cf1e3c2e5f23a6ba0ab90f4ff", fields: REQUEST_1 },
      { hex: "828684be5886a8eb10649cbf", fields: REQUEST_2 },
      { hex: "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf", fields: REQUEST_3 },
    ],
  ],
  [
    "C.5, responses without Huffman coding, with eviction",
    256,
    [
      {
        hex:
          "4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d54" +
          "6e1768747470733a2f2f7777772e6578616d706c652e636f6d",
        fields: RESPONSE_1,
      },
      { hex: "4803333037c1c0bf", fields: RESPONSE_2 },
      {
        hex: "88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b2076657273696f6e3d31",
        fields: RESPONSE_3,
      },
    ],
  ],
  [
    "C.6, responses with Huffman coding, with eviction",
    256,
    [
      {
        hex: "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3",
        fields: RESPONSE_1,
      },
      { hex: "4883640effc1c0bf", fields: RESPONSE_2 },
      {
        hex:
          "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5" +
          "af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007",
        fields: RESPONSE_3,
      },
    ],
  ],
];

describe("the examples of RFC 7541 appendix C", () => {
  test.each(SECTIONS)("%s", (_section, tableSize, blocks) => {
    const decoder = pairDecoder(tableSize);
    for (const { hex, fields } of blocks) {
      expect(decodeBlock(decoder, Buffer.from(hex, "hex"))).toMatchObject({ error: "", fields });
    }
  });
});
