// Receipts and statements as PDF: that they are well-formed and say what they must, read back without a library.

import { writeFile } from 'node:fs/promises'
import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { nairaInWords } from '#api/dashboard/pdf/receipt.ts'
import { statementPdf } from '#api/dashboard/pdf/statement.ts'
import type { StatementEntry } from '#ledger/statement.ts'
import { toMoney } from '#platform/money.ts'
import { transferBody } from '#tests/payments/requests.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below, pageHeaders } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '0' } })
const here = below(service, 'staging')
const owner = await addPerson(service, { role: 'owner' })
/** Where files are kept to be looked at; none without this setting. */
const pictures = process.env['PICTURES']

async function fetchPdf(path: string): Promise<{ type: string | null; bytes: Buffer }> {
  const url = `${service.url.replace('127.0.0.1', 'localhost')}/dashboard/api${here}${path}`
  const response = await fetch(url, { headers: { ...pageHeaders, cookie: owner.cookie } })
  expect(response.status).toBe(200)
  return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) }
}

async function keep(name: string, bytes: Buffer): Promise<void> {
  if (pictures !== undefined) await writeFile(`${pictures}/${name}.pdf`, bytes)
}

/** The table at the end must name where each object begins, and the texts are read through the map of the glyphs. */
function readPdf(bytes: Buffer): { pages: number; texts: string[] } {
  const file = bytes.toString('latin1')
  expect(file.startsWith('%PDF-1.7\n')).toBe(true)
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1])
  expect(file.slice(start, start + 5)).toBe('xref\n')
  const starts = [...file.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, at]) => Number(at))
  expect(starts.length).toBeGreaterThan(13)
  for (const [index, at] of starts.entries()) expect(file.slice(at).startsWith(`${index + 1} 0 obj\n`)).toBe(true)
  const streams = starts.flatMap((at) => {
    const [head = '', length] = /^\d+ 0 obj\n<< \/Length (\d+)[^\n]*>>\nstream\n/.exec(file.slice(at)) ?? []
    return length === undefined
      ? []
      : [inflateSync(bytes.subarray(at + head.length, at + head.length + Number(length)))]
  })
  const contents = streams.map((stream) => stream.toString('latin1'))
  const maps = contents.filter((content) => content.includes('beginbfchar'))
  const mapped = maps.map(
    (map) =>
      new Map(
        [...map.matchAll(/^<([0-9a-f]{4})> <([0-9a-f]+)>$/gm)].map(([, glyph = '', unit = '']) => [
          glyph,
          String.fromCodePoint(Number.parseInt(unit, 16)),
        ]),
      ),
  )
  const pages = contents.filter((content) => content.includes('BT '))
  const texts = pages.flatMap((content) =>
    [...content.matchAll(/\/F(\d) \S+ Tf \S+ \S+ Td <([0-9a-f]*)> Tj/g)].map(([, font, hex = '']) =>
      (hex.match(/.{4}/g) ?? []).map((glyph) => mapped[Number(font) - 1]?.get(glyph) ?? '□').join(''),
    ),
  )
  return { pages: pages.length, texts }
}

describe('a receipt', () => {
  it('says who paid whom how much, with the letters of Nigerian names', async () => {
    const reference = 'RECEIPT-1'
    const body = transferBody({
      reference,
      amount: 123_456_750,
      accountName: 'Ọlájídé Ṣàngó Ńkẹ Ǹwà Ɓala Ɗan Ƙofa Ƴar',
      narration: 'Rent for ẹgbẹ́',
    })
    expectSuccess(await service.staging.post('/v1/transfers/initiate', body))
    await untilHolds(async () => {
      const { status } = expectSuccess(await service.staging.get(`/v1/transfers/${reference}`))
      expect(status).toBe('SUCCESS')
    })
    const { type, bytes } = await fetchPdf(`/payments/${reference}/receipt`)
    await keep('receipt', bytes)
    expect(type).toBe('application/pdf')
    const { pages, texts } = readPdf(bytes)
    expect(pages).toBe(1)
    expect(texts).toEqual(expect.arrayContaining(['Test Business', 'Payment receipt', '₦1,234,567.50', 'Succeeded']))
    expect(texts).toEqual(expect.arrayContaining(['Ọlájídé Ṣàngó Ńkẹ Ǹwà Ɓala Ɗan Ƙofa Ƴar']))
    // Unicode has no letter for ẹ́, so its accent is left out.
    expect(texts).toEqual(expect.arrayContaining(['Rent for ẹgbẹ', reference]))
    expect(texts.join(' ')).toContain(
      'One million two hundred and thirty-four thousand five hundred and sixty-seven naira, fifty kobo',
    )
    expect(texts).toContain('Test payment in staging. No money was moved.')
  })

  it('is for payouts that succeeded alone', async () => {
    const reference = 'FAILED-1'
    const failed = transferBody({ reference, accountNumber: '9990000007' })
    expectSuccess(await service.staging.post('/v1/transfers/initiate', failed))
    expectError(await owner.get(`${here}/payments/${reference}/receipt`), 409, 'CONFLICT')
    expectError(await owner.get(`${here}/payments/NO-SUCH/receipt`), 404, 'NOT_FOUND')
  })
})

describe('a statement', () => {
  it('is fetched as PDF beside CSV and XLSX, and no other list is', async () => {
    const { type, bytes } = await fetchPdf('/export/statement.pdf')
    await keep('statement', bytes)
    expect(type).toBe('application/pdf')
    const { texts } = readPdf(bytes)
    expect(texts).toEqual(expect.arrayContaining(['Balance', 'Reference', 'Opening balance ₦0.00', 'Page 1']))
    expectError(await owner.get(`${here}/export/transfers.pdf`), 404, 'NOT_FOUND')
  })

  it('goes on over pages, in pieces, with the sums on the last one', async () => {
    async function* entries(): AsyncGenerator<StatementEntry[]> {
      for (let number = 2_000; number > 0; number -= 500)
        yield Array.from({ length: 500 }, (_, index) => ({
          number: BigInt(number - index),
          reference: `PAY-${number - index}`,
          type: 'deposit',
          in: toMoney(100n),
          out: toMoney(0n),
          balanceAfter: toMoney(BigInt(number - index) * 100n),
          createdAt: new Date('2026-11-26T09:00:00Z'),
        }))
    }
    const pieces: Uint8Array[] = []
    const period = { from: new Date('2026-11-01T00:00:00+01:00'), before: undefined }
    const statement = {
      business: 'Ada & Sons',
      logo: undefined,
      environment: 'production' as const,
      currency: 'NGN' as const,
      ...period,
      entries: entries(),
    }
    for await (const piece of statementPdf(statement)) pieces.push(piece)
    await keep('statement-long', Buffer.concat(pieces))
    const { pages, texts } = readPdf(Buffer.concat(pieces))
    expect(pages).toBe(50)
    expect(texts.filter((text) => text.startsWith('PAY-'))).toHaveLength(2_000)
    expect(texts.slice(-4)).toEqual(['Opening balance ₦0.00', '₦2,000.00', '₦0.00', '₦2,000.00'])
    // A page and its object are pieces of their own, so nothing but places of objects is kept.
    expect(pieces.length).toBeGreaterThan(100)
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(20_000)
  })
})

it('amounts are written in words', () => {
  expect(nairaInWords(toMoney(0n))).toBe('Zero naira')
  expect(nairaInWords(toMoney(101n))).toBe('One naira, one kobo')
  expect(nairaInWords(toMoney(1_000_005_00n))).toBe('One million and five naira')
  expect(nairaInWords(toMoney(100_000_000_000_000_00n))).toBe('One hundred trillion naira')
})
