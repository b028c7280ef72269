// A file of the dashboard opens in a spreadsheet and runs nothing there.

import { describe, expect, it } from 'vitest'
import { csvLine } from '#api/dashboard/csv.ts'

describe('a cell', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['＝1+1', "'＝1+1"],
    ['＠SUM(1)', "'＠SUM(1)"],
    [' =1+1', "' =1+1"],
    ['x;=1+1', "x;'=1+1"],
    ['x; ＋1', "x;' ＋1"],
    ['x\t=1', "x\t'=1"],
    ['\t=1', "'\t'=1"],
    ['x\n=1', '"x\n\'=1"'],
    ['x,=1', '"x,=1"'],
    ['Ada-Obi a=b', 'Ada-Obi a=b'],
    ['0123456789', '"=""0123456789"""'],
    ['999999261123162431805166921945', '"=""999999261123162431805166921945"""'],
    ['+2348030000000', '"=""+2348030000000"""'],
    ['12345678901', '12345678901'],
    ['012a', '012a'],
  ])('%j is written as %j', (text, written) => {
    expect(csvLine([text])).toBe(`${written}\r\n`)
  })

  it('that is a number stays one', () => {
    expect(csvLine([-1, 2n, null])).toBe('-1,2,\r\n')
  })
})
