/** What bounds a server connection; a reload replaces the object. Times in milliseconds, sizes in bytes. */
export interface ServerSettings {
  readonly maxHeaderBytes: number;
  readonly maxHeaderCount: number;
  readonly maxBodyBytes: number;
  readonly idleMs: number;
  readonly headerMs: number;
  readonly bodyMs: number;
  readonly writeMs: number;
}
