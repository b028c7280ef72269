// Which sheet of an uploaded workbook is read.

import { describe, expect, it } from 'vitest'
import { readXlsx } from '#dashboard/format/xlsx.ts'

/** A ZIP archive whose parts are stored as they are. */
function zipOf(parts: Record<string, string>): ArrayBuffer {
  const [pieces, directory]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const [name, text] of Object.entries(parts)) {
    const [path, data] = [Buffer.from(name), Buffer.from(text)]
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(path.length, 26)
    const record = Buffer.alloc(46)
    record.writeUInt32LE(0x02014b50, 0)
    record.writeUInt32LE(data.length, 20)
    record.writeUInt32LE(data.length, 24)
    record.writeUInt16LE(path.length, 28)
    record.writeUInt32LE(offset, 42)
    pieces.push(head, path, data)
    directory.push(record, path)
    offset += head.length + path.length + data.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Object.keys(parts).length, 10)
  end.writeUInt32LE(offset, 16)
  return Uint8Array.from(Buffer.concat([...pieces, ...directory, end])).buffer
}

const sheet = (text: string): string =>
  `<worksheet><sheetData><row><c t="inlineStr"><is><t>${text}</t></is></c></row></sheetData></worksheet>`
const worksheets = { 'xl/worksheets/sheet1.xml': sheet('first'), 'xl/worksheets/sheet2.xml': sheet('second') }

function workbook(sheets: string, targets: [string, string]): Record<string, string> {
  const relations = targets.map(
    (target, index) => `<Relationship Id="rId${index + 1}" Type="worksheet" Target="${target}"/>`,
  )
  return {
    'xl/workbook.xml': `<workbook><sheets>${sheets}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relations.join('')}</Relationships>`,
    ...worksheets,
  }
}

const usual: [string, string] = ['worksheets/sheet1.xml', 'worksheets/sheet2.xml']

describe('the sheet that is read', () => {
  it.each<[string, Record<string, string>, string]>([
    [
      'is the first that is not hidden',
      workbook('<sheet name="A" state="hidden" r:id="rId1"/><sheet name="B" r:id="rId2"/>', usual),
      'second',
    ],
    [
      '… also not very hidden',
      workbook('<sheet state="veryHidden" r:id="rId1"/><sheet r:id="rId2"/>', usual),
      'second',
    ],
    [
      'is the first in the order of the workbook, whatever its file is called',
      workbook('<sheet r:id="rId1"/><sheet r:id="rId2"/>', ['/xl/worksheets/sheet2.xml', '/xl/worksheets/sheet1.xml']),
      'second',
    ],
    ['is the first by name if the workbook does not say', worksheets, 'first'],
  ])('%s', async (_which, parts, text) => {
    expect(await readXlsx(zipOf(parts))).toEqual([[text]])
  })
})
