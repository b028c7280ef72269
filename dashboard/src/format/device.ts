// What a person calls the device that signed in, from what its browser says of itself.

const browsers: readonly (readonly [mark: string, name: string])[] = [
  // Most of them also say that they are Chrome or Safari, so those come last.
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

/** `Chrome on Windows`; whatever it says where that is not known. */
export function nameDevice(userAgent: string): string {
  const [browser, system] = [browsers, systems].map((names) => names.find(([mark]) => userAgent.includes(mark))?.[1])
  return browser === undefined || system === undefined ? userAgent : `${browser} on ${system}`
}
