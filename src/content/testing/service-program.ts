/** A content service in a process of its own, with its state in the folder of the first argument. It prints its address. */
import { baseUrl } from "./client.ts";
import { startLocalService } from "./service.ts";

console.log(baseUrl(await startLocalService(process.argv[2] ?? "")));
