// The details that a payer of an account needs, as text for a message.

import type { VirtualAccount } from '#api/schema.ts'
import { groupAccountNumber } from '#format/ids.ts'
import { formatMoney } from '#format/money.ts'
import { formatTime, nameZone } from '#format/time.ts'

export function textForPayer(account: VirtualAccount, zone: string, nowMs: number): string {
  const lines = [
    account.amount === null ? 'Please pay to:' : `Please pay ${formatMoney(account.amount)} to:`,
    `Bank: ${account.bankName}`,
    `Account number: ${groupAccountNumber(account.accountNumber)}`,
    `Account name: ${account.accountName}`,
  ]
  if (account.amountPolicy === 'exact') lines.push('Pay exactly this amount. Any other amount is sent back.')
  if (account.expiresAt !== null) {
    lines.push(`Before ${formatTime(account.expiresAt, zone, nowMs)} (${nameZone(zone, nowMs)}).`)
  }
  return lines.join('\n')
}
