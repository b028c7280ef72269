// Asking a rail for the number of an opening. Everything that it is told follows from the opening, and from the customer
// as it is by now, so whoever asks asks for the same account; and the rail promises to answer with the same number.

import { present } from '#base/assert.ts'
import type { Tenant } from '#base/context.ts'
import { Unavailable } from '#base/error.ts'
import type { SecretBox } from '#base/secret.ts'
import type { RailBank } from '#rails/rail.ts'
import type { NewAccount, StaticAccountOrder, VirtualAccounts as AccountsPort } from '#rails/rail-accounts.ts'
import { attemptReferenceOf, railReferenceOf } from '#rails/reference.ts'
import type { AccountType } from './account.ts'
import { bvnContext } from './create.ts'
import type { Opening } from './opening.ts'
import type { StoredCustomer } from './sql.ts'

/** What must be known of a rail to ask it. */
export type Windows = {
  /** The rail, by name, at which new accounts are opened. Throws the sentence for a caller when there is none. */
  railFor: (tenant: Tenant, type: AccountType) => string
  /** Of the rail that has the account, or was asked for it. Throws when there is no such rail any more. */
  portOf: (tenant: Tenant, held: { rail: string; type: AccountType }) => AccountsPort
  findBank: (slug: string) => RailBank | undefined
  box: SecretBox
}

/** How many numbers a rail is asked for when the one before was another account's already. */
export const attemptsMax = 10

/** The customer of a static account, as a rail is told of it. */
export type Payee = StaticAccountOrder['customer']

export function payeeOf(
  box: SecretBox,
  { id, firstName, lastName, email, phoneNumber, sealedBvn }: StoredCustomer,
): Payee {
  const bvn = sealedBvn === null ? null : box.open(sealedBvn, bvnContext(id))
  return { firstName, lastName, email, phoneNumber, bvn }
}

export type Asked = { opening: Opening; payee: Payee | null; attempt: number }

export function askRail(
  { portOf, findBank }: Pick<Windows, 'portOf' | 'findBank'>,
  tenant: Tenant,
  { opening, payee, attempt }: Asked,
): Promise<NewAccount> {
  const port = portOf(tenant, opening)
  const { accountName, bankSlug, order } = opening
  const bank = bankSlug === null || bankSlug === port.defaultBankSlug ? null : findBank(bankSlug)
  if (bank === undefined)
    return Promise.resolve({ kind: 'unavailable', detail: `the bank ${bankSlug} is not known any more` })
  const about = { railReference: railReferenceOf(opening.id), bank, accountName, attempt }
  if (payee !== null) return port.createStatic({ ...about, customer: payee })
  const { amount, policy, expiresAt } = present(order, 'an account without a payee is a dynamic one')
  return port.createDynamic({ ...about, amount, policy, currency: 'NGN', expiresAtMs: expiresAt.getTime() })
}

/** Under which its rail knows the account that it opened at this attempt. */
export function referenceOf({ id }: Opening, attempt: number): string {
  return attemptReferenceOf({ railReference: railReferenceOf(id), attempt })
}

/** Whether the rail has closed it. Closing twice is closing once. */
export async function closeAtRail(
  { portOf }: Pick<Windows, 'portOf'>,
  tenant: Tenant,
  opening: Opening,
  { accountNumber, handle }: { accountNumber: string; handle: string | null },
): Promise<boolean> {
  const railReference = railReferenceOf(opening.id)
  const answer = await portOf(tenant, opening).close({ railReference, accountNumber, handle })
  return answer.kind === 'closed'
}

const retryAfterSeconds = 5

export function railDown(detail: string): Unavailable {
  return new Unavailable('The bank that holds virtual accounts does not answer now. Try again shortly.', {
    cause: new Error(detail),
    retryAfterSeconds,
  })
}
