// The fields of a body: the service converts no types, reports all errors at once, and takes no value that the database
// could not store.

import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '#api/server/endpoint.ts'
import { metadata, noParams, noQuery } from '#api/server/fields.ts'
import { events } from '#api/v1/webhook-fields.ts'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { useFrontDoor } from '#tests/support/front-door.ts'

const keep = endpoint({
  operationId: 'keep',
  method: 'POST',
  path: '/v1/keepsakes',
  scope: 'any',
  tag: 'Test',
  summary: 'For tests',
  description: 'For tests',
  params: noParams,
  query: noQuery,
  body: z.object({ metadata: metadata.nullish() }),
  data: z.record(z.string(), z.unknown()),
  handle: async ({ body }) => ({ data: { kept: body.metadata ?? null } }),
})

const door = await useFrontDoor({ moreEndpoints: [keep] })
const note = { reference: 'N-1', amount: 150_000, title: 'A note' }

beforeEach(() => void door.endpoints.handled.splice(0))

const post = (body: string): Promise<Answer> =>
  door.staging.call('/v1/notes', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
const postFields = (fields: Record<string, unknown>): Promise<Answer> =>
  door.staging.post('/v1/notes', { ...note, ...fields })
const field = (answer: Answer): string | undefined => answer.body.error?.details?.[0]?.field

describe('the fields', () => {
  it('unknown ones are passed over, in body and query', async () => {
    const data = expectSuccess(
      await door.staging.call('/v1/notes?colour=red', { method: 'POST', body: { ...note, colour: 'red' } }),
    )
    expect(data).toEqual({ ...note, labels: null, kind: 'bigint' })
  })

  it.each([['"100"'], ['100.5'], ['0.1'], ['-1.5'], ['true'], ['[]'], ['{}'], ['null'], ['1e400']])(
    'an amount of %s is told what kobo are',
    async (amount) => {
      const answer = await post(JSON.stringify(note).replace('150000', amount))
      expectError(answer, 400, 'VALIDATION_ERROR', /^amount is an integer in kobo: ₦1,500\.00 is 150000$/)
      expect(answer.body.error?.details).toMatchObject([
        { field: 'amount', message: 'amount is an integer in kobo: ₦1,500.00 is 150000' },
      ])
    },
  )

  it.each([
    [{ currency: 'NGN' }, 'amount is an integer in kobo: ₦1,500.00 is 150000'],
    [{ currency: 'EUR' }, 'amount is an integer in kobo: ₦1,500.00 is 150000'],
    [{ phoneNumber: '08030000000' }, 'amount is an integer in kobo: ₦1,500.00 is 150000'],
    [{ phoneNumber: '+2348030000000' }, 'amount is an integer in kobo: ₦1,500.00 is 150000'],
    [{ currency: 'GHS' }, 'amount is an integer in the minor unit of GHS: GHS 1,500.00 is 150000'],
    [{ currency: 'XOF' }, 'amount is an integer in whole XOF: XOF 1,500 is 1500'],
    [
      { phoneNumber: '+233241234567' },
      'amount is an integer in the minor unit of its currency: GHS 12.50 is 1250, and XOF 1,500 is 1500',
    ],
  ])('an amount beside %j is told its unit', async (beside, message) => {
    const answer = await post(JSON.stringify({ ...note, ...beside, amount: 12.5 }))
    expect(answer.body.error?.details).toMatchObject([{ field: 'amount', message }])
  })

  it.each([
    [0, 'amount must be at least 1'],
    [-1, 'amount must be at least 1'],
    [2 ** 53, 'amount must be at most 9007199254740991'],
    [1e300, 'amount must be at most 9007199254740991'],
  ])('an amount of %d is out of range', async (amount, message) => {
    const answer = await postFields({ amount })
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.message).toBe(message)
  })

  it.each([1, 150_000, 2 ** 53 - 1])('an amount of %d arrives whole', async (amount) => {
    expect(expectSuccess(await postFields({ amount })).amount).toBe(amount)
  })

  it('a whole number in another spelling is that number', async () => {
    expect(expectSuccess(await post(JSON.stringify(note).replace('150000', '1.5e5'))).amount).toBe(150_000)
  })

  it('all invalid fields are reported at once, in path, query and body', async () => {
    const answer = await door.staging.call('/v1/notes/-?page=0', { method: 'PATCH', body: { title: 5 } })
    expectError(answer, 400, 'VALIDATION_ERROR', /\(and 2 more\)$/)
    expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual(['reference', 'page', 'title'])
    const missing = await door.staging.post('/v1/notes', {})
    expect(missing.body.error?.details).toMatchObject([
      { field: 'reference', message: 'reference is required' },
      { field: 'amount', message: 'amount is required' },
      { field: 'title', message: 'title is required' },
    ])
  })

  it.each([
    [{ amount: undefined }, 'required', undefined],
    [{ amount: '100' }, 'wrong_type', undefined],
    [{ amount: 100.5 }, 'not_a_whole_number', undefined],
    [{ amount: 0 }, 'below_minimum', { min: 1 }],
    [{ amount: 2 ** 53 }, 'above_maximum', { max: Number.MAX_SAFE_INTEGER }],
    [{ reference: 'x'.repeat(101) }, 'too_long', { max: 100 }],
    [{ reference: '' }, 'too_short', { min: 1 }],
    [{ reference: 'a b' }, 'wrong_format', undefined],
  ])('%j has a code for programs', async (fields, code, params) => {
    const answer = await postFields(fields)
    const [name = ''] = Object.keys(fields)
    const coded = params === undefined ? { code } : { code, params }
    expect(answer.body.error?.details).toEqual([{ field: name, message: expect.any(String), ...coded }])
  })

  it('a page that no list has is below its minimum', async () => {
    const answer = await door.staging.call('/v1/notes/a?page=0', { method: 'PATCH', body: { title: 'a' } })
    expect(answer.body.error?.details).toMatchObject([{ field: 'page', code: 'below_minimum', params: { min: 1 } }])
  })

  it.each(['a', 'A1', '0', 'a.b_c:d=e-f', 'x'.repeat(100)])('%s is a reference', async (reference) => {
    expect(expectSuccess(await postFields({ reference })).reference).toBe(reference)
  })

  it.each(['', ' ', '-a', '.a', 'a b', 'a/b', 'é', 'a\n', 'x'.repeat(101), 5, null, {}])(
    '%j is not a reference',
    async (reference) => {
      const answer = await postFields({ reference })
      expectError(answer, 400, 'VALIDATION_ERROR', /^reference /)
      expect(field(answer)).toBe('reference')
    },
  )

  it('each invalid field has one message, even if it breaks several rules', async () => {
    const answer = await postFields({ reference: '' })
    expect(answer.body.error).toMatchObject({
      message: 'reference must not be empty',
      details: [{ field: 'reference', message: 'reference must not be empty' }],
    })
  })

  it('the answer stays small however many are wrong', async () => {
    const labels = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`label ${index}`, index]))
    const answer = await postFields({ labels })
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(answer.body.error?.details).toHaveLength(50)
  })
})

describe('metadata', () => {
  const headers = { 'Content-Type': 'application/json' }
  const send = (text: string): Promise<Answer> =>
    door.staging.call('/v1/keepsakes', { method: 'POST', headers, body: `{"metadata":${text}}` })
  const keys = (count: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, ''])))

  it.each([
    ['{}'],
    ['{"a":"1","b":""}'],
    ['{"constructor":"1","prototype":"2","toString":"3","hasOwnProperty":"4","toJSON":"5","valueOf":"6"}'],
    ['{"__proto":"1","proto__":"2","__PROTO__":"3"}'],
    [keys(20)],
    ['null'],
  ])('%s comes back as it was sent', async (text) => {
    const answer = await send(text)
    expectSuccess(answer)
    expect(answer.text).toContain(`"kept":${text}`)
  })

  // JavaScript gives this name a special meaning, so a parser would drop the field silently.
  it.each([
    ['{"__proto__":"1"}'],
    ['{"a":"1","\\u005f_proto__":"2"}'],
    ['{"__proto__":{"a":"1"}}'],
    ['{"__proto__":null}'],
  ])('%s is refused, naming the key', async (text) => {
    const answer = await send(text)
    expectError(answer, 400, 'VALIDATION_ERROR', /^metadata\.__proto__ cannot be kept: choose another name$/)
    expect(field(answer)).toBe('metadata.__proto__')
  })

  it.each([
    ['[]', 'metadata'],
    ['"a"', 'metadata'],
    ['{"a":1}', 'metadata.a'],
    ['{"a":null}', 'metadata.a'],
    ['{"":"1"}', 'metadata'],
    [keys(21), 'metadata'],
  ])('%s is refused', async (text, named) => {
    const answer = await send(text)
    expectError(answer, 400, 'VALIDATION_ERROR')
    expect(field(answer)).toBe(named)
  })
})

describe('a text that is too long is refused before it is examined', () => {
  const neverRead = {
    get: () => {
      throw new Error('was looked at')
    },
  }
  const far = 500

  it('in metadata', () => {
    const keys = Object.fromEntries(Array.from({ length: far }, (_, index) => [`k${index}`, 'v']))
    Object.defineProperty(keys, `k${far - 1}`, { ...neverRead, enumerable: true })
    expect(metadata.safeParse(keys).error?.issues.map(({ message }) => message)).toEqual(['must have at most 20 keys'])
  })

  it('in a list of events', () => {
    const names = Array.from<string>({ length: far }).fill('transfer.success')
    Object.defineProperty(names, far - 1, neverRead)
    expect(events.safeParse(names).error?.issues.map(({ message }) => message)).toEqual([
      'must not name an event twice',
    ])
  })

  it('in any other list', () => {
    const items = Array.from<string>({ length: far }).fill('item')
    Object.defineProperty(items, far - 1, neverRead)
    const list = z.array(z.string()).max(far - 1, `must have at most ${far - 1} items`)
    expect(list.safeParse(items).error?.issues.map(({ message }) => message)).toEqual([
      `must have at most ${far - 1} items`,
    ])
  })
})

describe('strings that a database cannot keep', () => {
  it.each([
    ['a field', '"title":"a\\u0000b"', 'title'],
    ['a field that nobody asked for', '"colour":"\\u0000"', 'colour'],
    ['a nested value', '"labels":{"a":"\\u0000"}', 'labels'],
    ['a nested name', '"labels":{"\\u0000":"a"}', 'labels'],
    ['a list', '"list":[[["\\u0000"]]]', 'list'],
    ['a name', '"a\\u0000b":1', 'a\\u0000b'],
  ])('NUL in %s is refused, naming it', async (_name, part, named) => {
    const answer = await post(`{"reference":"N-1","amount":1,"title":"t",${part}}`)
    expectError(answer, 400, 'VALIDATION_ERROR', /NUL/)
    expect(field(answer)).toBe(named)
    expect(door.endpoints.handled).toEqual([])
  })

  it('a backslash before u0000 is text', async () => {
    expect(expectSuccess(await postFields({ title: '\\u0000' })).title).toBe('\\u0000')
  })

  it('half a surrogate pair is refused, a whole one taken', async () => {
    expectError(
      await post(JSON.stringify(note).replace('A note', '\\ud83d')),
      400,
      'VALIDATION_ERROR',
      /^title must be valid Unicode/,
    )
    expect(expectSuccess(await postFields({ title: '😀' })).title).toBe('😀')
  })
})

describe('characters that change the meaning of the text around them', () => {
  const disruptive: [string, string][] = [
    ['ESC', '\u001b'],
    ['a line feed', '\n'],
    ['a carriage return', '\r'],
    ['a tab', '\t'],
    ['DEL', '\u007f'],
    ['a C1 control', '\u009b'],
    ['a line separator', '\u2028'],
    ['a right-to-left override', '\u202e'],
    ['an isolate', '\u2066'],
  ]

  it.each(disruptive)('%s is refused in a field of one line', async (_name, mark) => {
    const answer = await postFields({ title: `a${mark}b` })
    expectError(answer, 400, 'VALIDATION_ERROR', /^title must be plain text: no line breaks, control characters/)
    expect(field(answer)).toBe('title')
    expect(door.endpoints.handled).toEqual([])
  })

  it.each([
    'Ọláwálé Ṣóyínká',
    'O’Neil-Adébáyọ̀',
    'Ɗanladi Ƙofar-Mata',
    'أبو بكر',
    '李小龙',
    '👩🏽‍💻 & Co.',
    'A‌B',
    '=SUM(A1)',
  ])('%s is a name', async (title) => {
    expect(expectSuccess(await postFields({ title })).title).toBe(title)
  })

  it('metadata may have several lines, and nothing else of it', () => {
    for (const kept of ['one\ntwo\r\n\tthree', '😀 ₦1,500']) expect(metadata.parse({ kept })).toEqual({ kept })
    const layout = ['a line feed', 'a carriage return', 'a tab']
    for (const [name, mark] of disruptive) {
      expect(metadata.safeParse({ value: mark }).success, name).toBe(layout.includes(name))
      expect(metadata.safeParse({ [mark]: 'name' }).success, name).toBe(false)
    }
  })
})
