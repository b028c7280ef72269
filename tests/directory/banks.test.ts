import { describe, expect, it } from 'vitest'
import { findBank, findBankByCode, findBankCalled, listBanks } from '#directory/banks.ts'

const banks = listBanks()

describe('the list of banks', () => {
  it('is whole, each slug once, each field in its form', () => {
    expect(banks).toHaveLength(204)
    expect(new Set(banks.map((bank) => bank.slug)).size).toBe(204)
    for (const bank of banks) {
      expect(Object.keys(bank)).toEqual([
        'name',
        'slug',
        'code',
        'nipCode',
        'cbnCode',
        'type',
        'country',
        'currency',
        'active',
      ])
      expect(bank).toMatchObject({
        name: expect.stringMatching(/^\S.*\S$/),
        // One of them has capitals (IBANK-mfb).
        slug: expect.stringMatching(/^[A-Za-z0-9]+(-[a-z0-9]+)*$/),
        code: expect.stringMatching(/^[A-Z0-9]{3,}$/),
        country: 'NG',
        currency: 'NGN',
        active: true,
      })
      expect(bank.nipCode ?? '000000').toMatch(/^\d{6}$/)
    }
  })

  it('has only the types that it claims to have', () => {
    const types = new Set(banks.map((bank) => bank.type))
    const known = 'commercial finance-company merchant microfinance mobile-money mortgage non-interest psb'
    expect([...types].toSorted().join(' ')).toBe(known)
  })

  it('is in the order of names, whatever their case', () => {
    const names = banks.map((bank) => bank.name.toLowerCase())
    expect(names).toEqual(names.toSorted((left, right) => left.localeCompare(right, 'en', { numeric: true })))
    expect(names[0]).toMatch(/^9mobile/)
  })

  it('has the codes of well-known banks', () => {
    expect(findBank('guaranty-trust-bank')).toMatchObject({
      name: 'Guaranty Trust Bank',
      code: '058',
      nipCode: '000013',
    })
    expect(findBank('wema-bank')).toMatchObject({ name: 'Wema Bank', code: '035', nipCode: '000017' })
    expect(findBank('paycom')).toMatchObject({ code: '999992', nipCode: '100004', type: 'mobile-money' })
  })
})

describe('searching', () => {
  it('keeps the banks whose name holds every word, in any case and order', () => {
    const names = listBanks({ search: '  TRUST guaranty ' }).map((bank) => bank.name)
    expect(names).toEqual(['Guaranty Trust Bank'])
    const microfinance = listBanks({ search: 'microfinance' })
    expect(microfinance.length).toBeGreaterThan(50)
    for (const bank of microfinance) expect(bank.name.toLowerCase()).toContain('microfinance')
  })

  it('for nothing gives the whole list, and for nonsense none', () => {
    for (const search of [undefined, '', '  ']) expect(listBanks({ search })).toHaveLength(204)
    expect(listBanks({ search: 'bank of atlantis' })).toEqual([])
    expect(listBanks({ search: '.*' })).toEqual([])
  })
})

describe('finding a bank', () => {
  it('by slug takes the exact slug only', () => {
    for (const bank of banks) expect(findBank(bank.slug)).toBe(bank)
    for (const slug of ['', 'no-such-bank', 'Wema-Bank', 'wema-bank ', '__proto__', 'constructor']) {
      expect(findBank(slug), slug).toBeUndefined()
    }
  })

  it('by code gives the bank where one bank has it', () => {
    for (const bank of banks.filter(({ code }) => code !== '50739')) {
      expect(findBankByCode(bank.code)).toEqual({ kind: 'found', bank })
    }
    expect(findBankByCode('000')).toEqual({ kind: 'unknown' })
    expect(findBankByCode('')).toEqual({ kind: 'unknown' })
  })

  it('by a code that two banks share names both and chooses neither', () => {
    const answer = findBankByCode('50739')
    expect(answer).toMatchObject({
      kind: 'ambiguous',
      banks: [{ slug: 'goodnews-microfinance-bank-ng' }, { slug: 'prospa-capital-microfinance-bank-ng' }],
    })
  })
})

describe('a bank in the words of people', () => {
  it.each([
    ['Zenith', 'zenith-bank'],
    ['kuda', 'kuda-bank'],
    ['Access', 'access-bank'],
    ['GTB', 'guaranty-trust-bank'],
    ['058', 'guaranty-trust-bank'],
  ])('%s is %s', (word, slug) => {
    expect(findBankCalled(word)?.slug).toBe(slug)
  })

  it('is not guessed from a part of its name that other banks share, or from a misspelled one', () => {
    expect(['Bank', 'Trust', 'First', 'Acess'].map(findBankCalled)).toEqual(Array.from({ length: 4 }))
  })
})
