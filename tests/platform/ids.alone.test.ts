import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeBase32, formatId, idPrefixes, newUuid, parseId, type IdKind, type Uuid } from '#platform/ids.ts'
import { anyText } from '#tests/support/any-text.ts'

const kinds = Object.keys(idPrefixes) as IdKind[]
const anyKind = fc.constantFrom(...kinds)
const anyUuid = fc.bigInt(0n, 2n ** 128n - 1n).map(uuidOf)
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

function uuidOf(bits: bigint): Uuid {
  const digits = bits.toString(16).padStart(32, '0')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') as Uuid
}

function naiveBase32(id: Uuid): string {
  let bits = BigInt(`0x${id.replaceAll('-', '')}`)
  let text = ''
  for (let place = 0; place < 26; place++) {
    text = alphabet.charAt(Number(bits % 32n)) + text
    bits /= 32n
  }
  return text
}

describe('the text of an id', () => {
  // From the specification of TypeID, valid.yml.
  it.each([
    ['00000000-0000-0000-0000-000000000000', '00000000000000000000000000'],
    ['00000000-0000-0000-0000-000000000001', '00000000000000000000000001'],
    ['00000000-0000-0000-0000-00000000000a', '0000000000000000000000000a'],
    ['00000000-0000-0000-0000-000000000010', '0000000000000000000000000g'],
    ['00000000-0000-0000-0000-000000000020', '00000000000000000000000010'],
    ['ffffffff-ffff-ffff-ffff-ffffffffffff', '7zzzzzzzzzzzzzzzzzzzzzzzzz'],
    ['0110c853-1d09-52d8-d73e-1194e95b5f19', '0123456789abcdefghjkmnpqrs'],
    ['01890a5d-ac96-774b-bcce-b302099a8057', '01h455vb4pex5vsknk084sn02q'],
  ])('of %s is the one that TypeID publishes', (id, text) => {
    expect(encodeBase32(id as Uuid)).toBe(text)
    expect(parseId('transfer', `trf_${text}`)).toBe(id)
  })

  it('is the number in base 32, for any number', () => {
    fc.assert(
      fc.property(anyUuid, (id) => {
        expect(encodeBase32(id)).toBe(naiveBase32(id))
      }),
    )
  })

  it('is parsed to the same id', () => {
    fc.assert(
      fc.property(anyKind, anyUuid, (kind, id) => {
        expect(parseId(kind, formatId(kind, id))).toBe(id)
      }),
    )
  })

  it('sorts as the ids do', () => {
    fc.assert(
      fc.property(anyUuid, anyUuid, (left, right) => {
        expect(Math.sign(compare(encodeBase32(left), encodeBase32(right)))).toBe(Math.sign(compare(left, right)))
      }),
    )
  })

  it('begins with the prefix of its kind, and no two kinds share one', () => {
    expect(kinds.map((kind) => formatId(kind, uuidOf(0n)).replace(/_0{26}$/, ''))).toEqual([
      'dep',
      'trf',
      'mtr',
      'mcl',
      'cus',
      'va',
      'whk',
      'evt',
      'key',
      'biz',
      'exc',
      'per',
      'sgn',
      'inv',
      'vw',
      'brk',
      'pdr',
      'rcp',
      'psk',
      'rcl',
    ])
    expect(new Set(Object.values(idPrefixes)).size).toBe(kinds.length)
  })
})

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

describe('a text that is not an id', () => {
  it('of this kind is refused, even if another kind would accept it', () => {
    fc.assert(
      fc.property(anyKind, anyKind, anyUuid, (kind, other, id) => {
        fc.pre(kind !== other)
        expect(parseId(other, formatId(kind, id))).toBeUndefined()
      }),
    )
  })

  it.each([
    ['too short', 'trf_01h455vb4pex5vsknk084sn02'],
    ['too long', 'trf_01h455vb4pex5vsknk084sn02qq'],
    ['upper case', 'trf_01H455VB4PEX5VSKNK084SN02Q'],
    ['a prefix in upper case', 'TRF_01h455vb4pex5vsknk084sn02q'],
    ['more than 128 bits', 'trf_8zzzzzzzzzzzzzzzzzzzzzzzzz'],
    ['a letter that Crockford leaves out', 'trf_01h455vb4pex5vsknk084sn02u'],
    ['no prefix', '01h455vb4pex5vsknk084sn02q'],
    ['a prefix alone', 'trf_'],
    ['space around it', ' trf_01h455vb4pex5vsknk084sn02q'],
    ['a line behind it', 'trf_01h455vb4pex5vsknk084sn02q\n'],
    ['a uuid', '01890a5d-ac96-774b-bcce-b302099a8057'],
    ['nothing', ''],
  ])('%s is refused', (_what, text) => {
    expect(parseId('transfer', text)).toBeUndefined()
  })

  it('is refused without an error, whatever it is', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(parseId('transfer', `trf_${text}`)).toBeUndefined()
      }),
    )
  })
})

describe('a new id', () => {
  it('is a UUIDv7 of its time', () => {
    const nowMs = Date.now()
    const id = newUuid(nowMs)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(nowMs)
  })

  it('is greater than all before it: in one millisecond, past its 4096 ids, and when the clock goes back', () => {
    const startMs = Date.now() + 1_000_000
    const times = [
      ...Array.from({ length: 10_000 }, () => startMs),
      startMs - 60_000,
      startMs - 1,
      startMs,
      startMs + 1_000,
    ]
    const ids = times.map(newUuid)
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('ends in random bits, so that two processes make no equal ids', () => {
    const ends = Array.from({ length: 10_000 }, () => newUuid(Date.now()).slice(19))
    expect(new Set(ends).size).toBe(ends.length)
    for (const place of [0, 1, 5, 9, 15])
      expect(new Set(ends.map((end) => end.replace('-', '')[place])).size).toBeGreaterThan(3)
  })
})
