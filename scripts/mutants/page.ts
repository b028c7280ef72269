// docs/mutants.md as a record: what was found of a file stays there until that file is asked about anew.

import { createHash } from 'node:crypto'

/** What became of the mutants of one file, in the order of the table's columns. */
export type Row = { file: string; counts: number[]; source: string }

export type Page = {
  rows: ReadonlyMap<string, Row>
  /** By file, the section that shows its survivors. */
  survivors: ReadonlyMap<string, string>
  /** The section that tells of every so many of all mutants, as it was asked last. */
  sample: string | undefined
}

/** By which a reader sees whether the file has changed since. */
export function sourceMark(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

export function readPage(text: string): Page {
  const rows = [...text.matchAll(/^\| (src\/\S+) \| ([\d |]+) \| ([0-9a-f]{8}) \|$/gm)].map(
    ([, file = '', counts = '', source = '']): Row => ({ file, counts: counts.split(' | ').map(Number), source }),
  )
  const sections = [...text.matchAll(/^### (src\/\S+)\n[^]*?\n```\n(?=\n|$)/gm)]
  return {
    rows: new Map(rows.map((row) => [row.file, row])),
    survivors: new Map(sections.map(([section, file = '']) => [file, section])),
    sample: /^## Sample\n[^]*?(?=\n## |$(?![^]))/m.exec(text)?.[0],
  }
}
