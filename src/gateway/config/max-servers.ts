/** Servers of all upstreams together, found by discovery or named: each has a slot in the shared memory. */
export const MAX_SERVERS = 1024;
