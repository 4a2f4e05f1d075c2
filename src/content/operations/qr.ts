import { strictObject } from "../../lib/schema.ts";
import { qrPicture } from "../qr/picture.ts";
import { matching, text, whole } from "./text.ts";
import { type OperationResult, invalidParameters, postOperation } from "./operation.ts";

const body = strictObject({
  // Half a surrogate pair cannot be encoded: a decoder would read another text.
  data: matching(text(4296, 1), /^\P{Cs}*$/u, "must be well-formed Unicode").openapi({
    description: "Text, URL or data to encode",
    example: "https://example.com/",
  }),
  size: whole(32, 2048).default(256).describe("Width and height of the image in pixels"),
  margin: whole(0, 10).default(2).describe("Quiet zone in modules"),
}).openapi("QrRequest");

export const qr = postOperation(
  {
    name: "qr",
    path: "/qr",
    price: "$0.001",
    summary: "Draw a QR code",
    description:
      "Returns a black-and-white PNG of exactly the requested size. Each module has a whole number of pixels, and the " +
      "remaining pixels widen the margin. Error correction is level M, or L if the data is too long for M or for the size.",
    body,
    example: { data: "https://example.com/", size: 256 },
    success: { description: "The QR code", contentType: "image/png", file: "qr" },
    failures: ["invalid-parameters"],
  },
  async ({ data, size, margin }): Promise<OperationResult> => {
    const picture = qrPicture(data, size, margin);
    if (picture instanceof Uint8Array) return { bytes: picture, contentType: "image/png" };
    if ("tooLong" in picture) {
      throw invalidParameters([{ path: "data", message: "is too long for any QR code" }]);
    }
    throw invalidParameters([
      { path: "size", message: `must be at least ${picture.smallest} for this data and margin` },
    ]);
  },
);
