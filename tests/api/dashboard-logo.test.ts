import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { embeddedLogo, readLogoImage, storedLogo, type LogoImage } from '#businesses/logo.ts'
import { assert } from '#platform/assert.ts'
import { transferBody, untilStatus } from '#tests/payments/requests.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below, pageHeaders } from '#tests/support/dashboard.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '0' } })
const here = below(service, 'staging')
const logoPath = here.replace(/\/staging$/, '/logo')
const owner = await addPerson(service, { role: 'owner', hasFactor: true, steppedUp: true })

/** 12 × 8 pixels, as Chromium writes them. */
const exifSegment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, 9]), Buffer.from('at home')])
const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAAIAAwDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAgX/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCAASY//9k=',
  'base64',
)

type Png = {
  width?: number
  height?: number
  depth?: number
  color?: number
  interlace?: number
  chunks?: [string, Buffer][]
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), content])
  const whole = Buffer.alloc(8)
  whole.writeUInt32BE(content.length, 0)
  whole.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([whole.subarray(0, 4), named, whole.subarray(4)])
}

function png(
  rows: Buffer,
  { width = 2, height = 1, depth = 8, color = 2, interlace = 0, chunks = [] }: Png = {},
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, color, 0, 0, interlace], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...chunks.map(([type, content]) => chunk(type, content)),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const red = png(Buffer.from([0, 255, 0, 0, 255, 0, 0]))

function upload(bytes: Buffer) {
  return owner.post(logoPath, { image: bytes.toString('base64') })
}

function readImage(bytes: Buffer): LogoImage {
  const image = readLogoImage(bytes)
  assert('bytes' in image, 'the picture is accepted')
  return image
}

/** The pixels of a picture of one row, which is its difference from no row. */
function pixels(bytes: Buffer): number[] {
  return [...inflateSync(embeddedLogo(readImage(bytes)).content).subarray(1)]
}

describe('a logo', () => {
  it.each([
    ['RGB', red, [255, 0, 0, 255, 0, 0]],
    [
      'RGB with a transparent color',
      png(Buffer.from([0, 255, 0, 0, 9, 9, 9]), { chunks: [['tRNS', Buffer.from([0, 255, 0, 0, 0, 0])]] }),
      [255, 255, 255, 9, 9, 9],
    ],
    ['RGBA', png(Buffer.from([0, 0, 0, 255, 0, 0, 0, 255, 255]), { color: 6 }), [255, 255, 255, 0, 0, 255]],
    ['gray', png(Buffer.from([0, 7, 200]), { color: 0 }), [7, 7, 7, 200, 200, 200]],
    ['gray of 1 bit', png(Buffer.from([0, 0b0100_0000]), { color: 0, depth: 1 }), [0, 0, 0, 255, 255, 255]],
    ['gray with alpha', png(Buffer.from([0, 7, 255, 7, 0]), { color: 4 }), [7, 7, 7, 255, 255, 255]],
    [
      'a palette of 4 bits',
      png(Buffer.from([0, 0x10]), {
        color: 3,
        depth: 4,
        chunks: [
          ['PLTE', Buffer.from([1, 2, 3, 4, 5, 6])],
          ['tRNS', Buffer.from([255, 255])],
        ],
      }),
      [4, 5, 6, 1, 2, 3],
    ],
    ['a filter by the left', png(Buffer.from([1, 5, 6, 7, 1, 1, 1])), [5, 6, 7, 6, 7, 8]],
    ['a filter by the average', png(Buffer.from([3, 10, 10, 10, 1, 1, 1])), [10, 10, 10, 6, 6, 6]],
    ['a filter of Paeth', png(Buffer.from([4, 5, 6, 7, 1, 1, 1])), [5, 6, 7, 6, 7, 8]],
  ])('is read from a PNG with %s, on white', (_, bytes, expected) => {
    expect(pixels(bytes)).toEqual(expected)
    expect(storedLogo(readImage(bytes).bytes)).toEqual(readImage(bytes))
  })

  it('loses what the file says beside the picture', () => {
    const said = png(Buffer.from([0, 1, 1, 1, 1, 1, 1]), { chunks: [['tEXt', Buffer.from('Comment\0at home')]] })
    expect(readImage(said).bytes.includes('at home')).toBe(false)
    const exif = Buffer.concat([jpeg.subarray(0, 2), exifSegment, jpeg.subarray(2)])
    expect(readImage(exif)).toEqual({ type: 'image/jpeg', width: 12, height: 8, bytes: jpeg })
  })

  it('loses the pictures behind the end of a JPEG, and what is said between its scans', () => {
    const found = { type: 'image/jpeg', width: 12, height: 8, bytes: jpeg }
    const second = Buffer.concat([jpeg.subarray(0, 2), exifSegment, jpeg.subarray(2)])
    expect(readImage(Buffer.concat([jpeg, second]))).toEqual(found)
    expect(readImage(Buffer.concat([jpeg.subarray(0, -2), exifSegment, jpeg.subarray(-2)]))).toEqual(found)
  })

  it('is on the receipt, the statement and the shared receipt, until it is removed', async () => {
    const reference = 'LOGO-1'
    expectSuccess(await service.staging.post('/v1/transfers/initiate', transferBody({ reference })))
    await untilStatus(service.staging, reference, 'SUCCESS')
    const shared = expectSuccess(await owner.post(`${here}/payments/${reference}/receipt-links`))
    for (const [bytes, type, filter] of [
      [red, 'image/png', 'FlateDecode'],
      [jpeg, 'image/jpeg', 'DCTDecode'],
    ] as const) {
      const { image } = expectSuccess(await upload(bytes))
      expect(image).toMatch(new RegExp(`^data:${type};base64,`))
      expect(expectSuccess(await owner.get(logoPath))).toEqual({ image })
      const page = await fetch(shared.url)
      expect(page.headers.get('content-security-policy')).toContain('img-src data:;')
      expect(page.headers.get('x-content-type-options')).toBe('nosniff')
      expect(await page.text()).toContain(`<img src="${image}"`)
      for (const file of [`/payments/${reference}/receipt`, '/export/statement.pdf']) {
        const pdf = await fetchPdf(file)
        expect(pdf.toString('latin1')).toContain(`/Filter /${filter}`)
        expect(pdf.toString('latin1')).toMatch(/\/XObject << \/Logo \d+ 0 R >>/)
        await expectOpens(pdf, type === 'image/png' ? [2, 1] : [12, 8])
      }
    }
    expectSuccess(await owner.delete(logoPath))
    expect(expectSuccess(await owner.get(logoPath))).toEqual({ image: null })
    expect(await (await fetch(shared.url)).text()).not.toContain('<img')
    expect((await fetchPdf(`/payments/${reference}/receipt`)).toString('latin1')).not.toContain('/XObject')
    const { entries } = expectSuccess(await owner.get(`${logoPath.replace(/logo$/, 'audit')}?limit=10`))
    const details = (entries as { act: string; details: unknown }[]).filter(({ act }) => act === 'business.changed')
    expect(details.map((entry) => entry.details)).toEqual([
      { logo: 'none', logoBefore: 'image/jpeg, 12 × 8' },
      { logo: 'image/jpeg, 12 × 8', logoBefore: 'image/png, 2 × 1' },
      { logo: 'image/png, 2 × 1', logoBefore: 'none' },
    ])
  })

  it.each([
    ['a file of another kind', Buffer.from('<svg onload="alert(1)"/>'), 'must be a PNG or JPEG file'],
    ['nothing', Buffer.alloc(0), 'must be a PNG or JPEG file'],
    ['a large file', Buffer.alloc(201 * 1024), 'must have at most 200 KB'],
    ['a cut PNG', red.subarray(0, -20), 'is damaged. Export it again as PNG or JPEG'],
    ['a PNG with too few rows', png(Buffer.from([0])), 'is damaged. Export it again as PNG or JPEG'],
    ['a PNG that unpacks without end', png(Buffer.alloc(5_000_000)), 'is damaged. Export it again as PNG or JPEG'],
    [
      'a wide PNG',
      png(Buffer.alloc(1), { width: 1_001 }),
      'must have at most 1000 × 1000 pixels. This one has 1001 × 1',
    ],
    ['16 bits', png(Buffer.alloc(1), { depth: 16 }), 'must have 8 bits per color, not 16'],
    ['interlacing', png(Buffer.alloc(7), { interlace: 1 }), 'must be a PNG without interlacing'],
    ['a cut JPEG', jpeg.subarray(0, -2), 'is damaged. Export it again as PNG or JPEG'],
  ])('400: names the fault of %s', async (_, bytes, why) => {
    const { error } = (await upload(bytes)).body
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'image', message: `image ${why}` }] })
  })

  it('403: is changed by owners alone', async () => {
    const finance = await addPerson(service, { role: 'finance' })
    expectError(await finance.post(logoPath, { image: red.toString('base64') }), 403, 'FORBIDDEN')
    expectError(await finance.delete(logoPath), 403, 'FORBIDDEN')
  })

  it('is read or refused for any bytes, and a PDF can embed what was read', () => {
    // A generator with a fixed seed, so that a failure can be repeated.
    let state = 7
    const chance = (limit: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * limit)
    }
    const samples = [
      red,
      jpeg,
      png(Buffer.from([0, 0x10]), { color: 3, depth: 4, chunks: [['PLTE', Buffer.alloc(6)]] }),
    ]
    let read = 0
    for (let round = 0; round < 6_000; round += 1) {
      const bytes = Buffer.from(samples[round % samples.length] ?? red)
      for (let change = chance(4); change >= 0; change -= 1) bytes[chance(bytes.length)] = chance(256)
      const image = readLogoImage(bytes.subarray(0, chance(3) === 0 ? chance(bytes.length) : bytes.length))
      if ('why' in image) continue
      read += 1
      // `toEqual` compares byte by byte, and took longer than the rest of this file.
      expect(isDeepStrictEqual(storedLogo(image.bytes), image)).toBe(true)
      expect(embeddedLogo(image).content.length).toBeGreaterThan(0)
    }
    expect(read).toBeGreaterThan(0)
  })
})

async function fetchPdf(file: string): Promise<Buffer> {
  const url = `${service.url.replace('127.0.0.1', 'localhost')}/dashboard/api${here}${file}`
  const response = await fetch(url, { headers: { ...pageHeaders, cookie: owner.cookie } })
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

const run = promisify(execFile)
const hasPdfimages = await run('pdfimages', ['-v']).then(
  () => true,
  () => false,
)

/** If pdfimages is installed, it must find the picture in the file. */
async function expectOpens(pdf: Buffer, [width, height]: [number, number]): Promise<void> {
  if (!hasPdfimages) return
  const folder = await mkdtemp(path.join(tmpdir(), 'manilla-logo-'))
  try {
    await writeFile(path.join(folder, 'file.pdf'), pdf)
    const { stdout, stderr } = await run('pdfimages', ['-list', path.join(folder, 'file.pdf')])
    expect(stderr).toBe('')
    expect(stdout).toMatch(new RegExp(String.raw`image\s+${width}\s+${height}\s+rgb`))
  } finally {
    await rm(folder, { recursive: true })
  }
}
