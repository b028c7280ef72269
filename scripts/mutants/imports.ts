// What a file stands on: the files of the tree that it imports, and those that they import. What a test does not stand on
// it cannot reach, so that nobody needs to run it to know.

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'oxc-parser'

const { imports } = JSON.parse(readFileSync('package.json', 'utf8')) as { imports: Record<string, string> }

/** `#tests/*` before `#*`. */
const prefixes = Object.entries(imports)
  .map(([from, to]) => [from.replace('*', ''), to.replace(/^\.\/|\*$/g, '')] as const)
  .toSorted(([left], [right]) => right.length - left.length)

const importsOf = once((file) => readImports(file, readFileSync(file, 'utf8')).filter((name) => existsSync(name)))

/** With the file itself. */
export const filesUnder = once((file) => {
  const found = new Set([file])
  for (const one of found) for (const imported of importsOf(one)) found.add(imported)
  return found
})

/** What type stripping removes is not imported. A name that is put together at run time is not seen. */
export function readImports(file: string, text: string): string[] {
  if (!/\.[cm]?[jt]sx?$/.test(file)) return []
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module
  const names = [
    ...staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ isType, moduleRequest }) => (isType || moduleRequest === null ? [] : [moduleRequest.value])),
    ),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ]
  return [...new Set(names.flatMap((name) => resolve(file, name) ?? []))]
}

function resolve(file: string, name: string): string | undefined {
  if (name.startsWith('.')) return path.join(path.dirname(file), name)
  const prefix = prefixes.find(([from]) => name.startsWith(from))
  return prefix === undefined ? undefined : prefix[1] + name.slice(prefix[0].length)
}

function once<T>(find: (file: string) => T): (file: string) => T {
  const known = new Map<string, T>()
  return (file) => {
    const found = known.get(file) ?? find(file)
    known.set(file, found)
    return found
  }
}
