// The compressed size of what a browser loads; the limits are those of the design.

import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { useSite } from '#tests/support/site.ts'

const kib = 1024
const files = await useSite()
const scripts = [...files.keys()].filter((name) => name.endsWith('.js'))
const html = present(files.get('index.html'), 'the build has its page').toString()
const entry = new Set(
  [...html.matchAll(/\/dashboard\/(assets\/[\w-]+\.js)/g)].flatMap(([, name = '']) => [...closureOf(name)]),
)

/** The frame brings the parts of Base UI that every page shares, such as its menus. */
const frame = [...new Set(scripts.filter((name) => /\/frame-/.test(name)).flatMap((name) => [...closureOf(name)]))]

describe('the dashboard', () => {
  it('begins with at most 120 KiB of script', () => {
    expect(entry.size).toBeGreaterThan(0)
    expect(sizeOf([...entry])).toBeLessThanOrEqual(120 * kib)
  })

  it('adds at most 66 KiB of script with the frame of a business', () => {
    expect(frame.length).toBeGreaterThan(0)
    expect(sizeOf(frame.filter((name) => !entry.has(name)))).toBeLessThanOrEqual(66 * kib)
  })

  it('adds at most 60 KiB of script with any page, once its frame is there', () => {
    const there = new Set([...entry, ...frame])
    const pages = scripts.filter((name) => name.includes('-page-'))
    expect(pages.length).toBeGreaterThan(10)
    const large = pages
      .map((name) => ({ name, bytes: sizeOf([...closureOf(name)].filter((part) => !there.has(part))) }))
      .filter(({ bytes }) => bytes > 60 * kib)
    expect(large).toEqual([])
  })

  it('has at most 450 KiB of script in all, 20 of styles and 45 of fonts', () => {
    expect(sizeOf(scripts)).toBeLessThanOrEqual(450 * kib)
    expect(sizeOf(named('.css'))).toBeLessThanOrEqual(20 * kib)
    expect(named('.woff2').reduce((sum, name) => sum + (files.get(name)?.length ?? 0), 0)).toBeLessThanOrEqual(45 * kib)
  })

  it('asks nothing of other sites, and holds no map of its sources', () => {
    expect([...files.keys()].filter((name) => name.endsWith('.map'))).toEqual([])
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//)
  })
})

function named(ending: string): string[] {
  return [...files.keys()].filter((name) => name.endsWith(ending))
}

function sizeOf(names: string[]): number {
  return names.reduce((sum, name) => sum + gzipSync(files.get(name) ?? '', { level: 9 }).length, 0)
}

/** A script and what it imports before it runs. */
function closureOf(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  const text = present(files.get(name), `the build has ${name}`).toString()
  for (const [, other = ''] of text.matchAll(/(?:from|^import|[;}]import)\s*["']\.\/([\w.-]+\.js)["']/g)) {
    closureOf(`assets/${other}`, seen)
  }
  return seen
}
