import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { askAxe, keepPictures } from './page-checks.ts'

// 2 × 1 pixels, the left one transparent.
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAAD0lEQVR4nGNgAALuWJ//AALjAbT6WJQwAAAAAElFTkSuQmCC',
  'base64',
)

describe.skipIf(chromiumFile === undefined)('the logo in the settings', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard()
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })

  it('is added from a file, shown, and removed; a file that is no picture is refused beside the field', async () => {
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`/b/${formatId('business', dashboard.business.id)}/staging/settings`)
    const field = page.getByLabel('Image file')
    await page.getByRole('button', { name: 'Add logo' }).click()
    await page.getByText('Choose a file first.').waitFor()
    await field.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
    await page.getByRole('button', { name: 'Add logo' }).click()
    await page.getByText('Image file must be a PNG or JPEG file').waitFor()
    await field.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png })
    await page.getByRole('button', { name: 'Add logo' }).click()
    const logo = page.getByRole('img', { name: 'Logo on receipts and statements' })
    await logo.waitFor()
    await untilHolds(async () => expect(await page.evaluate("document.querySelector('main img').naturalWidth")).toBe(2))
    expect(await askAxe(page, [])).toEqual([])
    await keepPictures(page, 'logo')
    await page.getByRole('button', { name: 'Remove logo' }).click()
    await logo.waitFor({ state: 'detached' })
  })
})
