// Why a deposit was not accepted, in a sentence with the amounts.

import { formatMoney } from '#format/money.ts'

type Return = {
  reason: 'UNDERPAID' | 'OVERPAID' | 'LATE' | 'DUPLICATE_PAYMENT' | 'ACCOUNT_CLOSED' | 'PROVIDER_FAILED'
  amount: number
}

export function whyReturned({ reason, amount }: Return, asked: number | null): string {
  const paid = `Paid ${formatMoney(amount)}${asked === null ? '' : ` of ${formatMoney(asked)}`}`
  switch (reason) {
    case 'UNDERPAID':
      return `${paid}: too little. It goes back to the sender.`
    case 'OVERPAID':
      return `${paid}: too much. It goes back to the sender.`
    case 'LATE':
      return `${paid} after the account had expired. It goes back to the sender.`
    case 'DUPLICATE_PAYMENT':
      return `${paid} a second time. It goes back to the sender.`
    case 'ACCOUNT_CLOSED':
      return `${paid} after the account had been closed. It goes back to the sender.`
    case 'PROVIDER_FAILED':
      return `The bank reported ${formatMoney(amount)}, but the money did not arrive. Nothing was credited.`
  }
}
