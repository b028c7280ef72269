// The doctor's findings about the workers of a Citus cluster, each with its own settings.

import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { judgeWorkers, workersFinding, type WorkerAnswer } from '#cli/doctor-database.ts'
import { citusUrl } from '#tests/support/citus.ts'
import { useTestDatabase } from '#tests/support/database.ts'

const good = { names: 'ANY 1 (*)', commit: 'on', standbys: 1, synchronous: 1, durable: true }

const answer = (nodeport: number, result: object | string, refusal: string | null = null): WorkerAnswer => ({
  nodename: '10.0.0.21',
  nodeport,
  success: typeof result !== 'string',
  result: typeof result === 'string' ? result : JSON.stringify(result),
  refusal,
})

describe('workers of a Citus', () => {
  it('are well when each waits for a second machine', () => {
    expect(judgeWorkers([answer(1, good), answer(2, good)], true)).toEqual({
      check: 'workers',
      state: 'ok',
      message: '2 workers: every payment is on the disk of a second machine before it is accepted',
    })
  })

  it.each<[string, object | string, 'failed' | 'warning', RegExp]>([
    [
      'one that loses payments in a crash',
      { ...good, durable: false },
      'failed',
      /^10\.0\.0\.21:2: fsync or .* is off/,
    ],
    [
      'one whose standby follows when it likes',
      { ...good, names: '' },
      'failed',
      /^10\.0\.0\.21:2: 1 asynchronous standbys/,
    ],
    [
      'one that waits for nobody',
      { ...good, commit: 'local' },
      'failed',
      /^10\.0\.0\.21:2: synchronous_commit = local/,
    ],
    ['one that has no standby', { ...good, names: '', standbys: 0 }, 'warning', /^10\.0\.0\.21:2: one machine/],
    ['one that is away', 'connection refused', 'failed', /^10\.0\.0\.21:2: does not respond.*connection refused/],
  ])('%s is reported with its address', (_what, result, state, message) => {
    expect(judgeWorkers([answer(1, good), answer(2, result)], true)).toEqual({
      check: 'workers',
      state,
      message: expect.stringMatching(message),
    })
    expect(judgeWorkers([answer(1, good), answer(2, result)], false).state).toBe('warning')
  })

  it('one that refuses the locks of a key is reported with the setting that allows them', () => {
    const refusing = answer(2, { ...good, names: '', standbys: 0 }, 'ERROR:  permission denied for table tenant')
    expect(judgeWorkers([answer(1, good), refusing], true)).toEqual({
      check: 'workers',
      state: 'failed',
      message: expect.stringMatching(
        /^10\.0\.0\.21:2: no API key .*for table tenant\)\. Set citus\.skip_advisory_lock_permission_checks = on/,
      ),
    })
  })

  it('with equal findings are reported in one sentence, with the worst alone', () => {
    const alone = { ...good, names: '', standbys: 0 }
    const off = { ...good, durable: false }
    const { message } = judgeWorkers([answer(1, off), answer(2, alone), answer(3, off)], true)
    expect(message).toMatch(/^10\.0\.0\.21:1, 10\.0\.0\.21:3: fsync [^;]*$/)
  })
})

it('are asked where there are some, and nothing is said where there are none', async () => {
  const database = await useTestDatabase()
  const client = new pg.Client({ connectionString: database.serviceUrl })
  await client.connect()
  const found = await workersFinding(client, true)
  await client.end()
  expect(found.map(({ check }) => check)).toEqual(citusUrl === undefined ? [] : ['workers'])
  expect(found.filter(({ message }) => message.includes('does not respond'))).toEqual([])
})
