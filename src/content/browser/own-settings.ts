import { type OwnRequest, type Viewport } from "../page/own-request.ts";
import { type PageRequest } from "../page/page.ts";
import { type CdpFields } from "./program/cdp.ts";

/** A call of the DevTools protocol. */
export type CdpCall = readonly [method: string, params: CdpFields];

/** Points that a touch screen feels at once. */
const TOUCH_POINTS = 5;

/** The calls to a tab that set its screen. `window` is the size of a picture; it has the scale of the viewport. */
export function screenCalls(window: PageRequest["window"], viewport: Viewport | undefined): CdpCall[] {
  const size = window ?? viewport;
  if (size === undefined) return [];
  const { width, height } = size;
  const { scale: deviceScaleFactor = 1, mobile = false } = viewport ?? {};
  const screen = { width, height, screenWidth: width, screenHeight: height, deviceScaleFactor, mobile };
  const touch = { enabled: true, maxTouchPoints: TOUCH_POINTS };
  return [
    ["Emulation.setDeviceMetricsOverride", screen],
    ...(mobile ? [["Emulation.setTouchEmulationEnabled", touch] as const] : []),
  ];
}

/** The calls to a tab that show its page the caller's language, time zone and position. */
export function ownCalls({ language, timeZone, position }: OwnRequest): CdpCall[] {
  return [
    ...(language === undefined
      ? []
      : [["Emulation.setLocaleOverride", { locale: language.replace("-", "_") }] as const]),
    ...(timeZone === undefined ? [] : [["Emulation.setTimezoneOverride", { timezoneId: timeZone }] as const]),
    ...(position === undefined ? [] : [["Emulation.setGeolocationOverride", { ...position }] as const]),
  ];
}

/** The calls to the browser that put the caller's cookies and permissions into the context of a tab. */
export function contextCalls({ cookies, position }: OwnRequest, { origin }: URL, browserContextId: string): CdpCall[] {
  const stored = cookies.map(({ name, value, domain, path, secure }) => ({
    name,
    value,
    path,
    secure,
    // Without a domain, the cookie is for the host of the URL only.
    ...(domain === undefined ? { url: `${origin}/` } : { domain: `.${domain}` }),
  }));
  return [
    ...(stored.length === 0 ? [] : [["Storage.setCookies", { cookies: stored, browserContextId }] as const]),
    ...(position === undefined
      ? []
      : [["Browser.grantPermissions", { origin, permissions: ["geolocation"], browserContextId }] as const]),
  ];
}
