// The Postman collection passes from its first request to its last on a new staging business, and passes again right
// after.

import path from 'node:path'
import { expect, it } from 'vitest'
import { newFolder } from '#tests/support/run.ts'
import { useService } from '#tests/support/service.ts'
import { operations } from './document.ts'
import { fetched, run } from './tools.ts'

const collection = path.resolve(import.meta.dirname, '../../docs/manilla.postman_collection.json')
const service = await useService({ settings: { SANDBOX_SETTLE_MS: '10' } })

it('runs with newman, twice on the same business', async (context) => {
  const folder = await newFolder('newman')
  const newman = ['--yes', 'newman@6.2.2']
  await fetched(context, folder, 'npx', ...newman, '--version')
  const values = { base_url: `${service.url}/staging`, api_key: service.testKey }
  const variables = Object.entries(values).flatMap(([name, value]) => ['--env-var', `${name}=${value}`])
  for (const time of ['first', 'second']) {
    const { ok, text } = await run(folder, 'npx', ...newman, 'run', collection, '--bail', ...variables)
    expect(ok, `${time} run: ${text}`).toBe(true)
    const [, executed = '0'] = /│\s+assertions │\s+(\d+)/.exec(text) ?? []
    expect(Number(executed)).toBeGreaterThanOrEqual(operations.length)
  }
})
