// Review items on the page of operations: what each means, what can be done about it, and that a second factor is asked first.
//
// PICTURES=FOLDER keeps a picture of each form.

import { describe, expect, it } from 'vitest'
import { meanings } from '#dashboard/pages/operations/meanings.ts'
import { formatId } from '#platform/ids.ts'
import { exceptionKinds } from '#review/review-queue.ts'
import { breakKinds } from '#reconciliation/mismatches.ts'
import { newBreak, newException, newRefusedRefund, itemOf, refundStatusOf } from '#tests/corrections/items.ts'
import { transferBody, untilStatus } from '#tests/payments/requests.ts'
import { useDashboard, type Visit } from '#tests/support/browser.ts'
import { chromiumFile } from '#tests/support/chromium.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { faultsAmong } from './faults.ts'
import { askAxe, askWidths, keepPictures, untilLoaded } from './page-checks.ts'

it('each kind of exception and of break has its plain words', () => {
  expect(Object.keys(meanings).toSorted()).toEqual([...exceptionKinds, ...breakKinds].toSorted())
})

describe.skipIf(chromiumFile === undefined)('review items', async () => {
  if (chromiumFile === undefined) return
  const dashboard = await useDashboard({ settings: { SANDBOX_SETTLE_MS: '20' } })
  const { staging, ctx, database, business } = dashboard
  const tenant = business.tenants.staging
  const strong = { role: 'owner', isOperator: true, hasFactor: true, steppedUp: true } as const
  const below = `/b/${formatId('business', business.id)}/staging`
  const about = { currency: 'NGN' as const, amount: 150_000n as never }
  expectSuccess(await staging.post('/v1/transfers/initiate', transferBody({ reference: 'PAYOUT-1' })))
  await untilStatus(staging, 'PAYOUT-1', 'SUCCESS')
  const paid = await newException(database, ctx, tenant, 'staging', { ...about, reference: 'PAYOUT-1' })
  const twice = await newException(database, ctx, tenant, 'staging', { ...about, reference: 'PAYOUT-2' })
  await newException(database, ctx, tenant, 'staging', {
    ...about,
    kind: 'payment-stuck',
    reference: 'PAYOUT-3',
    fact: 'it has had no outcome for a day',
  })
  await newException(database, ctx, null, 'staging', {
    ...about,
    kind: 'notice-unowned',
    subject: 'staging:acme:8842',
    reference: '',
    fact: 'no customer owns the account 9999999999',
  })
  const refund = await newRefusedRefund(database, ctx, business.tenants.production)
  const fee = await newBreak(database, ctx, { kind: 'fee', fact: 'payouts of 12 May cost ₦150.00 more than agreed' })
  await newBreak(database, ctx, { kind: 'state', fact: 'it lists failed; ours is SUCCESS', amount: 150_000n })

  async function review(visit: Visit, name: RegExp) {
    await visit.open(`${below}/operations`)
    await untilLoaded(visit.page)
    await visit.page.getByRole('button', { name }).click()
    return visit.page.getByRole('dialog')
  }

  it.each([
    ['list', undefined, undefined],
    ['return', /^Review Payment reported differently, PAYOUT-1$/, undefined],
    ['adjust', /^Review Payment reported differently, PAYOUT-2$/, 'adjust'],
    ['close', /^Review Payment reported differently, PAYOUT-2$/, 'close'],
    ['settle', /^Review Payment without an outcome/, undefined],
    ['adopt', /^Review Deposit for an unknown account/, undefined],
    ['retry refund', /^Review Refund refused/, undefined],
    ['mark refunded', /^Review Refund refused/, 'refunded'],
    ['break', /^Review Different status/, undefined],
    ['fee', /^Review Different fee/, undefined],
  ] as const)('are for everybody: %s', async (what, name, action) => {
    const visit = await dashboard.visit({ as: await addPerson(dashboard, strong) })
    if (name === undefined) {
      await visit.open(`${below}/operations`)
      await untilLoaded(visit.page)
    } else {
      const dialog = await review(visit, name)
      if (action === 'refunded') await dialog.getByLabel('Resolution').selectOption(action)
      else if (action !== undefined) await dialog.getByLabel('Action').selectOption(action)
    }
    await keepPictures(visit.page, `corrections ${what}`)
    expect([...(await askAxe(visit.page, [])), ...(await askWidths(visit.page))]).toEqual([])
    expect(faultsAmong(visit.complaints)).toEqual([])
  })

  it('return a payout, and are gone then', async () => {
    const visit = await dashboard.visit({ as: await addPerson(dashboard, strong) })
    const dialog = await review(visit, /PAYOUT-1$/)
    await dialog.getByLabel('Note').fill('bank statement of 12 May')
    await dialog.getByRole('button', { name: 'Return the payout' }).click()
    await visit.page.getByText('PAYOUT-1 is REVERSED now.').waitFor()
    await dialog.waitFor({ state: 'detached' })
    await visit.page.getByRole('button', { name: /PAYOUT-1$/ }).waitFor({ state: 'detached' })
    expect((await itemOf(database, ctx, paid)).note).toBe('bank statement of 12 May')
  })

  it('adjust a balance once the amount is typed twice, and show the new balance', async () => {
    const visit = await dashboard.visit({ as: await addPerson(dashboard, strong) })
    const dialog = await review(visit, /PAYOUT-2$/)
    await dialog.getByLabel('Action').selectOption('adjust')
    const send = dialog.getByRole('button', { name: 'Take from the balance' })
    await dialog.getByLabel('Amount', { exact: true }).fill('1,510')
    await dialog.getByLabel('Type the amount again').fill('1,500')
    expect(await send.getAttribute('aria-disabled')).toBe('true')
    await dialog.getByText('₦1,510.00 is taken from the available balance in staging.').waitFor()
    await dialog.getByLabel('Type the amount again').fill('1510')
    await send.click()
    await dialog.getByText('must not be empty').waitFor()
    await dialog.getByLabel('Note').fill('paid twice')
    await send.click()
    await visit.page.getByText(/^Adjusted\. ₦[\d,.]+ is available now\.$/).waitFor()
    expect((await itemOf(database, ctx, twice)).note).toBe('paid twice')
    await visit.open(`${below}/balance`)
    await visit.page.getByRole('cell', { name: 'Adjustment' }).waitFor()
  })

  it('resolve a refund, and are gone then', async () => {
    const visit = await dashboard.visit({ as: await addPerson(dashboard, strong) })
    const dialog = await review(visit, /^Review Refund refused/)
    await dialog.getByText('so nothing is sent twice').waitFor()
    await dialog.getByLabel('Resolution').selectOption('Already refunded by other means')
    await dialog.getByText('the refund is canceled at the provider').waitFor()
    await dialog.getByLabel('Note').fill('paid by bank transfer, mail of 12 May')
    await dialog.getByRole('button', { name: 'Mark as refunded' }).click()
    await visit.page.getByText(`${refund.reference} is REFUNDED now.`).waitFor()
    await dialog.waitFor({ state: 'detached' })
    await visit.page.getByRole('button', { name: /^Review Refund refused/ }).waitFor({ state: 'detached' })
    expect(await refundStatusOf(database, refund.reference)).toBe('REFUNDED')
    expect((await itemOf(database, ctx, refund.item)).note).toBe('paid by bank transfer, mail of 12 May')
  })

  it('ask for the second factor before anything is done', async () => {
    const { page, ...visit } = await dashboard.visit({
      as: await addPerson(dashboard, { ...strong, steppedUp: false }),
    })
    // On a slow line the dialog comes long after the click.
    const clicked = Promise.withResolvers<void>()
    await page.route(/challenge/, async (route) => {
      await clicked.promise
      await route.continue()
    })
    const dialog = await review({ page, ...visit }, /^Review Different fee/)
    await dialog.getByLabel('Note').fill('the price list was old')
    const refused = page.waitForResponse((answer) => answer.status() === 403)
    await dialog.getByRole('button', { name: 'Close with this note' }).click()
    await refused
    clicked.resolve()
    await page.getByRole('dialog', { name: /Confirm/ }).waitFor()
    await untilHolds(async () => expect((await itemOf(database, ctx, fee)).closed_at).toBeNull())
  })
})
