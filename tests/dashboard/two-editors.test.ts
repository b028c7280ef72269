// Two people edit the same record, in a real browser. Neither puts back an old value that the other one corrected.

import { describe, expect, it } from 'vitest'
import { formatId } from '#platform/ids.ts'
import { useDashboard } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'

describe.skipIf(chromiumFile === undefined)('a record that two people edit', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ roles: ['api'], settings: { SANDBOX_SETTLE_MS: '50' } })
  const api = below(dashboard, 'staging')
  const pages = `/b/${formatId('business', dashboard.business.id)}/staging`
  const owner = await addPerson(dashboard, { role: 'owner', hasFactor: true, steppedUp: true })

  it('keeps the corrected account of a recipient, and says so to a person who edits the tags', async () => {
    const shown = { kind: 'bank', name: 'Landlord', institution: 'access-bank', accountNumber: '0123456789', tags: [] }
    const { id } = expectSuccess(await owner.post(`${api}/recipients`, shown))
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/recipients`)
    await page.getByRole('button', { name: 'Edit Landlord' }).click()
    const corrected = { ...shown, accountNumber: '2000000009' }
    expectSuccess(await owner.patch(`${api}/recipients/${id}`, { ...corrected, shown }))
    await page.getByLabel('Tags').fill('rent')
    await page.getByRole('button', { name: 'Save recipient' }).click()
    await page.getByText('Another person changed this recipient since you opened the page.').waitFor()
    expect(expectSuccess(await owner.get(`${api}/recipients`)).recipients).toMatchObject([corrected])
  })

  it('keeps a recipient whose account a colleague corrected, and says so to a person who removes it', async () => {
    const shown = { kind: 'bank', name: 'Caterer', institution: 'access-bank', accountNumber: '0123456780', tags: [] }
    const { id } = expectSuccess(await owner.post(`${api}/recipients`, shown))
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/recipients`)
    await page.getByRole('button', { name: 'Edit Caterer' }).click()
    await page.getByRole('button', { name: 'Remove Caterer' }).click()
    const corrected = { ...shown, accountNumber: '2000000010' }
    expectSuccess(await owner.patch(`${api}/recipients/${id}`, { ...corrected, shown }))
    await page.getByRole('button', { name: 'Remove recipient' }).click()
    await page.getByText('Another person changed this recipient since you opened the page.').waitFor()
    const listed = async () => expectSuccess(await owner.get(`${api}/recipients?search=caterer`)).recipients
    expect(await listed()).toMatchObject([corrected])
    await page.reload()
    await page.getByRole('button', { name: 'Edit Caterer' }).click()
    await page.getByRole('button', { name: 'Remove Caterer' }).click()
    await page.getByRole('button', { name: 'Remove recipient' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await listed()).toEqual([])
  })

  it('keeps the corrected phone number of a customer when a person edits the last name', async () => {
    const customer = { reference: 'ADA', firstName: 'Ada', lastName: 'Obi', phoneNumber: '08030000000' }
    expectSuccess(await owner.post(`${api}/v1/customers`, customer))
    const { page, open } = await dashboard.visit({ as: owner })
    await open(`${pages}/customers/ADA`)
    await page.getByRole('button', { name: 'Edit customer' }).click()
    const corrected = { phoneNumber: '08030000099' }
    const { phoneNumber } = expectSuccess(await owner.patch(`${api}/v1/customers/ADA`, corrected))
    await page.getByLabel('Last name').fill('Eze')
    await page.getByRole('button', { name: 'Save customer' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ada Eze' }).waitFor()
    expect(expectSuccess(await owner.get(`${api}/v1/customers/ADA`))).toMatchObject({ lastName: 'Eze', phoneNumber })
  })
})
