import fc from 'fast-check'

const surrogates = { first: 0xd8_00, count: 0x8_00 }

/**
 * Any characters of Unicode, as `fc.string({ unit: 'binary' })` has them. fast-check first builds a table of all of
 * them, which takes two seconds of a processor.
 */
export function anyText(limits: fc.ArrayConstraints = {}): fc.Arbitrary<string> {
  const character = fc
    .nat(0x10_ff_ff - surrogates.count)
    .map((code) => String.fromCodePoint(code < surrogates.first ? code : code + surrogates.count))
  return fc.array(character, limits).map((characters) => characters.join(''))
}
