import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { createLog, secretFields, type Log } from '#platform/observability/log.ts'
import { readTree } from '#tests/support/tree.ts'

function catching(level = 'info'): { log: Log; lines: string[]; entry: () => Record<string, unknown> } {
  const lines: string[] = []
  const log = createLog({ level, format: 'json', write: (line) => lines.push(line) })
  return { log, lines, entry: () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown> }
}

const secrets = {
  authorization: 'Bearer UNSPEAKABLE-0',
  apiKey: 'UNSPEAKABLE-1',
  testKey: 'UNSPEAKABLE-2',
  liveKey: 'UNSPEAKABLE-3',
  secret: 'UNSPEAKABLE-4',
  secretKey: 'UNSPEAKABLE-5',
  password: 'UNSPEAKABLE-6',
  otp: '918273',
  bvn: '22222222222',
  accountNumber: '0123456789',
  senderAccountNumber: '9876543210',
  phoneNumber: '+2348030000000',
  account_number: '1122334455',
  phone_number: '+2348030000001',
}

describe('an entry', () => {
  it('is one line of JSON with the level as a word and the time to the millisecond', () => {
    const { log, lines, entry } = catching()
    log.warn({ requestId: 'req-1', amount: 9n, text: 'two\nlines "quoted"' }, 'careful\nnow')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^[^\n]+\n$/)
    expect(entry()).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      requestId: 'req-1',
      amount: 9,
      text: 'two\nlines "quoted"',
      msg: 'careful\nnow',
    })
  })

  it('below the level is not written', () => {
    const { log, lines } = catching('warn')
    log.info('nobody reads this')
    log.warn('this they do')
    expect(lines).toHaveLength(1)
  })

  it('of an error has its stack and its causes', () => {
    const { log, entry } = catching()
    log.error({ err: new Error('outer', { cause: new TypeError('inner') }) }, 'failed')
    expect(entry()).toMatchObject({ level: 'error', msg: 'failed', err: { type: 'Error', message: 'outer: inner' } })
    expect(JSON.stringify(entry())).toContain('TypeError: inner')
  })
})

describe('secrets', () => {
  const nestings: [string, (fields: object) => object][] = [
    ['at the top', (fields) => fields],
    ['in an object', (fields) => ({ request: fields })],
    ['five levels down', (fields) => ({ a: { b: { c: { d: { e: fields } } } } })],
    ['in a list', (fields) => ({ customers: [[{ deep: fields }]] })],
    ['on an error', (fields) => ({ err: Object.assign(new Error('failed'), { request: { body: fields } }) })],
    [
      'on the cause of an error',
      (fields) => ({ err: new Error('failed', { cause: Object.assign(new Error('inner'), fields) }) }),
    ],
  ]

  it.each(nestings)('are not written: %s', (_where, nest) => {
    const { log, lines } = catching()
    log.info(nest({ ...secrets, reference: 'PAYOUT-1' }), 'entry')
    for (const [name, value] of Object.entries(secrets)) expect(lines[0], name).not.toContain(value)
  })

  it('are not written from the fixed fields of a child log', () => {
    const { log, lines } = catching()
    log.child({ caller: { deep: { deeper: { ...secrets } } }, requestId: 'req-1' }).info('entry')
    for (const [name, value] of Object.entries(secrets)) expect(lines[0], name).not.toContain(value)
    expect(lines[0]).toContain('req-1')
  })

  it('are exactly the fields with these names', () => {
    expect(secretFields.toSorted()).toEqual(
      Object.keys(secrets)
        .filter((name) => !name.includes('_'))
        .toSorted(),
    )
  })

  it('have no name that our own log lines use for other values', async () => {
    const calls = (await readTree())
      .filter(({ path }) => path.startsWith('src/'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\blog\.(?:fatal|error|warn|info|debug|trace)\(\s*(\{[^}]*\})/g)].map(([, fields = '']) => ({
          path,
          names: [...fields.matchAll(/[{,]\s*(\w+)/g)].map(([, field = '']) => field),
        })),
      )
    expect(calls.length).toBeGreaterThan(10)
    expect(calls.filter(({ names }) => names.some((name) => secretFields.includes(name)))).toEqual([])
  })

  it('are replaced by [redacted], and other fields stay', () => {
    const { log, entry } = catching()
    log.info({ body: { otp: '123456', secret: { nested: 'x' }, bvn: null, reference: 'PAYOUT-1' } }, 'entry')
    expect(entry()).toMatchObject({
      body: { otp: '[redacted]', secret: '[redacted]', bvn: '[redacted]', reference: 'PAYOUT-1' },
    })
  })

  it('are not written from inside a text', () => {
    const { log, lines } = catching()
    const [test, live] = [`sk_test_${'aB3'.repeat(13)}x`, `sk_live_${'Zz9'.repeat(13)}x`]
    const hook = `whsec_${Buffer.alloc(32, 250).toString('base64')}`
    log.info({ header: `Bearer ${live}`, err: new Error(`refused ${hook}`) }, `key ${test} is not valid`)
    for (const secret of [test, live, hook]) expect(lines[0]).not.toContain(secret)
    expect(lines[0]).toContain('key sk_test_[redacted] is not valid')
  })

  it('are not written when PostgreSQL quotes the row that it refused', () => {
    const { log, lines, entry } = catching()
    const refused = new pg.DatabaseError('new row violates check constraint "payment_amount_check"', 1, 'error')
    Object.assign(refused, {
      code: '23514',
      severity: 'ERROR',
      detail: 'Failing row contains (1, 0123456789, ADA OBI).',
      table: 'payment',
    })
    log.error({ err: refused }, 'unhandled error')
    expect(lines[0]).not.toContain('0123456789')
    log.error({ err: refused, deposit: 'dep_1', detail: 'the provider does not know it' }, 'ours stays')
    expect(entry()).toMatchObject({
      detail: 'the provider does not know it',
      err: {
        detail: '[redacted]',
        code: '23514',
        table: 'payment',
        message: expect.stringContaining('payment_amount'),
      },
    })
  })
})
