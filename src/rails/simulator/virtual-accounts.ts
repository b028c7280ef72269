// Simulated virtual accounts. Nothing is remembered here, so a number is a candidate: a valid NUBAN that follows from
// the order and its attempt. Two orders can meet (one pair in 900 million); the database of the caller refuses the
// second, and the caller asks again with the next attempt.

import { institutionCodeOf, nubanCheckDigit } from '#rails/nuban.ts'
import type { RailBank } from '#rails/rail.ts'
import type { DynamicAccountOrder, NewAccount, StaticAccountOrder, VirtualAccounts } from '#rails/rail-accounts.ts'
import { numberFrom } from './digest.ts'

/** The bank that most Nigerian virtual accounts are held at. */
const defaultBank: RailBank = { slug: 'wema-bank', name: 'Wema Bank', code: '035', nipCode: '000017', cbnCode: '035' }

/** No number begins with 9, so none is ever a number that decides what the simulator does. */
const serialLimit = 900_000_000

export const simulatedVirtualAccounts: VirtualAccounts = {
  defaultBankSlug: defaultBank.slug,
  createStatic: (order) => Promise.resolve(create(order)),
  createDynamic: (order) => Promise.resolve(create(order)),
  close: () => Promise.resolve({ kind: 'closed' }),
}

function create(order: StaticAccountOrder | DynamicAccountOrder): NewAccount {
  const bank = order.bank ?? defaultBank
  const seed = `account ${order.railReference} ${order.attempt}`
  const serial = String(numberFrom(seed, serialLimit)).padStart(9, '0')
  const accountNumber = `${serial}${nubanCheckDigit(institutionOf(bank), serial)}`
  const { name: bankName, slug: bankSlug } = bank
  return { kind: 'created', accountNumber, accountName: order.accountName, bankName, bankSlug, handle: null }
}

/** A few codes carry letters (`035A`, `MFB50094`); their digits are the institution's. */
function institutionOf(bank: RailBank): string {
  return institutionCodeOf(bank.code.replaceAll(/\D/g, '')) ?? bank.nipCode ?? '000000'
}
