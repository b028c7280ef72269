// CSS modules have no types, so this compares them with the code: each name that the code uses exists, each that exists
// is used, and no style has a color or a token of its own.

import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../../dashboard/src')
const files = await readAll()
const sheets = files.filter(({ file }) => file.endsWith('.css'))
const modules = sheets.filter(({ file }) => file.endsWith('.module.css'))
const users = files.filter(({ file }) => /\.tsx?$/.test(file))

it('every class that is named is there, and every class that is there is named', () => {
  const faults = modules.flatMap(({ file, text }) => {
    const there = new Set([...withoutComments(text).matchAll(/\.([A-Za-z][\w-]*)/g)].map(([, name = '']) => name))
    const named = new Set(users.flatMap((user) => namesOf(user, file)))
    return [
      ...[...named].filter((name) => !there.has(name)).map((name) => `${file} has no .${name}`),
      ...[...there].filter((name) => !named.has(name)).map((name) => `nobody uses .${name} of ${file}`),
    ]
  })
  expect(modules.length).toBeGreaterThan(5)
  expect(faults).toEqual([])
})

it('every colour, and every token that is used, stands in tokens.css', () => {
  const tokens = sheets.find(({ file }) => file === 'tokens.css')?.text ?? ''
  const faults = sheets.flatMap(({ file, text }) => {
    if (file === 'tokens.css') return []
    const used = [...text.matchAll(/var\(--([\w-]+)/g)].map(([, name = '']) => name)
    const own = [...withoutComments(text).matchAll(/#[0-9a-f]{3,8}\b|\brgba?\(|\bhsl\(/gi)].map(([colour]) => colour)
    return [
      ...used
        .filter((name) => !tokens.includes(`--${name}:`) && !ofBaseUi.has(name))
        .map((name) => `${file}: --${name}`),
      ...own.map((colour) => `${file}: ${colour}`),
    ]
  })
  expect(faults).toEqual([])
})

/** Variables that the components of Base UI measure and set. */
const ofBaseUi = new Set(['available-height', 'anchor-width'])

/** The code imports a module under a name, and reads classes of it, by a dot or by a computed key. */
function namesOf({ file: user, text }: { file: string; text: string }, module: string): string[] {
  return [...text.matchAll(/^import (\w+) from '([^']+\.module\.css)'/gm)].flatMap(([, local = '', target = '']) => {
    const at = target.startsWith('#') ? target.slice(1) : path.posix.join(path.posix.dirname(user), target)
    if (at !== module) return []
    const code = text.replaceAll(/^import .*$/gm, '')
    const dotted = [...code.matchAll(new RegExp(String.raw`\b${local}\.(\w+)`, 'g'))].map(([, name = '']) => name)
    const computed = new RegExp(String.raw`\b${local}\[`).test(code) ? classesOf(module) : []
    return [...dotted, ...computed]
  })
}

function classesOf(module: string): string[] {
  const text = withoutComments(modules.find(({ file }) => file === module)?.text ?? '')
  return [...text.matchAll(/\.([A-Za-z][\w-]*)/g)].map(([, name = '']) => name)
}

function withoutComments(css: string): string {
  return css.replaceAll(/\/\*.*?\*\//gs, '')
}

async function readAll(): Promise<{ file: string; text: string }[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const found = entries.filter((entry) => entry.isFile() && /\.(css|tsx?)$/.test(entry.name))
  return Promise.all(
    found.map(async (entry) => {
      const file = path.join(entry.parentPath, entry.name)
      return { file: path.relative(root, file), text: await readFile(file, 'utf8') }
    }),
  )
}
