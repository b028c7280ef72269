// What earlier runs found out, so that a run that was broken off goes on, and one after a new test asks what is new. A
// finding holds for as long as the code, what the tests stand on, and the tests that it comes from are the same.

import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'

export type Memory<T> = {
  recall(about: string, tests: readonly string[]): T | undefined
  keep(about: string, tests: readonly string[], found: T): void
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
  const world = digest(...worldFiles().map(contentOf))
  const key = (about: string, tests: readonly string[]): string =>
    digest(world, about, ...tests, ...tests.map(contentOf))
  return {
    recall: (about, tests) => found.get(key(about, tests)),
    keep: (about, tests, value) => appendFileSync(file, `${JSON.stringify([key(about, tests), value])}\n`),
  }
}

/** Everything that a test runs but itself. */
function worldFiles(): string[] {
  const inside = ['src', 'tests', 'db/migrations'].flatMap((name) =>
    readdirSync(name, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`),
  )
  return ['package-lock.json', ...inside.filter((name) => !name.endsWith('.test.ts'))].toSorted()
}

const contents = new Map<string, string>()

function contentOf(name: string): string {
  const known = contents.get(name) ?? readFileSync(name, 'latin1')
  contents.set(name, known)
  return known
}

function digest(...parts: string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length} ${part}`)
  return hash.digest('base64url')
}
