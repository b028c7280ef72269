// What Paystack holds for us, from which transfers are paid.

import { toKobo } from '#base/money.ts'
import { ofQuestion } from '#rails/outcome.ts'
import type { Float } from '#rails/rail.ts'
import { balanceData } from './answers.ts'
import type { Call } from './call.ts'

export function createFloat(call: Call): Float {
  return {
    async balance() {
      const said = await call({ endpoint: 'balance', method: 'GET', path: '/balance' })
      if (said.kind === 'unknown') return { ...ofQuestion(said), kind: 'unavailable' }
      if (said.kind === 'refusal')
        return { kind: 'unavailable', detail: `balance: refused with ${said.status} ${said.code}` }
      const naira = balanceData.safeParse(said.data).data?.find(({ currency }) => currency === 'NGN')
      return naira === undefined
        ? { kind: 'unavailable', detail: 'balance: an answer without naira' }
        : { kind: 'known', amount: toKobo(naira.balance) }
    },
  }
}
