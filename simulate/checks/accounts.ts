// Checks that every account that is open at the provider has an owner in the service, because money for an account
// without an owner belongs to no tenant, and that every acknowledged account is stored.

import type { World } from '#simulate/world.ts'

export async function checkAccounts({ model, database, provider }: World): Promise<void> {
  const rows = await database.ask<{ account_number: string }>('select account_number from virtual_account')
  const ours = new Set(rows.map((row) => row.account_number))
  for (const [number, isOpen] of provider.numbers)
    if (isOpen && !ours.has(number)) model.wrong.add(`the account ${number} is open at its provider and nobody's`)
  for (const { accountNumber } of model.tenants.flatMap(({ accounts }) => accounts))
    if (!ours.has(accountNumber)) model.wrong.add(`the account ${accountNumber} was acknowledged and is gone`)
}
