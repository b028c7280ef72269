// Checks that money that came in became exactly one deposit, and with the right amount. It may be a deposit that a
// tester made up, money that a provider reported several times, money without an owner that a person assigned to an
// account, a collection, or the payment of a dynamic account.

import type { MadeUpDeposit } from '#simulate/model.ts'
import type { World } from '#simulate/world.ts'

export type DepositRow = {
  tenant_id: string
  provider: string
  provider_id: string
  narration: string
  status: string
  amount: string
  fee: string
  account_number: string
}

export async function checkDeposits({ model, database }: World): Promise<void> {
  const rows = await database.ask<DepositRow>(
    'select tenant_id, provider, provider_id, narration, status, amount, fee, account_number from deposit',
  )
  const byNarration = Map.groupBy(rows, ({ narration }) => narration)
  for (const deposit of model.madeUp) checkMadeUp(model.wrong, deposit, byNarration.get(deposit.narration) ?? [])
  const byNotice = Map.groupBy(
    rows.filter(({ provider_id }) => /^(NOTICE|ORPHAN)-/.test(provider_id)),
    ({ provider_id }) => provider_id,
  )
  for (const { providerId, ends, amount } of model.noticed) {
    const found = byNotice.get(providerId) ?? []
    const credits = found.filter(({ status }) => status === 'SUCCESSFUL')
    if (found.length === 0) model.wrong.add(`${providerId} was told and is gone`)
    if (found.length > 1)
      model.wrong.add(`${providerId} became ${found.length} deposits, ${credits.length} of them credited`)
    if (found.length === 1 && (found[0]?.status !== ends || Number(found[0].amount) !== amount))
      model.wrong.add(`${providerId} is not what its provider said`)
  }
  for (const { providerId, isAdopted, tenant, amount } of model.orphans) {
    const found = byNotice.get(providerId) ?? []
    if (found.length > 1 || (isAdopted && found.length === 0))
      model.wrong.add(`${providerId} was adopted and became ${found.length} deposits`)
    if (found.some((row) => row.tenant_id !== tenant.tenant.id || Number(row.amount) !== amount))
      model.wrong.add(`${providerId} is not what was adopted`)
  }
  for (const { reference, standing } of model.collections) {
    const found = byNarration.get(reference) ?? []
    if (found.length > 1 || (found.length > 0 && standing === 'refused'))
      model.wrong.add(`${reference} became ${found.length} deposits`)
  }
  const orders = Map.groupBy(rows, ({ account_number }) => account_number)
  for (const { accountNumber, waitsFor } of model.tenants.flatMap(({ accounts }) => accounts)) {
    if (waitsFor === undefined) continue
    const paid = (orders.get(accountNumber) ?? []).filter(({ status }) => status === 'SUCCESSFUL')
    if (paid.length > 1) model.wrong.add(`the account ${accountNumber} waited for one payment and took ${paid.length}`)
    if (waitsFor.exact && paid.some(({ amount }) => Number(amount) !== waitsFor.amount))
      model.wrong.add(`the account ${accountNumber} took another amount than it waited for`)
  }
}

function checkMadeUp(wrong: Set<string>, { narration, standing, amount }: MadeUpDeposit, found: DepositRow[]): void {
  if (standing === 'acknowledged' && found.length !== 1)
    wrong.add(`${narration} was acknowledged and is there ${found.length} times`)
  if (standing === 'unclear' && found.length > 1)
    wrong.add(`${narration} was asked for once and is there ${found.length} times`)
  if (standing === 'refused' && found.length > 0) wrong.add(`${narration} was refused and is there`)
  if (found.some((row) => BigInt(row.amount) !== BigInt(amount))) wrong.add(`${narration} has another amount`)
}
