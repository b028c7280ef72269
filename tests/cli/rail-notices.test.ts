// The commands about notices that could not be confirmed.

import { expect, it } from 'vitest'
import { insertNotice } from '#rail-notices/queries.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { manilla } from './support.ts'

const database = await useTestDatabase()
const env = { DATABASE_URL: database.serviceUrl }
const id = `production:acme:${'07'.repeat(32)}`

it('lists notices that are stuck or still being asked about, and why', async () => {
  const key = { environment: 'production' as const, rail: 'acme', digest: Buffer.alloc(32, 7) }
  await insertNotice(database.connect(), key, Buffer.from('sealed'), new Date('2026-11-20T08:00:00Z'))
  const list = async (...words: string[]) => manilla(['rails', 'notices', ...words], { env })
  expect((await list()).stdout).toBe('No notice is stuck.\n')
  expect((await list('--state', 'new')).stdout).toMatch(new RegExp(`^${id}  2026-11-20 08:00 UTC  0 `, 'm'))

  await asOwner(database, "update rail_notice set state = 'stuck', due_at = null, tries = 9, why = 'no answer'")
  expect(JSON.parse((await list('--json')).stdout)).toEqual({
    notices: [
      {
        id,
        environment: 'production',
        rail: 'acme',
        state: 'stuck',
        receivedAt: '2026-11-20T08:00:00.000Z',
        dueAt: null,
        tries: 9,
        why: 'no answer',
      },
    ],
  })
  expect((await list('--state', 'new')).stdout).toBe('No notice is new.\n')

  const retry = (name: string) => manilla(['rails', 'notices', 'retry', name], { env })
  expect(await retry(id)).toMatchObject({ stdout: `${id} will be processed again within a second.\n`, code: 0 })
  const [row] = await asOwner<{ due_at: Date | null }>(database, 'select due_at from rail_notice')
  expect(row?.due_at).not.toBeNull()
  expect(await asOwner(database, "select subject from audit_entry where act = 'notice.retried'")).toEqual([
    { subject: id },
  ])
  const again = { stderr: `No notice ${id} is stuck. See: npx manilla rails notices\n`, code: 1 }
  expect(await retry(id)).toMatchObject(again)
  expect((await retry('acme:7')).stderr).toContain('ENVIRONMENT:RAIL:DIGEST')
})
