/**
 * Seconds of CPU time of a process, which reads many files. The kernel ends one in an endless loop, even after the
 * service was killed. @bound
 */
export const MAX_CPU_S = 120;
