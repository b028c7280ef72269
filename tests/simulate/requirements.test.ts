// A run reports what the machine lacks in a sentence, before it starts anything.

import { expect, it } from 'vitest'
import { grounds, isSwitchName, switches, switchNames, type SwitchName } from '#simulate/switches.ts'
import { reasonAgainst, type Machine } from '#simulate/requirements.ts'

const able: Machine = {
  missingTools: [],
  hasPgBouncer: true,
  citus: { url: 'postgres://postgres@10.0.0.20/postgres', killer: '/usr/local/bin/kill-worker' },
}
const usual = switchNames.filter((name) => switches[name].byDefault)
const withAll = (...names: SwitchName[]): Set<SwitchName> => new Set([...usual, ...names])

it('a machine that has everything makes a world on each ground, on one at a time', () => {
  expect(reasonAgainst(withAll(), able)).toBeUndefined()
  for (const ground of grounds) expect(reasonAgainst(withAll(ground), able)).toBeUndefined()
  expect(reasonAgainst(withAll('pooler', 'citus'), able)).toMatch(/--with pooler,citus: a world stands on one/)
  expect(reasonAgainst(withAll('patroni', 'citus'), able)).toMatch(/--with patroni,citus/)
})

it('no ground is under a world that did not ask for it', () => {
  expect(usual.filter((name) => grounds.includes(name))).toEqual([])
  expect(grounds.every(isSwitchName)).toBe(true)
})

it('a missing requirement is named, and only for the switch that needs it', () => {
  const bare: Machine = {
    missingTools: ['etcd', 'haproxy'],
    hasPgBouncer: false,
    citus: { url: undefined, killer: undefined },
  }
  expect(reasonAgainst(withAll('real-rails'), bare)).toBeUndefined()
  expect(reasonAgainst(withAll('pooler'), bare)).toMatch(/no pgbouncer/)
  expect(reasonAgainst(withAll('patroni'), bare)).toMatch(/lacks etcd, haproxy/)
  expect(reasonAgainst(withAll('citus'), bare)).toMatch(/set CITUS_DATABASE_URL/)
})

it('a worker of a Citus is killed by a program that is named, where one is to be killed', () => {
  const harmless = { ...able, citus: { ...able.citus, killer: undefined } }
  expect(reasonAgainst(withAll('citus'), harmless)).toMatch(/set CITUS_KILL_WORKER .* or say --without kill-postgres/)
  const peaceful = new Set([...withAll('citus')].filter((name) => name !== 'kill-postgres'))
  expect(reasonAgainst(peaceful, harmless)).toBeUndefined()
})
