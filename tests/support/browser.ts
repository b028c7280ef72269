// A real browser against a real service. The browser is the Chromium of the machine; where there is none, what needs it
// is skipped, and the run says so.

import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { afterAll } from 'vitest'
import { openSite } from '#building/site.ts'
import { createLog } from '#base/log.ts'
import type { TestPerson } from './dashboard.ts'
import { patienceMs } from './patience.ts'
import { startService, type TestService, type TestServiceOptions } from './service.ts'

export const chromiumFile = findChromium()

function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  const files = ['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) =>
    folders.map((folder) => path.join(folder, name)),
  )
  return files.find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export type Visit = {
  page: Page
  context: BrowserContext
  /** What the browser complained of. It is to stay empty. */
  complaints: string[]
  /** Opens an address below /dashboard and waits until the page has its heading. */
  open(address: string): Promise<void>
}

export type VisitOptions = {
  /** Signed in as this person, without the way through the door. */
  as?: TestPerson
  theme?: 'light' | 'dark'
  size?: { width: number; height: number }
}

export type Dashboard = TestService & {
  /** http://localhost:port/dashboard */
  address: string
  visit(options?: VisitOptions): Promise<Visit>
}

const usualSize = { width: 1280, height: 800 }
/** The builds of a checkout, by fingerprint: each is made once, whichever test file asks first. */
const builds = path.resolve(import.meta.dirname, '../../node_modules/.cache/manilla-dashboard')

/** For the top of a test file: a service with its dashboard, and a browser; both end with the file. */
export async function useDashboard(options: TestServiceOptions = {}): Promise<Dashboard> {
  const site = openSite({ dataDir: builds, awaitsDataDir: false, log: createLog({ level: 'warn', format: 'json' }) })
  await site.settled
  if (site.state().kind !== 'ready') throw new Error('the dashboard could not be built; the line above says why')
  const service = await startService({ dashboardSite: site.state, ...options })
  const address = `${service.url.replace('127.0.0.1', 'localhost')}/dashboard`
  const browser = await launch()
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })
  return { ...service, address, visit: (how = {}) => visit(browser, address, how) }
}

function launch(): Promise<Browser> {
  if (chromiumFile === undefined) throw new Error('there is no Chromium on this machine')
  // As root, as in a container, Chromium does not start with its sandbox.
  const sandbox = process.geteuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath: chromiumFile, args: [...sandbox, '--font-render-hinting=none'] })
}

async function visit(browser: Browser, address: string, { as, theme = 'light', size }: VisitOptions): Promise<Visit> {
  const context = await browser.newContext({
    viewport: size ?? usualSize,
    colorScheme: theme,
    locale: 'en-GB',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(patienceMs)
  if (as !== undefined) {
    const [name = '', value = ''] = as.cookie.split('=')
    await context.addCookies([{ name, value, url: address, httpOnly: true, sameSite: 'Strict' }])
  }
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => complaints.push(String(error)))
  return {
    page,
    context,
    complaints,
    async open(below) {
      await page.goto(`${address}${below}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
  }
}
