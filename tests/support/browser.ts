// A real browser against a real service. The browser is the Chromium of the machine. Without one, the tests that need
// it are skipped, and the run says so.

import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, inject } from 'vitest'
import { chromiumFile } from './chromium.ts'
import type { TestPerson } from './dashboard.ts'
import { patienceMs } from './patience.ts'
import { useSite } from './site.ts'
import { startService, type TestService, type TestServiceOptions } from './service.ts'

export type Visit = {
  page: Page
  context: BrowserContext
  /** Errors that the browser reported. A test ends with none. */
  complaints: string[]
  /** Opens an address below /dashboard and waits until the page has a heading. */
  open(address: string): Promise<void>
}

export type VisitOptions = {
  /** Opens a page as this person, without the sign-in page. */
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
/** For the top of a test file: a service with its dashboard, and a browser. Both end with the file. */
export async function useDashboard(options: TestServiceOptions = {}): Promise<Dashboard> {
  const files = await useSite()
  const service = await startService({ dashboardFiles: files, ...options })
  afterAll(() => service.stop())
  const address = addressOf(service)
  return { ...service, address, visit: await useBrowser(address) }
}

export function addressOf({ url }: Pick<TestService, 'url'>): string {
  return `${url.replace('127.0.0.1', 'localhost')}/dashboard`
}

/** Opens the dashboard at this address. Everything that it opens is closed with the test file. */
export async function useBrowser(address: string): Promise<Dashboard['visit']> {
  const browser = await launched()
  const contexts: BrowserContext[] = []
  afterAll(async () => {
    await Promise.all(contexts.map((context) => context.close()))
  })
  return async (how = {}) => {
    const made = await visit(browser, address, how)
    contexts.push(made.context)
    return made
  }
}

let running: Promise<Browser> | undefined

/**
 * One browser for all files of a process: its contexts share nothing, and a start costs a second of a processor. It
 * ends when its pipe to this process ends, for any reason. If a file loses its browser, the next file gets a new one.
 */
async function launched(): Promise<Browser> {
  const browser = await running
  if (browser?.isConnected() === true) return browser
  running = launch()
  return running
}

function launch(): Promise<Browser> {
  const executablePath = chromiumFile
  if (executablePath === undefined) throw new Error('there is no Chromium on this machine')
  // Chromium does not start with its sandbox as root, which is the user in a container.
  const sandbox = process.geteuid?.() === 0 ? ['--no-sandbox'] : []
  const args = [...sandbox, '--font-render-hinting=none']
  return inRunFolder(() => chromium.launch({ executablePath, args }))
}

/** The browser does not clean up. Its files lie in the run's folder, which is removed. */
async function inRunFolder<T>(work: () => Promise<T>): Promise<T> {
  const usual = process.env['TMPDIR']
  process.env['TMPDIR'] = inject('runFolder')
  try {
    return await work()
  } finally {
    if (usual === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = usual
  }
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
      await page.getByRole('heading').first().waitFor()
    },
  }
}
