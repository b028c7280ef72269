// Receipts and statements as PDF are well-formed and have the right contents, read back without a library.

import { writeFile } from 'node:fs/promises'
import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { StatementLine } from '#api/dashboard/money/statement.ts'
import { sayAmount } from '#api/dashboard/pdf/receipt.ts'
import { statementPdf } from '#api/dashboard/pdf/statement.ts'
import { sayMoney } from '#dashboard/format/money-words.ts'
import { readXlsx } from '#dashboard/format/xlsx.ts'
import { setCurrencies } from '#businesses/currencies.ts'
import { present } from '#platform/assert.ts'
import { formatMoney, formatNaira, toMoney } from '#platform/money.ts'
import { eventsOf, staticAccount } from '#tests/deposits/requests.ts'
import { untilMomo } from '#tests/payments/momo-requests.ts'
import { transferBody } from '#tests/payments/requests.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { parseCsv } from '#tests/support/csv.ts'
import { addPerson, below, pageHeaders } from '#tests/support/dashboard.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '0' } })
const here = below(service, 'staging')
const owner = await addPerson(service, { role: 'owner' })
/** Set PICTURES to a folder to keep the pictures there. */
const pictures = process.env['PICTURES']

async function fetchFile(path: string): Promise<{ type: string | null; bytes: Buffer }> {
  const url = `${service.url.replace('127.0.0.1', 'localhost')}/dashboard/api${here}${path}`
  const response = await fetch(url, { headers: { ...pageHeaders, cookie: owner.cookie } })
  expect(response.status).toBe(200)
  return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) }
}

async function keep(name: string, bytes: Buffer): Promise<void> {
  if (pictures !== undefined) await writeFile(`${pictures}/${name}.pdf`, bytes)
}

/** Reads a PDF: checks that its table names the place of each object, and maps the glyphs back to text. */
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
  it('shows payer, payee and amount, with the letters of Nigerian names', async () => {
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
    const { type, bytes } = await fetchFile(`/payments/${reference}/receipt`)
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
    const { type, bytes } = await fetchFile('/export/statement.pdf')
    await keep('statement', bytes)
    expect(type).toBe('application/pdf')
    const { texts } = readPdf(bytes)
    expect(texts).toEqual(expect.arrayContaining(['Balance', 'Reference', 'Opening balance ₦0.00', 'Page 1']))
    expectError(await owner.get(`${here}/export/transfers.pdf`), 404, 'NOT_FOUND')
  })

  it('names the recipient, account, bank and whole session id of each payout, and the sender of a deposit', async () => {
    const accountName = 'CHUKWUEMEKA OLUWASEUN ADEBAYO-WILLIAMS AND SONS TRADING COMPANY NIGERIA LIMITED LAGOS'
    const reference = 'STATEMENT-2026-11-SALARY-OF-CHUKWUEMEKA-ADEBAYO'
    const body = transferBody({ reference, accountName, accountNumber: '3000000001' })
    expectSuccess(await service.staging.post('/v1/transfers/initiate', body))
    const { sessionId, bankName } = await untilHolds(async () => {
      const paid = expectSuccess(await service.staging.get(`/v1/transfers/${reference}`))
      expect(paid.status).toBe('SUCCESS')
      return paid
    })
    const wallet = { reference: 'WALLET-1', amount: 200_000, phoneNumber: '08000000001', accountName: 'BOLA ADE' }
    expectSuccess(await service.staging.post('/v1/momo/transfer', wallet))
    const { accountNumber } = await staticAccount(service.staging)
    const sender = { senderAccountName: 'KEMI BELLO', senderAccountNumber: '2000000009', senderBankName: 'Zenith Bank' }
    expectSuccess(await service.staging.post('/v1/sandbox/deposits', { accountNumber, amount: 500_000, ...sender }))
    const { bytes } = await fetchFile('/export/statement.pdf')
    await keep('statement-recipients', bytes)
    const said = readPdf(bytes).texts.join(' ')
    expect(said).toContain(`${accountName}, ${bankName}, 3000000001`)
    expect(said.replaceAll(' ', '')).toContain(reference)
    expect(said).toContain(`Session ${sessionId}`)
    expect(said).toContain('KEMI BELLO, Zenith Bank, 2000000009')
    expect(said).toMatch(/BOLA ADE, MTN MoMo[^,]*, \+2348000000001/)
  })

  it('has the same lines and sums as CSV, XLSX and PDF', async () => {
    const from = encodeURIComponent('2026-01-01T00:00:00Z')
    const heads = ['number', 'in (NGN)', 'out (NGN)', 'counterparty', 'sessionId']
    const pick = ([head = [], ...rows]: string[][]) =>
      rows.filter(({ length }) => length > 1).map((row) => heads.map((name) => row[head.indexOf(name)] ?? ''))
    const csv = pick(parseCsv((await owner.get(`${here}/export/statement.csv?from=${from}`)).text))
    const sheet = await fetchFile(`/export/statement.xlsx?from=${from}`)
    // The reader writes 150.50 as 150.5, and CSV keeps long numbers from being rounded.
    const short = csv.map((row) =>
      row.map((cell) =>
        cell
          .replace(/^="(.*)"$/, '$1')
          .replace(/\.00$/, '')
          .replace(/(\.\d)0$/, '$1'),
      ),
    )
    expect(pick(await readXlsx(Uint8Array.from(sheet.bytes).buffer))).toEqual(short)
    expect(csv.length).toBeGreaterThan(3)
    const { texts } = readPdf((await fetchFile(`/export/statement.pdf?from=${from}`)).bytes)
    const sum = (column: number): string =>
      formatNaira(toMoney(csv.reduce((total, row) => total + BigInt((row[column] ?? '').replace('.', '')), 0n)))
    expect(texts.slice(-3, -1)).toEqual([sum(1), sum(2)])
  })

  it('goes on over pages, in pieces, with the sums on the last one', async () => {
    async function* lines(): AsyncGenerator<StatementLine[]> {
      for (let number = 2_000; number > 0; number -= 500)
        yield Array.from({ length: 500 }, (_, index) => ({
          number: BigInt(number - index),
          reference: `PAY-${number - index}`,
          type: 'deposit',
          in: toMoney(100n),
          out: toMoney(0n),
          balanceAfter: toMoney(BigInt(number - index) * 100n),
          createdAt: new Date('2026-11-26T09:00:00Z'),
          counterparty: undefined,
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
      lines: lines(),
    }
    for await (const piece of statementPdf(statement)) pieces.push(piece)
    await keep('statement-long', Buffer.concat(pieces))
    const { pages, texts } = readPdf(Buffer.concat(pieces))
    expect(pages).toBe(50)
    expect(texts.filter((text) => text.startsWith('PAY-'))).toHaveLength(2_000)
    expect(texts.slice(-4)).toEqual(['Opening balance ₦0.00', '₦2,000.00', '₦0.00', '₦2,000.00'])
    // Each page and each object is a chunk of its own, because the writer remembers only the places of objects.
    expect(pieces.length).toBeGreaterThan(100)
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(20_000)
  })
})

it.each([
  [0n, 'NGN', 'Zero naira'],
  [101n, 'NGN', 'One naira, one kobo'],
  [1_000_005_00n, 'NGN', 'One million and five naira'],
  [100_000_000_000_000_00n, 'NGN', 'One hundred trillion naira'],
  [1_500_01n, 'GHS', 'One thousand five hundred Ghana cedis, one pesewa'],
  [1_00n, 'KES', 'One Kenya shilling'],
  [2_500n, 'UGX', 'Two thousand five hundred Uganda shillings'],
  [2_50n, 'TZS', 'Two Tanzania shillings, fifty cents'],
  [1n, 'RWF', 'One Rwanda franc'],
  [10_05n, 'ZMW', 'Ten Zambia kwacha, five ngwee'],
  [10_05n, 'MWK', 'Ten Malawi kwacha, five tambala'],
  [12_000n, 'XOF', 'Twelve thousand CFA francs'],
  [1n, 'XAF', 'One CFA franc'],
  [3_25n, 'SLE', 'Three Sierra Leone leones, twenty-five cents'],
  [1_01n, 'MZN', 'One Mozambique metical, one centavo'],
  [20_40n, 'ETB', 'Twenty Ethiopia birr, forty santim'],
  [2_01n, 'LSL', 'Two Lesotho maloti, one sente'],
  [5_02n, 'CDF', 'Five Congo francs, two centimes'],
  [1_99n, 'USD', 'One US dollar, ninety-nine cents'],
] as const)('the amount %s of %s is written as “%s”, on paper and on screen', (amount, currency, words) => {
  expect(sayAmount(toMoney(amount), currency)).toBe(words)
  expect(sayMoney(Number(amount), currency)).toBe(words)
})

it.each([
  ['UGX', '+256772000001'],
  ['RWF', '+250780000001'],
  ['XOF', '+2250500000001'],
  ['XAF', '+237670000001'],
] as const)('nothing that shows %s shows decimals', async (currency, phoneNumber) => {
  await setCurrencies(service.ctx, service.business.tenants.staging, { on: [currency], off: [] })
  const reference = `WHOLE-${currency}`
  const body = { reference, amount: 12_500, currency, phoneNumber, accountName: 'Ada Obi' }
  expectSuccess(await service.staging.post('/v1/momo/transfer', body))
  expect(await untilMomo(service.staging, 'transfer', reference, 'SUCCESS')).toMatchObject({ amount: 12_500, fee: 125 })
  const event = await untilHolds(async () => present((await eventsOf(service.database, reference))[0], 'it is told'))
  const shown = {
    event: JSON.stringify(event),
    csv: (await fetchFile(`/export/statement.csv?currency=${currency}`)).bytes.toString(),
    statement: readPdf((await fetchFile(`/export/statement.pdf?currency=${currency}`)).bytes).texts.join('\n'),
    receipt: readPdf((await fetchFile(`/payments/${reference}/receipt`)).bytes).texts.join('\n'),
    told: formatMoney(toMoney(12_500), currency),
  }
  for (const text of Object.values(shown)) {
    expect(text).toMatch(/12,?500|12,?625/)
    expect(text).not.toMatch(/\d\.\d{1,2}(?!\d)/)
  }
})
