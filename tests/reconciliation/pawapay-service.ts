// The service with pawaPay as the rail of one environment, a clock that the test moves, and cedis switched on.

import { afterAll } from 'vitest'
import { setCurrencies } from '#businesses/currencies.ts'
import type { Environment } from '#platform/context.ts'
import { createNet } from '#platform/http-client/client.ts'
import { createPawapay } from '#rails/pawapay/pawapay.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { pawapayToken, startFakePawapay } from '#tests/support/fakes/pawapay.ts'
import { useService } from '#tests/support/service.ts'

export async function usePawapayService(environment: Environment) {
  const [clock, net] = [createFakeClock(), createNet()]
  const fake = await startFakePawapay(clock)
  const pawapay = createPawapay({
    name: 'pawapay',
    apiToken: pawapayToken,
    callbacks: 'signed',
    baseUrl: fake.url,
    callbackUrl: `https://pay.example.com/${environment}/rails/pawapay/notices`,
    net,
    clock,
  })
  const service = await useService({ clock, rails: { [environment]: [pawapay] } })
  await setCurrencies(service.ctx, service.business.tenants[environment], { on: ['GHS'], off: [] })
  afterAll(() => Promise.all([net.close(), fake.close()]))
  return { clock, fake, service }
}
