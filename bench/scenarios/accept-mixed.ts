// Accepts all three kinds of payments at once, half of them bank transfers, compared with each kind alone.

import { collectRequest, sendRequest } from '#bench/momo.ts'
import { defineScenario } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'
import { transferRequest } from '#bench/transfer.ts'

const mixed = [transferRequest, sendRequest, transferRequest, collectRequest]

export const scenario = defineScenario({
  title: '50 % bank transfers, 25 % mobile-money transfers, 25 % collections, accepting alone; each alone beside it',
  connections: [256],
  prepare: (rig) => createTenant(rig),
  request: ({ key }, sequence) => (mixed[sequence % mixed.length] ?? transferRequest)(key, `MIXED-${sequence}`),
  variants: {
    bank: ({ key }, sequence) => transferRequest(key, `BANK-${sequence}`),
    send: ({ key }, sequence) => sendRequest(key, `SEND-${sequence}`),
    collect: ({ key }, sequence) => collectRequest(key, `COLLECT-${sequence}`),
  },
  service: { roles: ['api'] },
  targets: [
    { figure: 'service', of: 'bank', atLeast: 0.9 },
    { figure: 'service', of: 'send', atLeast: 0.9 },
    { figure: 'service', of: 'collect', atLeast: 0.9 },
  ],
})
