import { string } from "./recorded-schema.ts";
import { names, ours } from "./kinds.ts";

export const statePath = string()
  .meta(names("folder"))
  .default("")
  .meta(ours("Folder of ledger and usage. Empty: the state folder, or the folder of the configuration file."));
