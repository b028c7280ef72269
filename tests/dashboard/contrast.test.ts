// The contrasts of the palette, computed from tokens.css: text 4.5, controls and marks of charts 3.0 (WCAG 2.2, AA).

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'

const css = await readFile(path.resolve(import.meta.dirname, '../../dashboard/src/tokens.css'), 'utf8')
const light = tokensOf(/^:root \{(.*?)^\}/ms)
const themes = { light, dark: new Map([...light, ...tokensOf(/^:root\[data-theme='dark'\] \{(.*?)^\}/ms)]) }

const grounds = ['canvas', 'surface', 'sunken']
const chips = ['done', 'moving', 'asks', 'failed', 'back', 'idle']
const texts: [text: string, ground: string][] = [
  ...['ink', 'muted', 'accent', 'staging', 'danger', 'failed'].flatMap((text) =>
    grounds.map((ground): [string, string] => [text, ground]),
  ),
  ['faint', 'canvas'],
  ['faint', 'surface'],
  ['on-accent', 'accent'],
  ['on-danger', 'danger'],
  ...chips.map((chip): [string, string] => [chip, `${chip}-chip`]),
]
const marks: [mark: string, ground: string][] = ['edge', 'accent', 'chart-in', 'chart-out', 'chart-failed'].flatMap(
  (mark) => ['canvas', 'surface'].map((ground): [string, string] => [mark, ground]),
)

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  it.each(texts)('%s can be read on %s', (text, ground) => {
    expect(contrastOf(theme, text, ground)).toBeGreaterThanOrEqual(4.5)
  })

  it.each(marks)('%s can be seen on %s', (mark, ground) => {
    expect(contrastOf(theme, mark, ground)).toBeGreaterThanOrEqual(3)
  })
})

it('gives the known contrasts', () => {
  expect(ratioOf('#000000', '#ffffff')).toBe(21)
  expect(ratioOf('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
})

function tokensOf(block: RegExp): Map<string, string> {
  const [, body = ''] = present(block.exec(css), 'tokens.css has both themes')
  return new Map([...body.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]))
}

function contrastOf(theme: keyof typeof themes, one: string, other: string): number {
  const colour = (name: string): string => present(themes[theme].get(name), `tokens.css has --${name}`)
  return ratioOf(colour(one), colour(other))
}

function ratioOf(one: string, other: string): number {
  const [darker, lighter] = [luminanceOf(one), luminanceOf(other)].toSorted((left, right) => left - right)
  return ((lighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05)
}

function luminanceOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
