// The payroll of examples/: each salary is paid once, and the report says what became of it.

import { expect, it } from 'vitest'
import { useService } from '#tests/support/service.ts'
import { runExample } from './program.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '10' } })

async function run(...options: string[]): Promise<{ code: number | null; text: string }> {
  const program = await runExample(service, 'payroll', ...options)
  return { code: await program.code, text: program.text() }
}

it('pays every salary once, however often it runs, and reports the one that failed', async () => {
  const first = await run('2026-11', 'examples/payroll/salaries.csv')
  expect(first.text).toMatch(/paid {5}E-001 +₦350,000.00\npaid {5}E-002 +₦275,000.50\nfailed {3}E-003 +₦410,000.00 ./)
  expect(first.text).toContain('2 paid, 1 failed, 0 pending')
  const available = (await service.staging.get('/v1/balance')).body.data.balances[0].available
  expect(await run('2026-11', 'examples/payroll/salaries.csv')).toEqual(first)
  expect((await service.staging.get('/v1/balance')).body.data.balances[0].available).toBe(available)
  expect((await service.staging.get('/v1/transfers')).body.meta).toMatchObject({ pagination: { total: 3 } })
})

it('tells how it is called', async () => {
  expect(await run('November')).toEqual({ code: 2, text: 'Usage: main.ts YYYY-MM SALARIES.csv\n' })
})
