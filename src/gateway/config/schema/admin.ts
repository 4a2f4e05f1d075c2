import * as z from "zod";
import { hostAddress, listenPort } from "./kinds.ts";

/** `admin`: the runtime interface. */
export const admin = z
  .strictObject({
    enabled: z.boolean().default(false).describe("Serve the admin interface; requires `api_key`."),
    port: listenPort.default(9180).describe("Port, separate from the traffic listeners."),
    address: hostAddress.default("127.0.0.1").describe("Bind address; should be loopback or a private interface."),
    api_key: z.string().default("").describe("Secret that every admin request must carry."),
  })
  .prefault({})
  .describe("The admin interface, on a listener of its own.");
