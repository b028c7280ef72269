// A readable name of the device that signed in, from its user agent.

const browsers: readonly (readonly [mark: string, name: string])[] = [
  // Most browsers also claim to be Chrome or Safari, so those come last.
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
]

const systems: readonly (readonly [mark: string, name: string])[] = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
]

/** `Chrome on Windows`; the user agent itself if it is unknown. */
export function nameDevice(userAgent: string): string {
  const [browser, system] = [browsers, systems].map((names) => names.find(([mark]) => userAgent.includes(mark))?.[1])
  return browser === undefined || system === undefined ? userAgent : `${browser} on ${system}`
}
