// What commands print.

import { describe, expect, it } from 'vitest'
import { table } from '#cli/output.ts'

describe('a table', () => {
  it('pads its columns, and prints nothing that a terminal obeys', () => {
    const detail = 'refused\u001B[2J\r\nwhy\u009B0m'
    expect(table(['rail', 'why'], [['paystack', detail], ['monnify']])).toBe(
      'rail      why\npaystack  refused?[2J??why?0m\nmonnify',
    )
  })
})
