import { describe, expect, it } from 'vitest'
import { listAudit } from '#audit/list.ts'
import { findNumberBefore } from '#audit/queries.ts'
import { recordEntry } from '#audit/record.ts'
import { createRefusals } from '#audit/refusals.ts'
import { verifyAudit } from '#audit/verify.ts'
import { createBusiness } from '#businesses/business.ts'
import { createKey, revokeKey, rollKey } from '#businesses/keys.ts'
import { formatId, newUuid } from '#platform/ids.ts'
import { sha256 } from '#platform/secrets.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { createTestContext } from '#tests/support/context.ts'
import { createTestDatabase, useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
const ada = { kind: 'terminal', name: 'ada@lagos' } as const

const note = (subject: string) =>
  ctx.db.transaction((tx) => {
    recordEntry(tx, ctx.clock.now(), { by: ada, act: 'key.created', subject })
    return Promise.resolve()
  })

const everything = { sinceMs: 0, limit: 10_000 }

describe('entries since a time', () => {
  it('are found without reading older ones', async () => {
    const clock = createFakeClock()
    const own = await createTestDatabase()
    const old = { ...createTestContext(own.connect()), clock }
    const days = 200
    for (let day = 1; day <= days; day++) {
      await old.db.transaction(async (tx) =>
        recordEntry(tx, clock.now(), { by: ada, act: 'key.created', subject: `day ${day}` }),
      )
      clock.advance(86_400_000)
    }
    for (const [since, found] of [
      [0, 0],
      [1, 1],
      [7, 7],
      [days, days],
      [days + 1_000, days],
    ] as const) {
      const sinceMs = clock.now() - since * 86_400_000
      const entries = await listAudit(old, { sinceMs, limit: 10_000 })
      expect(entries.map(({ subject }) => subject).at(-1)).toBe(found === 0 ? undefined : `day ${days - found + 1}`)
      expect(entries).toHaveLength(found)
      expect(await findNumberBefore(old.db, new Date(sinceMs))).toBe(BigInt(days - found))
    }
    await own.drop()
  })
})

describe('recording', () => {
  it('numbers entries without a gap and chains them, also with concurrent writers', async () => {
    const other = createTestContext(database.connect())
    const before = (await verifyAudit(ctx)).entries
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? ctx : other).db.transaction(async (tx) => {
          for (const part of ['a', 'b'])
            recordEntry(tx, ctx.clock.now(), { by: ada, act: 'key.revoked', subject: `${index}${part}` })
        }),
      ),
    )
    const check = await verifyAudit(ctx)
    expect(check).toEqual({ entries: before + 80n, hash: expect.stringMatching(/^[0-9a-f]{64}$/), fault: undefined })
  })

  it('is undone with the action', async () => {
    const before = await verifyAudit(ctx)
    const failing = ctx.db.transaction((tx) => {
      recordEntry(tx, ctx.clock.now(), { by: ada, act: 'key.created', subject: 'never' })
      return Promise.reject(new Error('changed its mind'))
    })
    await expect(failing).rejects.toThrow('changed its mind')
    expect(await verifyAudit(ctx)).toEqual(before)
  })

  it('names the actor, the act, the record and the business', async () => {
    const here = { ...ctx, by: ada }
    const { id, tenants } = await createBusiness(here, 'Told')
    const key = await createKey(here, tenants.production, 'Backend')
    const rolled = await rollKey(here, key.id, 1)
    await revokeKey(here, key.id)
    const entries = await listAudit(ctx, { ...everything, businessId: id })
    expect(entries.map(({ act, subject, actor, environment }) => [act, subject, actor, environment])).toEqual([
      ['key.revoked', formatId('key', key.id), 'ada@lagos', 'production'],
      ['key.rolled', rolled.kind === 'done' ? formatId('key', rolled.key.id) : '', 'ada@lagos', 'production'],
      ['key.created', formatId('key', key.id), 'ada@lagos', 'production'],
    ])
    const told = JSON.stringify(entries, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
    expect(told).not.toContain(key.secret)
    const [created] = await listAudit(ctx, { ...everything, act: 'business.created', limit: 1 })
    expect(created).toMatchObject({ subject: formatId('business', id), details: { name: 'Told' } })
  })
})

describe('entries from before there were users', () => {
  it('keep their hash, and the hash of a new entry covers its user', async () => {
    const own = await createTestDatabase()
    const there = createTestContext(own.connect())
    const at = new Date(there.clock.now())
    const said = ['1', at.toISOString(), 'terminal', 'ada@lagos', null, 'key.created', null, 'old', '{}']
    const old = sha256(JSON.stringify(['00'.repeat(32), ...said])).toString('hex')
    await asOwner(
      own,
      `insert into audit_entry (number, at, actor_kind, actor, act, subject, details, hash)
         values (1, '${at.toISOString()}', 'terminal', 'ada@lagos', 'key.created', 'old', '{}', decode('${old}', 'hex'))`,
    )
    const id = newUuid(at.getTime())
    const by = {
      kind: 'person',
      name: 'ada@example.com',
      person: { id, role: 'owner', device: '', requestId: 'r' },
    } as const
    await there.db.transaction(async (tx) =>
      recordEntry(tx, at.getTime(), { by, act: 'key.created', outcome: 'refused' }),
    )
    expect(await verifyAudit(there)).toMatchObject({ entries: 2n, fault: undefined })
    for (const change of [
      "role = 'viewer'",
      "outcome = 'done'",
      'person_id = null',
      'request_id = null',
      "device = 'x'",
      `business_id = '${id}'`,
    ]) {
      const [column = ''] = change.split(' ')
      const [was] = await asOwner<{ text: string | null }>(
        own,
        `select ${column}::text as text from audit_entry where number = 2`,
      )
      const asBefore = `${column} = ${was === undefined || was.text === null ? 'null' : `'${was.text}'`}`
      await asOwner(own, `update audit_entry set ${change} where number = 2`)
      expect((await verifyAudit(there)).fault, change).toBe('Entry 2 is not what was written.')
      await asOwner(own, `update audit_entry set ${asBefore} where number = 2`)
    }
    expect((await verifyAudit(there)).fault).toBeUndefined()
    await own.drop()
  })
})

describe('the chain', () => {
  const cases: [string, string, RegExp][] = [
    ['changed', "update audit_entry set subject = 'other' where number = 2", /^Entry 2 is not what was written\.$/],
    ['taken out', 'delete from audit_entry where number = 2', /^Entry 2 is missing\.$/],
    [
      'cut off, by a hash that was noted before',
      'delete from audit_entry where number > 2',
      /^No entry has the noted hash: the entries up to it were cut off or rewritten\.$/,
    ],
  ]
  it.each(cases)('shows that an entry was %s', async (_, tampering, fault) => {
    const own = await createTestDatabase()
    try {
      const there = createTestContext(own.connect())
      const write = (subject: string) =>
        there.db.transaction(async (tx) => recordEntry(tx, 0, { by: ada, act: 'key.created', subject }))
      for (const subject of ['one', 'two', 'three']) await write(subject)
      const { hash: noted, fault: before } = await verifyAudit(there)
      expect(before).toBeUndefined()
      await write('four')
      expect(await verifyAudit(there, { noted })).toMatchObject({ entries: 4n, fault: undefined })
      await asOwner(own, tampering)
      expect((await verifyAudit(there, { noted })).fault).toMatch(fault)
    } finally {
      await own.drop()
    }
  })

  it.each(['update audit_entry set actor = actor', 'delete from audit_entry', 'truncate audit_entry'])(
    "refuses the service's role: %s",
    async (sql) => {
      await note('kept')
      const trying = ctx.db.query({ name: sql, text: sql })
      await expect(trying).rejects.toThrow('permission denied')
    },
  )
})

describe('refused authentications', () => {
  const refused = async () =>
    (await listAudit(ctx, { ...everything, act: 'authentication.refused' })).map(({ address, details }) => [
      address,
      details['reason'],
      details['count'],
    ])

  it('become one entry for each network, reason and minute, when the minute is over', async () => {
    const refusals = createRefusals(ctx)
    const from = (network: string, reason: 'no-key' | 'unknown-key') =>
      refusals.note({ network, reason, requestId: 'r' })
    for (let count = 0; count < 500; count++) from('203.0.113.7', 'unknown-key')
    from('203.0.113.7', 'no-key')
    from('203.0.113.8', 'no-key')
    await refusals.flush()
    expect(await refused()).toEqual([])
    ctx.clock.advance(60_000)
    from('203.0.113.7', 'no-key')
    await refusals.flush()
    expect(await refused()).toEqual([
      ['203.0.113.8', 'no-key', 1],
      ['203.0.113.7', 'no-key', 1],
      ['203.0.113.7', 'unknown-key', 500],
    ])
    await refusals.close()
    expect(await refused()).toHaveLength(4)
  })

  it('from too many networks are summed up in one entry', async () => {
    const before = await refused()
    const refusals = createRefusals(ctx, { networksMax: 10 })
    for (let host = 0; host < 250; host++)
      refusals.note({ network: `198.51.100.${host}`, reason: 'unknown-key', requestId: 'r' })
    await refusals.close()
    const added = (await refused()).slice(0, -before.length)
    expect(added).toHaveLength(11)
    expect(added[0]).toEqual(['other networks', 'unknown-key', 240])
  })

  it('that are summed up name no key, business or user', async () => {
    const refusals = createRefusals(ctx, { networksMax: 1 })
    const { tenants } = await createBusiness(ctx, 'Several')
    for (let host = 0; host < 3; host++) {
      const [keyId, tenantId] = [newUuid(ctx.clock.now()), tenants.production.id]
      refusals.note({ network: `192.0.2.${host}`, reason: 'address-not-allowed', requestId: 'r', keyId, tenantId })
    }
    await refusals.close()
    const [others, first] = await listAudit(ctx, { ...everything, act: 'authentication.refused' })
    expect(others).toMatchObject({ address: 'other networks', subject: null, businessId: null })
    expect(others?.details).toMatchObject({ count: 2 })
    expect(first).toMatchObject({ subject: expect.stringMatching(/^key_/), businessId: expect.any(String) })
  })
})
