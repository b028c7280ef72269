import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { sendBody } from '#tests/payments/momo-requests.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { balanceOf, newReference, untilStatus } from '#tests/payments/requests.ts'
import { bulkPath, countStored, item, outcomesOf, referencesOf, sendBulk, type Item } from './bulk.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '20' } })
const single = '/v1/transfers/initiate'
const opening = 100_000_000_000
const items = (count: number): Item[] => Array.from({ length: count }, () => item())
const send = (transfers: unknown, client = service.staging): Promise<Answer> => sendBulk(client, transfers)
const stored = (references: unknown[]): Promise<number> => countStored(service.database, references)

describe('200', () => {
  it('accepts each item and shows it as it is when sent alone', async () => {
    const list = [item({ narration: 'Invoice 881', metadata: { orderId: '881' } }), item({ amount: 500_001 })]
    const before = await balanceOf(service.staging)
    const data = expectSuccess(await send(list))
    const reads = await Promise.all(
      referencesOf(list).map((reference) => service.staging.get(`/v1/transfers/${String(reference)}`)),
    )
    const transfers = reads.map(expectSuccess)
    expect(data).toEqual({
      results: list.map(({ reference }, index) => ({
        index,
        reference,
        outcome: 'accepted',
        transfer: transfers[index],
        error: null,
      })),
      accepted: 2,
      replayed: 0,
      refused: 0,
    })
    const held = 151_000 + 502_501
    expect(await balanceOf(service.staging)).toMatchObject({
      available: before.available - held,
      reserved: before.reserved + held,
    })
  })

  it('carries each to its end, as one that was sent alone', async () => {
    const list = ['0123456789', '9990000005'].map((accountNumber) => item({ accountNumber }))
    expect(outcomesOf(await send(list))).toEqual(['accepted', 'accepted'])
    await untilStatus(service.staging, String(list[0]?.['reference']), 'SUCCESS')
    await untilStatus(service.staging, String(list[1]?.['reference']), 'FAILED')
  })

  it('takes a thousand, in the order in which they stand', async () => {
    const list = items(1_000)
    const answer = await send(list)
    const data = expectSuccess(answer)
    expect(data).toMatchObject({ accepted: 1_000, replayed: 0, refused: 0 })
    expect(data.results.map((result: Item) => result['reference'])).toEqual(referencesOf(list))
    const rows = await asOwner<{ reference: string }>(
      service.database,
      'select reference from payment where reference = any($1) order by ordinal',
      [referencesOf(list)],
    )
    expect(rows.map(({ reference }) => reference)).toEqual(referencesOf(list))
  })

  it('takes a body of 1 MiB', async () => {
    const body = JSON.stringify({ transfers: items(3) }).padEnd(1024 * 1024)
    const headers = { 'Content-Type': 'application/json' }
    expect(outcomesOf(await service.staging.call(bulkPath, { method: 'POST', headers, body }))).toHaveLength(3)
  })
})

describe('200 again', () => {
  it('replays every item with its first answer, moves nothing, and is no replay as a whole', async () => {
    const list = [item({ accountNumber: '0123456789' }), item()]
    const first = expectSuccess(await send(list))
    await untilStatus(service.staging, String(list[0]?.['reference']), 'SUCCESS')
    const before = await balanceOf(service.staging)
    const again = await send(list)
    const results = first.results.map((result: Item) => ({ ...result, outcome: 'replayed' }))
    expect(expectSuccess(again)).toEqual({ results, accepted: 0, replayed: 2, refused: 0 })
    expect(again.headers['idempotent-replayed']).toBeUndefined()
    expect(await balanceOf(service.staging)).toEqual(before)
  })

  it('replays items that were sent as single requests, and the other way round', async () => {
    const [alone, together] = [item(), item()]
    const { id } = expectSuccess(await service.staging.post(single, alone))
    const { results } = expectSuccess(await send([alone, together]))
    expect(results).toMatchObject([{ outcome: 'replayed', transfer: { id } }, { outcome: 'accepted' }])
    const later = await service.staging.post(single, together)
    expect(expectSuccess(later)).toEqual(results[1].transfer)
    expect(later.headers['idempotent-replayed']).toBe('true')
  })

  it('takes the second item of a reference for a replay or a conflict, as if it was sent later', async () => {
    const twice = item()
    const { results } = expectSuccess(await send([twice, { ...twice, accountName: 'OTHER' }, { ...twice, amount: 1 }]))
    expect(results.map((result: Item) => result['outcome'])).toEqual(['accepted', 'replayed', 'refused'])
    expect(results[1].transfer).toEqual(results[0].transfer)
    expect(results[2].error).toMatchObject({ code: 'CONFLICT', details: [{ field: 'amount' }] })
    expect(await stored([twice['reference']])).toBe(1)
  })

  it('accepts the second item of a reference whose first one was refused', async () => {
    const second = item()
    expect(outcomesOf(await send([{ ...second, bankSlug: 'no-such-bank' }, second]))).toEqual(['refused', 'accepted'])
  })

  it('evaluates a refused item again, because a refusal consumes no reference', async () => {
    const list = items(2)
    expect(outcomesOf(await send([{ ...list[0], amount: 0 }, list[1]]))).toEqual(['refused', 'accepted'])
    expect(outcomesOf(await send(list))).toEqual(['accepted', 'replayed'])
  })
})

describe('200 with items that are refused', () => {
  it('gives each item the answer of a single request, and stops none of the others', async () => {
    const known = item()
    expectSuccess(await service.staging.post(single, known))
    const other = sendBody({ reference: newReference() })
    expectSuccess(await service.staging.post('/v1/momo/transfer', other))
    const wrong = [
      item({ amount: '5', accountNumber: 123 }),
      item({ reference: 'a b' }),
      item({ reference: undefined }),
      item({ metadata: { a: 1 } }),
      item({ metadata: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 'v'])) }),
      item({ bankSlug: 'no-such-bank' }),
      { ...known, accountNumber: '0123456788' },
      item({ reference: other['reference'] }),
    ]
    const data = expectSuccess(await send([...wrong, item()]))
    expect(data).toMatchObject({ accepted: 1, replayed: 0, refused: wrong.length })
    for (const [index, one] of wrong.entries()) {
      const alone = await service.staging.post(single, one)
      const result = { index, reference: one['reference'] ?? null, outcome: 'refused', transfer: null }
      expect(alone.status).not.toBe(200)
      expect(data.results[index]).toEqual({ ...result, error: alone.body.error })
    }
    expect(data.results.at(-1)).toMatchObject({ index: wrong.length, outcome: 'accepted', error: null })
  })

  it.each([[null], [5], ['text'], [[]], [[item()]], [true]])('%j is no item', async (unchecked) => {
    const { results, refused } = expectSuccess(await send([unchecked, item()]))
    const error = {
      code: 'VALIDATION_ERROR',
      message: 'item must be an object',
      details: [{ field: 'item', message: 'item must be an object', code: 'wrong_type' }],
    }
    expect(refused).toBe(1)
    expect(results[0]).toEqual({ index: 0, reference: null, outcome: 'refused', transfer: null, error })
    expect(results[1].outcome).toBe('accepted')
  })

  it.each([['narration'], ['nobodyKnowsThisField']])('a NUL in %s refuses its item alone', async (field) => {
    const { results } = expectSuccess(await send([item({ [field]: 'a\0b' }), item()]))
    expect(results).toMatchObject([
      {
        outcome: 'refused',
        error: {
          code: 'VALIDATION_ERROR',
          details: [{ field, message: `${field} must not contain the NUL character` }],
        },
      },
      { outcome: 'accepted' },
    ])
  })

  it('accepts small items after one that the balance did not cover', async () => {
    const poor = await service.addBusiness('Poor')
    const amounts = [opening - 200_000 - 5_000, 200_000, 99_000, 100_000, 50_000, 49_000]
    const answer = await send(
      amounts.map((amount) => item({ amount })),
      poor.staging,
    )
    expect(outcomesOf(answer)).toEqual(['accepted', 'refused', 'accepted', 'refused', 'accepted', 'refused'])
    const { results } = expectSuccess(answer)
    expect(results[1].error).toEqual({
      code: 'INSUFFICIENT_BALANCE',
      message: 'The balance does not cover amount and fee.',
      details: [
        {
          field: 'amount',
          message: 'required 201000, available 200000',
          code: 'insufficient_balance',
          params: { required: 201_000, available: 200_000, currency: 'NGN' },
        },
      ],
    })
    expect((await balanceOf(poor.staging)).available).toBe(49_000)
  })

  it('answers INTERNAL_ERROR only for the item that a bug of ours stops; that item can be sent again, and the others get their answers', async () => {
    const list = [item(), item({ narration: 'unlucky' }), item(), item({ amount: 0 })]
    await asOwner(
      service.database,
      `alter table payment add constraint unlucky check (narration <> 'unlucky') not valid`,
    )
    const data = expectSuccess(await send(list))
    await asOwner(service.database, 'alter table payment drop constraint unlucky')
    expect(data).toMatchObject({ accepted: 2, replayed: 0, refused: 2 })
    expect(data.results.map(({ error }: Item) => (error as { code: string } | null)?.code)).toEqual([
      undefined,
      'INTERNAL_ERROR',
      undefined,
      'VALIDATION_ERROR',
    ])
    expect(outcomesOf(await send(list))).toEqual(['replayed', 'accepted', 'replayed', 'refused'])
  })

  it('may refuse all of them, and answers 200 all the same', async () => {
    const data = expectSuccess(await send([{}, { reference: newReference() }]))
    expect(data).toMatchObject({ accepted: 0, replayed: 0, refused: 2 })
    expect(data.results[0].error.details).toContainEqual({
      field: 'amount',
      message: 'amount is required',
      code: 'required',
    })
  })
})

describe('400', () => {
  it.each([
    [undefined, 'transfers is required'],
    [null, 'transfers must be an array'],
    [{}, 'transfers must be an array'],
    ['[]', 'transfers must be an array'],
    [[], 'transfers must not be empty'],
    [Array.from({ length: 1_001 }, () => null), 'transfers must have at most 1000 items'],
  ])('VALIDATION_ERROR names transfers (case %#)', async (transfers, message) => {
    const answer = await send(transfers)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details).toMatchObject([{ field: 'transfers', message }])
  })

  it('VALIDATION_ERROR for a NUL beside the items', async () => {
    const list = items(1)
    const answer = await service.staging.post(bulkPath, { transfers: list, note: '\0' })
    expectError(answer, 400, 'VALIDATION_ERROR', /NUL/)
    expect(answer.body.error?.details).toMatchObject([
      { field: 'note', message: 'note must not contain the NUL character' },
    ])
    expect(await stored(referencesOf(list))).toBe(0)
  })

  it('PARSE_ERROR for a list that is no object', async () => {
    expectError(await service.staging.post(bulkPath, items(1)), 400, 'PARSE_ERROR', /must be a JSON object/)
  })
})

describe('401', () => {
  it('refuses without a key before it looks at the body', async () => {
    const answer = await service.staging.call(bulkPath, { method: 'POST', body: '{', headers: { Authorization: '' } })
    expectError(answer, 401, 'UNAUTHORIZED', /^Session not found/)
  })
})

describe('413', () => {
  it('refuses more than 1 MiB here, and more than 100 KiB still elsewhere', async () => {
    const headers = { 'Content-Type': 'application/json' }
    const post = (to: string, bytes: number): Promise<Answer> =>
      service.staging.call(to, { method: 'POST', headers, body: '{}'.padEnd(bytes) })
    expectError(await post(bulkPath, 1024 * 1024 + 1), 413, 'PAYLOAD_TOO_LARGE', /larger than 1024 KiB/)
    expectError(await post(single, 100 * 1024 + 1), 413, 'PAYLOAD_TOO_LARGE', /larger than 100 KiB/)
  })
})

describe('503', () => {
  it('as a whole where no rail is configured, and stores nothing', async () => {
    const list = [item(), item({ bankSlug: 'no-such-bank' })]
    const answer = await send(list, service.production)
    expectError(answer, 503, 'SERVICE_UNAVAILABLE', /RAILS_FILE/)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(await stored(referencesOf(list))).toBe(0)
  })

  it('is no answer where no item needs a rail: such as when all are wrong', async () => {
    expect(outcomesOf(await send([item({ bankSlug: 'no-such-bank' }), {}], service.production))).toEqual([
      'refused',
      'refused',
    ])
  })
})
