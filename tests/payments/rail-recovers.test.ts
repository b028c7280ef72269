// A rail failed and another one took over. The first rail gets payments again as soon as it answers, although none of
// its own is left that could show it.

import { expect, it } from 'vitest'
import { succeeded, unknown } from '#tests/support/scripted-rail.ts'
import { useChangingRails } from './changing-rails.ts'
import { createTenant, turn, type Process } from './process.ts'

const { accept, calls, pass, rails, row, start, untilStatus } = await useChangingRails()
const submissions = (name: 'a' | 'b') => calls(name).filter((call) => call === 'submit').length

async function work(process: Process): Promise<void> {
  while ((await process.payments.work(1)) > 0) await turn()
}

it('payouts go by the weights of their routes again within the rest of the breaker', async () => {
  const process = start(['a', 'b'])
  const tenant = await createTenant(process)
  rails.a.onSubmit = () => ({ ...unknown, sent: false })
  rails.b.onSubmit = () => succeeded
  const references = []
  for (let count = 0; count < 8; count++) references.push(await accept(process, tenant))
  await work(process)
  pass(5)
  await work(process)
  for (const reference of references) await untilStatus(reference, 'SUCCESS')
  for (const reference of references) expect(await row(reference)).toMatchObject({ rail: 'b' })
  rails.a.onSubmit = () => succeeded
  const there = submissions('a')
  pass(25)
  await process.rails.probe()
  expect(process.rails.breakers()).toMatchObject([
    { rail: 'a', state: 'closed' },
    { rail: 'b', state: 'closed' },
  ])
  const next = await accept(process, tenant)
  await work(process)
  await untilStatus(next, 'SUCCESS')
  expect(await row(next)).toMatchObject({ rail: 'a', attempts: 1 })
  expect(submissions('a')).toBe(there + 1)
})
