/** Servers of all upstreams together, named or found by discovery. @operator Each one has a slot in the shared memory. */
export const MAX_SERVERS = 1024;
