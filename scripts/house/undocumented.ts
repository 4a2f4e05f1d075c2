/** Folders of src with exports that have no docstring yet; their subfolders count apart. Entries are only removed. */
export const UNDOCUMENTED_FOLDERS: readonly string[] = [
  "src/cli",
  "src/client",
  "src/content/browser",
  "src/content/operations",
  "src/gateway/admin/operations",
  "src/gateway/config",
  "src/gateway/http1",
  "src/gateway/process",
  "src/payments/evm",
  "src/payments/facilitator",
  "src/store/postgres",
];
