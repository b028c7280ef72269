// Checks that any open page can be given: the rules of axe, parts that are wider than the screen, and controls that the
// keyboard does not reach or that show no focus. Each returns sentences about faults; an empty list is good.

import path from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * The few properties of a page that the functions below read, because tests are checked without the types of a browser.
 */
type Part = {
  tagName: string
  textContent: string
  parentElement: Part | null
  tabIndex: number
  getAttribute(name: string): string | null
  getBoundingClientRect(): { left: number; right: number; width: number; height: number }
  checkVisibility(options: { visibilityProperty: boolean }): boolean
  matches(selector: string): boolean
  closest(selector: string): Part | null
  focus(): void
}
export type InPage = {
  innerWidth: number
  document: { body: Part; activeElement: Part | null; querySelectorAll(selector: string): Iterable<Part> }
  getComputedStyle(part: Part): Record<'overflowX' | 'visibility' | 'cursor' | 'outlineStyle' | 'outlineWidth', string>
}

type Finding = { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }
type Run = { axe: { run: (context: object, options: object) => Promise<{ violations: Finding[] }> } }

/** Waits until nothing on the page waits for its first answer any more. */
export async function untilLoaded(page: Page): Promise<void> {
  const waiting = page.getByText('Loading', { exact: true }).or(page.locator('[aria-busy="true"]'))
  await waiting.first().waitFor({ state: 'detached' })
}

/** The rules about colors. All other rules give the same result in both themes. */
const rulesOfColour = ['color-contrast', 'link-in-text-block']

/** Runs every rule in light, and the rules about colors in dark. */
export async function askAxe(page: Page, leaveOut: string[]): Promise<string[]> {
  await page.evaluate(axe.source)
  const light = await runAxe(page, leaveOut, {})
  await showIn(page, 'dark')
  const dark = await runAxe(page, leaveOut, { runOnly: rulesOfColour })
  await showIn(page, 'light')
  return [...light.map((fault) => `light: ${fault}`), ...dark.map((fault) => `dark: ${fault}`)]
}

/** The dashboard's script hears of the change after the browser, and only then changes the colors. */
async function showIn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.locator(`html[data-theme=${colorScheme}], html:not([data-theme])`).waitFor({ state: 'attached' })
}

async function runAxe(page: Page, leaveOut: string[], options: object): Promise<string[]> {
  const { violations } = await page.evaluate(
    // Makes axe leave out its reports about what passes.
    ([exclude, given]) =>
      (globalThis as unknown as Run).axe.run({ exclude }, { ...given, resultTypes: ['violations'] }),
    [leaveOut, options] as const,
  )
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${impact}) at ${target.join(' ')}: ${failureSummary}`),
  )
}

/** 320 px, and the width that a window of 1,280 px has at 200 %. */
const narrowWidths = [320, 640]

/** A reader never scrolls the page sideways; a wide part, such as a table, scrolls within itself. */
export async function askWidths(page: Page): Promise<string[]> {
  const usual = page.viewportSize() ?? { width: 1280, height: 800 }
  const faults: string[] = []
  for (const width of narrowWidths) {
    await page.setViewportSize({ width, height: usual.height })
    const wide = await page.evaluate(wideParts)
    faults.push(...wide.map((part) => `at ${width} px: ${part}`))
  }
  await page.setViewportSize(usual)
  return faults
}

/** Runs in the page. */
function wideParts(): string[] {
  const { document, innerWidth, getComputedStyle } = globalThis as unknown as InPage
  const scrolls = (element: Part | null): boolean =>
    element !== null &&
    (/auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
  return [...document.querySelectorAll('body *')]
    .filter((element) => {
      const { right, left, width, height } = element.getBoundingClientRect()
      const isSeen = width > 1 && height > 1 && getComputedStyle(element).visibility !== 'hidden'
      return isSeen && (right > innerWidth + 1 || left < -1) && !scrolls(element.parentElement)
    })
    .map((element) => `${element.tagName.toLowerCase()} “${element.textContent.slice(0, 40)}” leaves the screen`)
}

/** Tab reaches every control that can be clicked, and the control shows its focus. */
export async function askKeyboard(page: Page): Promise<string[]> {
  // From then on the browser shows the focus, as it does for users of the keyboard.
  await page.keyboard.press('Tab')
  return page.evaluate(unreachable)
}

/** Runs in the page. */
function unreachable(): string[] {
  const { document, getComputedStyle } = globalThis as unknown as InPage
  const name = (element: Part): string =>
    `${element.tagName.toLowerCase()} “${(element.getAttribute('aria-label') ?? element.textContent).trim().slice(0, 40)}”`
  const isSeen = (element: Part): boolean =>
    element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 1
  const controls = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'
  const faults: string[] = []
  for (const element of document.querySelectorAll('body *')) {
    if (!isSeen(element)) continue
    const isForHand = getComputedStyle(element).cursor === 'pointer' || element.matches(controls)
    if (!isForHand) continue
    // A label belongs to its field. Of a group of tabs, Tab reaches one, and the arrow keys reach the others.
    const control = element.closest(`${controls}, label, [role="tab"], [role="option"]`)
    if (control === null) faults.push(`${name(element)} can be clicked and not reached`)
    else if (control.matches('[role="tab"], [role="option"], label')) continue
    else if (control.tabIndex < 0) faults.push(`${name(control)} is left out by Tab`)
    else if (control === element) {
      control.focus()
      const { outlineStyle, outlineWidth } = getComputedStyle(control)
      const shows = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
      if (document.activeElement !== control) faults.push(`${name(control)} takes no focus`)
      else if (!shows) faults.push(`${name(control)} does not show its focus`)
    }
  }
  return faults
}

const phone = { width: 390, height: 844 }

/** Keeps pictures in the folder of PICTURES, if it is set: both themes at two sizes. */
export async function keepPictures(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES']
  if (folder === undefined) return
  const file = path.join(folder, name.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/^-/, ''))
  const usual = page.viewportSize() ?? phone
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(usual)
    await page.screenshot({ path: `${file}-${colorScheme}-wide.png` })
    await page.setViewportSize(phone)
    await page.screenshot({ path: `${file}-${colorScheme}-phone.png` })
  }
  await page.setViewportSize(usual)
}
