// What Monnify holds for us in the wallet from which payouts are paid.

import { ofQuestion } from '#rails/outcome.ts'
import type { Float } from '#rails/rail.ts'
import { balanceBody } from './answers.ts'
import type { Call } from './call.ts'

export function createFloat(call: Call, wallet: string): Float {
  const query = new URLSearchParams({ accountNumber: wallet })
  return {
    async balance() {
      const said = await call({
        endpoint: 'balance',
        method: 'GET',
        path: `/api/v2/disbursements/wallet-balance?${query.toString()}`,
      })
      if (said.kind === 'unknown') return { ...ofQuestion(said), kind: 'unavailable' }
      if (said.kind === 'refusal')
        return { kind: 'unavailable', detail: `balance: refused with ${said.status} ${said.code}` }
      const body = balanceBody.safeParse(said.body).data
      return body === undefined
        ? { kind: 'unavailable', detail: 'balance: an answer without an amount that can be read' }
        : { kind: 'known', amount: body.availableBalance }
    },
  }
}
