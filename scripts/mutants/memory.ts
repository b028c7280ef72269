// What earlier runs found out, so that a run that was broken off goes on, and one after a change asks what is new. A
// finding holds for as long as the files that it is said to come from are the same.

import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'

export type Memory<T> = {
  recall(about: string, files: Iterable<string>): T | undefined
  keep(about: string, files: Iterable<string>, found: T): void
}

const folder = '.mutants'

export function openMemory<T>(name: string): Memory<T> {
  const file = `${folder}/${name}.jsonl`
  mkdirSync(folder, { recursive: true })
  const lines = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.endsWith(']'))
    : []
  const found = new Map(lines.map((line) => JSON.parse(line) as [string, T]))
  return {
    recall: (about, files) => found.get(keyOf(about, files)),
    keep(about, files, value) {
      found.set(keyOf(about, files), value)
      appendFileSync(file, `${JSON.stringify([keyOf(about, files), value])}\n`)
    },
  }
}

function keyOf(about: string, files: Iterable<string>): string {
  const contents = [...files].toSorted().map((file) => `${file} ${contentOf(file)}`)
  return digest([about, ...contents].join('\n'))
}

const contents = new Map<string, string>()

function contentOf(file: string): string {
  const known = contents.get(file) ?? digest(readFileSync(file, 'latin1'))
  contents.set(file, known)
  return known
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
