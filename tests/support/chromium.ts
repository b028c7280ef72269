// The browser of the machine, for the tests of the dashboard. The tests download none.

import { accessSync, constants } from 'node:fs'
import path from 'node:path'

export const chromiumFile = findChromium()

function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  // The headless shell draws the same pages for two thirds of the work.
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
