import { type System } from "../program/identity.ts";

/** The computer that a page sees. Properties that belong together are chosen together. */
export interface Profile {
  /** The unmasked vendor and renderer of WebGL. */
  readonly gpu: { readonly vendor: string; readonly renderer: string };
  readonly cores: number;
  /** Gigabytes, as in `navigator.deviceMemory`. */
  readonly memory: number;
  readonly screen: { readonly width: number; readonly height: number };
  /** Pixels of the screen's height that the system's bars take. */
  readonly bars: number;
  /** Pixels of the bars at the top of the screen. */
  readonly top: number;
  readonly timeZone: string;
  readonly position: { readonly x: number; readonly y: number };
  readonly seed: number;
}

interface Machine {
  readonly gpu: Profile["gpu"];
  readonly cores: readonly number[];
  readonly memory: readonly number[];
  readonly screens: readonly Profile["screen"][];
}

const FULL_HD = { width: 1920, height: 1080 };
const QUAD_HD = { width: 2560, height: 1440 };

function machine(vendor: string, renderer: string, sizes: Omit<Machine, "gpu">): Machine {
  return { gpu: { vendor: `Google Inc. (${vendor})`, renderer: `ANGLE (${renderer})` }, ...sizes };
}

const LAPTOP = { cores: [8], memory: [8, 16], screens: [FULL_HD] };
const NEWER_LAPTOP = { cores: [8, 12], memory: [16], screens: [FULL_HD, { width: 1920, height: 1200 }] };
const DESKTOP = { cores: [8, 12, 16], memory: [16, 32], screens: [FULL_HD, QUAD_HD] };
const MACBOOK = { cores: [8], memory: [8, 16], screens: [{ width: 1440, height: 900 }] };

/** GPU names as Chrome reports them on each system: through OpenGL, Direct3D and Metal. */
const MACHINES: Readonly<Record<System, readonly Machine[]>> = {
  linux: [
    machine("Intel", "Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6", LAPTOP),
    machine("Intel", "Intel, Mesa Intel(R) Xe Graphics (TGL GT2), OpenGL 4.6", NEWER_LAPTOP),
    machine("AMD", "AMD, AMD Radeon Graphics (radeonsi, renoir, ACO), OpenGL 4.6", NEWER_LAPTOP),
    machine("NVIDIA Corporation", "NVIDIA Corporation, NVIDIA GeForce GTX 1660 SUPER/PCIe/SSE2, OpenGL 4.5.0", DESKTOP),
    machine("NVIDIA Corporation", "NVIDIA Corporation, NVIDIA GeForce RTX 3060/PCIe/SSE2, OpenGL 4.5.0", DESKTOP),
  ],
  windows: [
    machine("Intel", "Intel, Intel(R) UHD Graphics 620 (0x00005917) Direct3D11 vs_5_0 ps_5_0, D3D11", LAPTOP),
    machine("Intel", "Intel, Intel(R) Iris(R) Xe Graphics (0x00009A49) Direct3D11 vs_5_0 ps_5_0, D3D11", NEWER_LAPTOP),
    machine("NVIDIA", "NVIDIA, NVIDIA GeForce RTX 3060 (0x00002503) Direct3D11 vs_5_0 ps_5_0, D3D11", DESKTOP),
  ],
  mac: [machine("Apple", "Apple, ANGLE Metal Renderer: Apple M1, Unspecified Version", MACBOOK)],
};

const BARS = { linux: { bars: 27, top: 27 }, windows: { bars: 48, top: 0 }, mac: { bars: 25, top: 25 } } as const;

/** Time zones that match the language, which is English of the United States. */
const TIME_ZONES = ["America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"];

/** Chooses a computer for one visit. `random` returns numbers from 0 up to, but not including, 1. */
export function drawProfile(system: System, random: () => number): Profile {
  const pick = <T>(of: readonly T[]): T => {
    const chosen = of[Math.floor(random() * of.length)];
    if (chosen === undefined) throw new Error("Cannot draw a profile: there is nothing to draw from");
    return chosen;
  };
  const { gpu, cores, memory, screens } = pick(MACHINES[system]);
  return {
    gpu,
    cores: pick(cores),
    memory: pick(memory),
    screen: pick(screens),
    ...BARS[system],
    timeZone: pick(TIME_ZONES),
    position: { x: Math.floor(random() * 120), y: Math.floor(random() * 40) },
    seed: Math.floor(random() * 0x7fff_ffff),
  };
}
