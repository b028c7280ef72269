// Preferences of this browser alone: theme, density, single-letter shortcuts.

export type Preferences = {
  theme: 'system' | 'light' | 'dark'
  density: 'default' | 'comfortable'
  letters: 'on' | 'off'
}

const usual: Preferences = { theme: 'system', density: 'default', letters: 'on' }
const place = 'manilla.preferences'

export function readPreferences(): Preferences {
  try {
    return { ...usual, ...(JSON.parse(localStorage.getItem(place) ?? '{}') as Partial<Preferences>) }
  } catch {
    return usual // The browser may block storage, or it holds what an older version wrote.
  }
}

export function savePreferences(preferences: Preferences): void {
  try {
    localStorage.setItem(place, JSON.stringify(preferences))
  } catch {
    // The browser blocks storage, so the preferences apply until the page is left.
  }
  apply(preferences)
}

export function applyPreferences(): void {
  apply(readPreferences())
  darkness.addEventListener('change', () => apply(readPreferences()))
}

const darkness = matchMedia('(prefers-color-scheme: dark)')

function apply({ theme, density, letters }: Preferences): void {
  const isDark = theme === 'dark' || (theme === 'system' && darkness.matches)
  Object.assign(document.documentElement.dataset, { theme: isDark ? 'dark' : 'light', density, letters })
}
