/** A content service that sells browsers by the minute, with its state in the folder of the first argument. It prints its address. */
import { baseUrl } from "../../testing/client.ts";
import { startLocalService } from "../../testing/service.ts";
import { liveOptions } from "./live-service.ts";

console.log(baseUrl(await startLocalService(process.argv[2] ?? "", { live: liveOptions() })));
