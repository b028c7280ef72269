import { describe, expect, it } from 'vitest'
import { listenToChoices } from '#scripts/mutants/choices.ts'
import { mutantsOf } from '#scripts/mutants/mutant.ts'
import { cluesOf, telling } from '#scripts/mutants/reach.ts'
import { parseSource } from '#scripts/mutants/syntax.ts'

const text = `const limitMax = 40
const unlocked = (a: number) => a + limitMax
export function go(a: number): number {
  if (a === 0) {
    return 7
  }
  return 8
}
`
const source = parseSource('sample.ts', text)

const blockOfLine = (line: number): string[] => {
  const mutant = mutantsOf(source).find((one) => one.line === line)
  return mutant === undefined
    ? []
    : cluesOf(source, mutant).map((id) => text.slice(Number(id.split(':')[1])).slice(0, 9))
}

it('a file tells each block that it enters, on the lines where they were', () => {
  const told = telling(source).split('\n')
  expect(told).toHaveLength(text.split('\n').length)
  expect(told.map((line) => line.split('globalThis.reached').length - 1)).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 0])
})

describe('a mistake in a condition is noticed only by who', () => {
  const condition = parseSource(
    'sample.ts',
    'if (a < b && ready) go()\nconst c = a === b ? 1 : 2\nconst d = ready || asked\n',
  )
  const told = (values: object): string[] => {
    const reached = new Set<string>()
    listenToChoices(reached)
    const names = { go: () => undefined, reached, ...values }
    Reflect.construct(Function, [...Object.keys(names), telling(condition)])(...Object.values(names))
    return [...reached]
  }
  const noticedBy = (after: string, values: object): boolean => {
    const mutant = mutantsOf(condition).find((one) => one.after === after)
    if (mutant === undefined) throw new Error(`nothing becomes ${after}`)
    return cluesOf(condition, mutant).some((clue) => told(values).includes(clue))
  }

  it.each([
    ['if (true) go()', 'sees it be false', { a: 2, b: 1, ready: true }, { a: 1, b: 2, ready: true }],
    ['if (false) go()', 'sees it be true', { a: 1, b: 2, ready: true }, { a: 1, b: 2, ready: false }],
    ['if (a <= b && ready) go()', 'compares equals', { a: 1, b: 1, ready: true }, { a: 1, b: 2, ready: true }],
    ['if ((a < b)) go()', 'needs the second half', { a: 1, b: 2, ready: false }, { a: 2, b: 1, ready: false }],
    ['if (ready) go()', 'needs the first half', { a: 2, b: 1, ready: true }, { a: 1, b: 2, ready: false }],
    ['const c = true ? 1 : 2', 'takes the other way', { a: 1, b: 2, ready: true }, { a: 1, b: 1, ready: true }],
    ['const d = ready', 'gets to the second half', { a: 1, b: 2, ready: false, asked: 0 }, { a: 1, b: 2, ready: true }],
  ])('%s: %s', (after, _who, noticing, blind) => {
    expect(noticedBy(after, { asked: 1, ...noticing })).toBe(true)
    expect(noticedBy(after, { asked: 1, ...blind })).toBe(false)
  })
})

it('a mutant is noticed by who enters its block; a constant, by who enters a block that names it', () => {
  expect(blockOfLine(5)).toEqual(['{\n    ret'])
  expect(blockOfLine(7)).toEqual(['{\n  if (a'])
  expect(blockOfLine(2)).toEqual(['(a: numbe'])
  expect(blockOfLine(1)).toEqual(['(a: numbe'])
})
