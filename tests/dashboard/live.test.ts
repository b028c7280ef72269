// Pages show changes without a reload, also after the server was away.

import { describe, expect, it, onTestFinished } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { addressOf, useBrowser } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { createClient, expectSuccess, type Client } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { freePort } from '#tests/support/launch.ts'
import { startService } from '#tests/support/service.ts'
import { useSite } from '#tests/support/site.ts'

const polls = 'Updates every 10 s'

describe.skipIf(chromiumFile === undefined)('a page that is open', async () => {
  if (chromiumFile === undefined) return
  const files = await useSite()
  const database = await useTestDatabase()
  const port = String(await freePort())
  const start = () => startService({ database, dashboardFiles: files, settings: { PORT: port } })
  const first = await start()
  const visit = await useBrowser(addressOf(first))

  async function pay(staging: Client): Promise<string> {
    const account = { amount: 250_000 }
    const { accountNumber } = expectSuccess(await staging.post('/v1/virtual-accounts/dynamic', account))
    const deposit = { accountNumber, amount: 250_000 }
    return expectSuccess(await staging.post('/v1/sandbox/deposits', deposit)).reference as string
  }

  it('shows a deposit at once, says when the server is away, and shows what came meanwhile and after', async () => {
    const owner = await addPerson(first, { role: 'owner' })
    const { page, open } = await visit({ as: owner })
    // The clock is the browser's, and the test moves it: the page waits ten seconds before it asks a server that was
    // away.
    await page.clock.install()
    await open(`/b/${formatId('business', first.business.id)}/staging/deposits`)
    await page.getByRole('heading', { name: 'No deposit yet' }).waitFor()
    await page.getByRole('link', { name: await pay(first.staging) }).waitFor()

    await first.stop()
    await page.getByText(polls).waitFor()
    const second = await start()
    onTestFinished(() => second.stop())
    const staging = createClient(`${second.url}/staging`, first.testKey)
    onTestFinished(() => staging.close())
    const meanwhile = await pay(staging)
    await page.clock.fastForward(10_000)
    await page.getByText(polls).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: meanwhile }).waitFor()
    await page.getByRole('link', { name: await pay(staging) }).waitFor()
    expect(await page.getByText(polls).count()).toBe(0)
    expect(await page.getByText('asks again by itself').count()).toBe(0)
  })
})
