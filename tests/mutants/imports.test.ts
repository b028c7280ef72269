import { expect, it } from 'vitest'
import { filesUnder, readImports } from '#scripts/mutants/imports.ts'

const text = `
import type { A } from './a.ts'
import { type B } from './b.ts'
import { type C, c } from './c.ts'
import './d.ts'
import zod from 'zod'
import { f } from '#payments/f.ts'
import { g } from '#tests/support/g.ts'
export { h } from './h.ts'
export type { I } from './i.ts'
const j = await import('./j.ts')
`

it('a file stands on what it imports when its types are gone', () => {
  expect(readImports('src/room/sample.ts', text)).toEqual([
    'src/room/c.ts',
    'src/room/d.ts',
    'src/payments/f.ts',
    'tests/support/g.ts',
    'src/room/h.ts',
    'src/room/j.ts',
  ])
})

it('and on what that imports', () => {
  const standsOn = (test: string): boolean => filesUnder(test).has('src/http/routes.ts')
  expect(standsOn('tests/http/deposit-get.test.ts')).toBe(true)
  expect(standsOn('tests/payments/move.test.ts')).toBe(false)
})
