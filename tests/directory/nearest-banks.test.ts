// Common names of a bank find it, and an unknown slug gets them as suggestions; search by name works as before.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findBank, listBanks, plainText, nearestBanks, unknownBank } from '#directory/banks.ts'
import aliases from '#directory/data/bank-aliases.json' with { type: 'json' }

const banks = listBanks()
const nicknames = Object.entries(aliases).flatMap(([slug, names]) => names.map((name) => ({ slug, name })))
const anyBank = fc.constantFrom(...banks)

/** The same word as people type it. */
const typed = (word: string): fc.Arbitrary<string> =>
  fc.constantFrom(word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1), ` ${word} `)

describe('the nicknames', () => {
  it('are each of one bank that there is, and are no slug of another', () => {
    expect(new Set(nicknames.map(({ name }) => name)).size).toBe(nicknames.length)
    for (const { slug, name } of nicknames) {
      expect(findBank(slug), slug).toBeDefined()
      expect(name).toBe(plainText(name))
      expect(banks.filter((bank) => plainText(bank.slug) === name && bank.slug !== slug)).toEqual([])
    }
  })

  it.each([
    ['gtb', 'guaranty-trust-bank'],
    ['gtbank', 'guaranty-trust-bank'],
    ['uba', 'united-bank-for-africa'],
    ['fcmb', 'first-city-monument-bank'],
    ['opay', 'paycom'],
    ['058', 'guaranty-trust-bank'],
    ['000013', 'guaranty-trust-bank'],
  ])('%s is %s alone, found and offered', (word, slug) => {
    expect(listBanks({ search: word }).map((bank) => bank.slug)).toEqual([slug])
    expect(unknownBank(word)).toBe(
      `There is no bank with the slug ${word}. Did you mean ${slug}? GET /v1/banks lists them.`,
    )
  })
})

describe('searching', () => {
  it('finds a bank by each of its nicknames, codes and slugs, however they are typed', () => {
    const named = anyBank.chain((bank) => {
      const names = nicknames.filter(({ slug }) => slug === bank.slug).map(({ name }) => name)
      const all = [bank.slug, bank.code, ...(bank.nipCode === null ? [] : [bank.nipCode]), ...names]
      return fc.record({ bank: fc.constant(bank), word: fc.constantFrom(...all).chain(typed) })
    })
    fc.assert(
      fc.property(named, ({ bank, word }) => {
        expect(listBanks({ search: word })).toContain(bank)
      }),
    )
  })

  it('by the words of a name finds everything that it found before there were nicknames, and the banks that those add', () => {
    const words = fc.oneof(
      anyBank.chain(({ name }) => fc.subarray(name.split(/\s+/), { minLength: 1 })),
      fc.array(fc.string({ maxLength: 6 }), { maxLength: 3 }),
    )
    fc.assert(
      fc.property(words, (asked) => {
        const wanted = asked.flatMap((word) => word.toLowerCase().split(/\s+/)).filter((word) => word !== '')
        const byName = banks.filter(({ name }) => wanted.every((word) => name.toLowerCase().includes(word)))
        const found = listBanks({ search: asked.join(' ') })
        expect(found.filter((bank) => byName.includes(bank))).toEqual(byName)
        for (const bank of found.filter((one) => !byName.includes(one))) {
          const called = [bank.slug, bank.code, bank.nipCode ?? '', ...namesOf(bank.slug)].map(plainText)
          expect(wanted.some((word) => called.includes(plainText(word)))).toBe(true)
        }
      }),
    )
  })
})

function namesOf(slug: string): string[] {
  return nicknames.filter((one) => one.slug === slug).map(({ name }) => name)
}

describe('the nearest banks', () => {
  it('to a slug with a letter wrong, missing or too many are some,', () => {
    const misspelled = fc
      .tuple(
        anyBank.filter(({ slug }) => plainText(slug).length >= 8),
        fc.nat(),
        fc.constantFrom('wrong', 'missing', 'too many'),
        fc.constantFrom('a', 'e', 'k', 'z', '7'),
      )
      .map(([bank, place, mistake, letter]) => {
        const at = place % bank.slug.length
        const rest = bank.slug.slice(mistake === 'too many' ? at : at + 1)
        return { word: bank.slug.slice(0, at) + (mistake === 'missing' ? '' : letter) + rest }
      })
    fc.assert(
      fc.property(misspelled, ({ word }) => {
        const near = nearestBanks(word)
        expect(near.length).toBeGreaterThan(0)
        expect(near.length).toBeLessThanOrEqual(3)
      }),
    )
  })

  it.each([
    ['zenit-bank', ['zenith-bank']],
    ['Wema-Bank', ['wema-bank']],
    ['acess bank', ['access-bank']],
    ['garanty-trust-bank', ['guaranty-trust-bank']],
    ['50739', ['goodnews-microfinance-bank-ng', 'prospa-capital-microfinance-bank-ng']],
  ])('to %s are %j', (word, slugs) => {
    expect(nearestBanks(word).map((bank) => bank.slug)).toEqual(slugs)
  })

  it('are none where nothing is near, and the sentence then offers nothing', () => {
    for (const word of ['', '!!!', 'x', 'bank', 'atlantis', 'no-such-bank', '__proto__', 'y'.repeat(100)]) {
      expect(nearestBanks(word), word).toEqual([])
      expect(unknownBank(word)).toBe(`There is no bank with the slug ${word}. GET /v1/banks lists them.`)
    }
  })
})
