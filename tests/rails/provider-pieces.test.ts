// The parts that all adapters share: amounts, digits, reasons, limits of calls, and one call.

import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createNet } from '#platform/http-client/client.ts'
import { toMoney } from '#platform/money.ts'
import { createLimiter } from '#rails/call-limits.ts'
import { createProvider, jsonNumber, parseExact } from '#rails/provider.ts'
import { koboOf, nairaOf } from '#rails/formats.ts'
import { failureReasonIn } from '#rails/outcome.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { startPlainServer } from './plain-server.ts'

describe('amounts', () => {
  it.each([
    [1n, '0.01'],
    [10n, '0.10'],
    [29n, '0.29'],
    [99n, '0.99'],
    [100n, '1.00'],
    [101n, '1.01'],
    [150_000n, '1500.00'],
    [4_294_967_297n, '42949672.97'],
    [9_007_199_254_740_901n, '90071992547409.01'],
    [9_007_199_254_740_991n, '90071992547409.91'],
  ])('%s kobo are %s naira, both ways', (kobo, naira) => {
    expect(nairaOf(toMoney(kobo))).toBe(naira)
    expect(koboOf(naira)).toBe(kobo)
    expect(koboOf(parseExact(naira))).toBe(kobo)
  })

  it('are read in each of the forms in which providers write them, and in no other', () => {
    expect([koboOf(1500), koboOf('1500'), koboOf('1500.5'), koboOf('1500.500')]).toEqual([
      150_000n,
      150_000n,
      150_050n,
      150_050n,
    ])
    for (const wrong of [1500.005, '1500.005', '1.5e3', '-1', '', ' 1', '1,500.00', null, undefined, Number.NaN])
      expect(koboOf(wrong), String(wrong)).toBeUndefined()
  })
})

describe('JSON', () => {
  it('keeps every digit of a number that a double would change', () => {
    expect(parseExact('{"id":9007199254740993,"amount":1500.00,"small":7,"list":[1e2]}')).toEqual({
      id: '9007199254740993',
      amount: '1500.00',
      small: 7,
      list: ['1e2'],
    })
    expect(parseExact('{"half":')).toBeUndefined()
  })

  it('keeps no NUL of a text, which PostgreSQL does not store', () => {
    expect(parseExact(String.raw`{"receipt":"9\u00001","said":["\u0000"]}`)).toEqual({
      receipt: '9\uFFFD1',
      said: ['\uFFFD'],
    })
  })

  it('writes an amount as a number with exactly its digits', () => {
    expect(JSON.stringify({ amount: jsonNumber('1500.00') })).toBe('{"amount":1500.00}')
  })
})

it.each([
  ['Account is DORMANT', 'DORMANT_ACCOUNT'],
  ['Beneficiary name mismatch', 'ACCOUNT_NAME_MISMATCH'],
  ['Invalid destination account', 'INVALID_ACCOUNT'],
  ['Transfer limit exceeded', 'LIMIT_EXCEEDED'],
  ['Do not honour', 'DO_NOT_HONOR'],
  ['Beneficiary bank not available', 'BANK_UNAVAILABLE'],
  ['something new', 'PROVIDER_ERROR'],
])('%j is %s', (text, reason) => {
  expect(failureReasonIn(text)).toBe(reason)
})

describe('the limit of calls', () => {
  it('lets a fifth of the limit go at once and three fifths steadily, and says when there is room again', () => {
    const clock = createFakeClock()
    const limiter = createLimiter({ submit: { calls: 100, perMs: 60_000 } }, clock)
    const atOnce = () => Array.from({ length: 100 }, () => limiter.take('submit')).filter((ms) => ms === 0).length
    expect([atOnce(), limiter.take('submit')]).toEqual([20, 1_000])
    clock.advance(1_000)
    expect([limiter.take('submit'), limiter.take('submit')]).toEqual([0, 1_000])
    clock.advance(3_600_000)
    expect(atOnce()).toBe(20)
  })

  it('is never exceeded within a period, wherever it begins, and has a part for each process', () => {
    const clock = createFakeClock()
    let share = 1
    const limiter = createLimiter({ submit: { calls: 100, perMs: 60_000 } }, clock, () => share)
    const wentAt: number[] = []
    for (let second = 0; second < 600; second++) {
      // Quiet minutes alternate with bursts that use up the limit.
      if (second % 150 > 70) while (limiter.take('submit') === 0) wentAt.push(second)
      clock.advance(1_000)
    }
    const within = (fromS: number) => wentAt.filter((at) => at >= fromS && at < fromS + 60).length
    expect(Math.max(...wentAt.map(within))).toBe(79)
    share = 1 / 4
    clock.advance(3_600_000)
    expect(Array.from({ length: 100 }, () => limiter.take('submit')).filter((ms) => ms === 0)).toHaveLength(5)
    expect(limiter.take('submit')).toBe(4_000)
    share = 1 / 1_000
    clock.advance(3_600_000)
    expect(limiter.take('submit')).toBe(0)
  })

  it('gives a call that can wait the next turn, and those that cannot none before it', () => {
    const clock = createFakeClock()
    const limiter = createLimiter({ submit: { calls: 10, perMs: 60_000 } }, clock)
    expect([limiter.take('submit'), limiter.take('submit')]).toEqual([0, 0])
    expect([limiter.take('submit', 25_000), limiter.take('submit', 25_000)]).toEqual([10_000, 20_000])
    expect([limiter.take('submit', 25_000), limiter.take('submit')]).toEqual([30_000, 30_000])
    clock.advance(20_000)
    expect(limiter.take('submit')).toBe(10_000)
    clock.advance(10_000)
    expect([limiter.take('submit'), limiter.take('submit')]).toEqual([0, 10_000])
  })

  it('holds everything back for as long as the provider says', () => {
    const clock = createFakeClock()
    const limiter = createLimiter({ submit: { calls: 100, perMs: 60_000 } }, clock)
    limiter.hold('submit', 5_000)
    expect(limiter.take('submit')).toBe(5_000)
    clock.advance(5_000)
    expect(limiter.take('submit')).toBe(0)
  })

  it('goes by time that passes, and not by a clock that is set', () => {
    const clock = createFakeClock()
    const limiter = createLimiter({ submit: { calls: 100, perMs: 60_000 } }, clock)
    limiter.hold('submit', 5_000)
    clock.set(-3_600_000)
    expect(limiter.take('submit')).toBe(5_000)
    clock.advance(5_000)
    expect(Array.from({ length: 100 }, () => limiter.take('submit')).filter((ms) => ms === 0)).toHaveLength(20)
    clock.set(3_600_000)
    expect(limiter.take('submit')).toBe(1_000)
  })
})

describe('turns within the limit of calls', () => {
  /** A limit of six calls a second, which is used up. */
  const begin = () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const clock = createFakeClock()
    const limiter = createLimiter({ submit: { calls: 600, perMs: 60_000 } }, clock)
    while (limiter.take('submit') === 0);
    const pass = async (ms: number) => {
      clock.advance(ms)
      await vi.advanceTimersByTimeAsync(ms)
    }
    return { clock, limiter, pass }
  }

  it('go to the line that was served the longest ago; what would wait too long comes back, one after the other', async () => {
    const { limiter, pass } = begin()
    const [went, back]: [string[], number[]] = [[], []]
    const call = async (line: string) => {
      const ms = await limiter.takeTurn('submit', line)
      if (ms > 0) back.push(ms)
      else went.push(line)
    }
    for (let n = 0; n < 100; n++) void call('salaries')
    await pass(350)
    void call('other')
    for (let n = 0; n < 100; n++) await pass(20)
    expect(went).toEqual(['salaries', 'salaries', 'other', 'salaries', 'salaries', 'salaries', 'salaries'])
    expect(back).toHaveLength(94)
    expect(back).toEqual(back.toSorted((a, b) => a - b))
    expect([back[0], back.at(-1)]).toEqual([1_167, 16_667])
  })

  it('use the whole rate, equally, beside which a line with one call now and then does not wait', async () => {
    const { clock, limiter, pass } = begin()
    type Call = { line: string; atMs: number; sinceMs: number }
    const newCall = (line: string): Call => ({ line, atMs: clock.monotonicMs(), sinceMs: clock.monotonicMs() })
    const [busy, sent, waits] = [20, new Map<string, number>(), [] as number[]]
    let calls = Array.from({ length: 3_000 }, (_, n) => newCall(`busy ${n % busy}`))
    let asked = 0
    const take = async (call: Call) => {
      asked++
      const ms = await limiter.takeTurn('submit', call.line)
      if (ms > 0) return calls.push({ ...call, atMs: clock.monotonicMs() + ms })
      if (call.line === 'other') waits.push(clock.monotonicMs() - call.sinceMs)
      return sent.set(call.line, (sent.get(call.line) ?? 0) + 1)
    }
    for (let tick = 0; tick < 3_000; tick++) {
      if (tick % 100 === 99) calls.push(newCall('other'))
      const due = calls.filter(({ atMs }) => atMs <= clock.monotonicMs())
      calls = calls.filter(({ atMs }) => atMs > clock.monotonicMs())
      for (const call of due) void take(call)
      await pass(100)
    }
    const perLine = [...sent].filter(([line]) => line !== 'other').map(([, n]) => n)
    expect(perLine.reduce((sum, n) => sum + n, 0) + waits.length).toBeGreaterThanOrEqual(300 * 6 - 5)
    expect(Math.max(...perLine) - Math.min(...perLine)).toBeLessThanOrEqual(8)
    expect(waits).toHaveLength(30)
    expect(Math.max(...waits)).toBeLessThanOrEqual(200)
    // Each answer is written to the database.
    expect(asked / 1_800).toBeLessThan(10)
  })

  it('are over when the provider says that it has too many calls', async () => {
    const { limiter, pass } = begin()
    const turns = Promise.all(['a', 'a', 'b'].map((line) => limiter.takeTurn('submit', line)))
    limiter.hold('submit', 30_000)
    expect(await turns).toEqual([30_000, 30_167, 30_000])
    expect(await limiter.takeTurn('submit', 'c')).toBe(30_000)
    await pass(30_000)
    expect(await limiter.takeTurn('submit', 'c')).toBe(0)
  })

  it('pass over calls that have waited for three seconds, because other lines went first', async () => {
    const { limiter, pass } = begin()
    const turn = async (line: string) => (await limiter.takeTurn('submit', line)) === 0
    const first = turn('busy')
    await pass(200)
    expect(await first).toBe(true)
    const again = turn('busy')
    for (let n = 0; n < 30; n++) {
      void turn(`new ${2 * n}`)
      void turn(`new ${2 * n + 1}`)
      await pass(160)
    }
    expect(await again).toBe(false)
  })
})

describe('a call', () => {
  type Given = { status?: number; headers?: Record<string, string>; body?: string } | 'cut'
  const ask = async (answer: Given, perMs = 60_000) => {
    const server = await startPlainServer(answer)
    const net = createNet()
    onTestFinished(() => Promise.all([server.close(), net.close()]).then(() => undefined))
    const limiter = createLimiter({ read: { calls: 10, perMs } }, createFakeClock())
    const call = createProvider({ net, baseUrl: server.url, limiter, isEnvelope: (body) => 'ok' in body })
    const read = (patienceMs = 0) =>
      call({ endpoint: 'read', method: 'GET', path: '/thing', timeoutMs: 5_000, patienceMs })
    return { server, read }
  }

  it.each([200, 400, 401, 404, 422])('reads the answer of its provider under %s', async (status) => {
    const { read } = await ask({ status, body: '{"ok":true,"id":9007199254740993}' })
    expect(await read()).toEqual({ kind: 'answered', status, body: { ok: true, id: '9007199254740993' } })
  })

  it.each([
    ['a page', { status: 404, body: '<html>not here</html>' }],
    ['half a document', { body: '{"ok":tr' }],
    ['JSON of something in between', { status: 403, body: '{"message":"blocked"}' }],
    ['a list', { body: '[]' }],
    ['a fault, whatever it says', { status: 500, body: '{"ok":true}' }],
    ['408', { status: 408, body: '{"ok":true}' }],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' }, body: '' }],
    ['a connection that is cut', 'cut'],
  ] as const)('concludes nothing from %s', async (_, answer) => {
    const { read } = await ask(answer)
    const heard = await read()
    expect(heard).toEqual({ kind: 'unknown', detail: expect.stringMatching(/^read: /) })
  })

  it('that continues an operation waits for room, and one that begins does not', async () => {
    const { read } = await ask({ body: '{"ok":true}' }, 600)
    for (let count = 0; count < 2; count++) expect(await read()).toMatchObject({ kind: 'answered' })
    const beganMs = performance.now()
    expect(await Promise.all([read(150), read(), read(150)])).toMatchObject([
      { kind: 'answered' },
      { kind: 'unknown', sent: false, askAgainAfterMs: 200 },
      { kind: 'unknown', sent: false, askAgainAfterMs: 200 },
    ])
    expect(performance.now() - beganMs).toBeGreaterThanOrEqual(95)
  })

  it('says that nothing was sent when there was no connection, or no room', async () => {
    const { server, read } = await ask({ body: '{"ok":true}' })
    await server.close()
    for (let count = 0; count < 2; count++) expect(await read()).toMatchObject({ kind: 'unknown', sent: false })
    expect(await read()).toEqual({
      kind: 'unknown',
      detail: 'our own limit of calls',
      sent: false,
      askAgainAfterMs: 10_000,
    })
  })

  it.each([
    [{ 'x-ratelimit-reset': '7' }, 7_000],
    [{ 'retry-after': '3' }, 3_000],
    [{}, 10_000],
    // A year would hold every payment of the rail until each process restarts.
    [{ 'retry-after': '31536000' }, 600_000],
    [{ 'retry-after': 'Fri, 01 Jan 2100 00:00:00 GMT' }, 600_000],
    [{ 'x-ratelimit-reset': '99999' }, 600_000],
  ])('rests as a provider wishes that was asked too often: %j', async (headers, askAgainAfterMs) => {
    const { server, read } = await ask({ status: 429, headers, body: '{"ok":false}' })
    const rests = { kind: 'unknown', sent: false, askAgainAfterMs }
    expect(await read()).toMatchObject(rests)
    expect(await read()).toMatchObject(rests)
    expect(server.requests).toBe(1)
  })
})
