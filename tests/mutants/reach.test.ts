import { expect, it } from 'vitest'
import { mutantsOf } from '#scripts/mutants/mutant.ts'
import { blocksOf, telling } from '#scripts/mutants/reach.ts'
import { parseSource } from '#scripts/mutants/syntax.ts'

const text = `const limitMax = 40
const unlocked = (a: number) => a > limitMax
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
    : blocksOf(source, mutant).map((id) => text.slice(Number(id.split(':')[1])).slice(0, 9))
}

it('a file tells each block that it enters, on the lines where they were', () => {
  const told = telling(source).split('\n')
  expect(told).toHaveLength(text.split('\n').length)
  expect(told.map((line) => line.split('globalThis.reached').length - 1)).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 0])
})

it('a mutant is noticed by who enters its block; a constant, by who enters a block that names it', () => {
  expect(blockOfLine(5)).toEqual(['{\n    ret'])
  expect(blockOfLine(7)).toEqual(['{\n  if (a'])
  expect(blockOfLine(2)).toEqual(['(a: numbe'])
  expect(blockOfLine(1)).toEqual(['(a: numbe'])
})
