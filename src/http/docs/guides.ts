// The guides beside the API reference: files of docs/, rendered when they are first asked for.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { present } from '#base/assert.ts'
import { renderMarkdown } from './markdown.ts'
import { guides } from './menu.ts'
import { shell } from './shell.ts'

const folder = path.resolve(import.meta.dirname, '../../../docs')

export type Guide = keyof typeof guides

export const guideNames = Object.keys(guides) as Guide[]

/** What programs read beside the guides, as it is. */
export const vectors = ['signatures', 'payloads']

export async function guidePage(guide: Guide, prefix: string): Promise<string> {
  const markdown = await readFile(path.join(folder, `${guide}.md`), 'utf8')
  const { title, html } = renderMarkdown(markdown, (target) => addressOf(target, prefix))
  return shell(prefix, {
    title: present(title || undefined, `${guide}.md has no heading`),
    body: `<main>${html}</main>`,
  })
}

export function readVectors(name: string): Promise<Buffer> {
  return readFile(path.join(folder, 'vectors', `${name}.json`))
}

/** Files of docs/ that are served lead to where they are served; the rest is only in the repository. */
function addressOf(target: string, prefix: string): string | undefined {
  if (/^https?:/.test(target) || target.startsWith('#')) return target
  if (target === 'openapi.json') return `${prefix}/v1/openapi.json`
  const [, vector = ''] = /^vectors\/(\w+)\.json$/.exec(target) ?? []
  if (vectors.includes(vector)) return `${prefix}/docs/vectors/${vector}.json`
  const [, guide = '', fragment = ''] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? []
  return Object.hasOwn(guides, guide) ? `${prefix}/docs/${guide}${fragment}` : undefined
}
