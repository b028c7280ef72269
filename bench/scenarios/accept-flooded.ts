// Accepts transfers while strangers try to sign in. Each attempt comes from another network and names another account
// that does not exist, so no limit on guesses stops it, and each costs a password hash. The same run also measures the
// transfers without the strangers.

import { dashboardSettings } from '#bench/people.ts'
import { defineScenario } from '#bench/scenario.ts'
import { createTenant } from '#bench/tenant.ts'
import { transferRequest } from '#bench/transfer.ts'

const networks = 65_536

export const scenario = defineScenario({
  title: 'POST /v1/transfers/initiate, alone and beside a flood of sign-ins from as many networks',
  connections: [64],
  prepare: (rig) => createTenant(rig),
  request: ({ key }, sequence) => transferRequest(key, `BENCH-${sequence}`),
  variants: { flooded: ({ key }, sequence) => transferRequest(key, `BENCH-${sequence}`) },
  beside: {
    flooded: {
      // These are more attempts than the server can hash or lets wait, so it refuses some at once.
      connections: 64,
      perSecondMost: 500,
      request: (_, sequence) => ({
        method: 'POST',
        path: '/dashboard/api/sign-in',
        headers: {
          host: 'bench.example',
          'sec-fetch-site': 'same-origin',
          'x-manilla-dashboard': '1',
          'x-forwarded-for': addressOf(sequence % networks),
        },
        body: { email: `stranger${sequence}@example.ng`, password: 'not the password of anybody' },
      }),
    },
  },
  service: {
    roles: ['api'],
    settings: { ...dashboardSettings, TRUSTED_PROXIES: '127.0.0.0/8' },
  },
  targets: [{ figure: 'flooded', of: 'service', atLeast: 0.9 }],
})

/** Returns an address in another /24 network each time, because guesses are counted by network. */
function addressOf(network: number): string {
  return `100.${network >> 8}.${network & 255}.7`
}
