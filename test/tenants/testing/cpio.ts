/** A file of an archive. */
export interface ArchivedFile {
  readonly name: string;
  /** With the file type: `0o100755` is a program, `0o040755` a directory. */
  readonly mode: number;
  readonly bytes?: Uint8Array;
}

/**
 * An archive that Linux accepts as its initial file system (cpio, "newc": Documentation/driver-api/early-userspace).
 */
export function cpio(files: readonly ArchivedFile[]): Buffer {
  const end = { name: "TRAILER!!!", mode: 0 };
  return Buffer.concat([...files, end].flatMap(entry));
}

function entry({ name, mode, bytes = new Uint8Array(0) }: ArchivedFile, index: number): Uint8Array[] {
  // inode, mode, uid, gid, links, mtime, size, four numbers of devices, length of the name, checksum
  const numbers = [index + 1, mode, 0, 0, 1, 0, bytes.length, 0, 0, 0, 0, name.length + 1, 0];
  const fields = numbers.map((number) => number.toString(16).toUpperCase().padStart(8, "0")).join("");
  return [padded(Buffer.from(`070701${fields}${name}\0`, "latin1")), padded(bytes)];
}

function padded(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}
