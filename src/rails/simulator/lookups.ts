// Simulated name enquiries: whose bank account, whose wallet.

import type { BankDirectory, MomoDirectory } from '#rails/rail.ts'
import { nameFrom } from './names.ts'
import { accountFate, phoneFate } from './numbers.ts'

export const simulatedBankDirectory: BankDirectory = {
  resolve: ({ bank, accountNumber }) => {
    const fate = accountFate(accountNumber)
    if (fate.kind === 'fails' && fate.reason === 'INVALID_ACCOUNT') return Promise.resolve({ kind: 'not-found' })
    if (fate.kind === 'fails' && fate.reason === 'BANK_UNAVAILABLE') {
      return Promise.resolve({ kind: 'unavailable', detail: 'the bank does not answer (simulated)' })
    }
    return Promise.resolve({ kind: 'resolved', accountName: nameFrom(`${bank.slug} ${accountNumber}`) })
  },
}

/** A wallet answers while its operator's payments are down (06): the contract makes 05 alone unresolvable. */
export const simulatedMomoDirectory: MomoDirectory = {
  lookUp: ({ operator, phoneNumber }) => {
    if (phoneFate(phoneNumber)?.kind === 'not-found') return Promise.resolve({ kind: 'not-found' })
    return Promise.resolve({ kind: 'resolved', accountName: nameFrom(`${operator.slug} ${phoneNumber}`) })
  },
}
