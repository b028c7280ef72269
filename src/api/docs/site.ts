// Builds the pages of the documentation site: the guides of docs/ and the API reference, with navigation and a search
// index. The service serves them below /docs (routes.ts), and `npm run docs` writes them as files.

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { readDescription, type Description } from './description.ts'
import { escape } from './highlight.ts'
import { inlineCode, renderMarkdown, type Rendered, type Section } from './markdown.ts'
import { eventsTag, referencePage, slugOf } from './reference.ts'

/** File name and label of each guide, in the order of the menu. */
const guides: Record<string, Record<string, string>> = {
  'Get started': {
    'quick-start': 'Quick start',
    'first-order': 'First paid order',
    'receive-money': 'Receive money',
    'pay-out': 'Pay out',
    'mobile-money': 'Mobile money',
  },
  Build: {
    'api-basics': 'API basics',
    sdks: 'SDKs',
    webhooks: 'Webhooks',
    events: 'Events',
    retries: 'Idempotency and retries',
    errors: 'Errors',
    simulator: 'Test with the simulator',
    cli: 'Command line',
    'moving-over': 'Move from another provider',
    spec: 'API in detail',
  },
  Operate: {
    'going-live': 'Go live',
    operate: 'Run it yourself',
    changelog: 'Changelog',
  },
}

export const startPage = 'quick-start'

export const guideNames = Object.values(guides).flatMap((group) => Object.keys(group))

export const docsFolder = path.resolve(import.meta.dirname, '../../../docs')

/** The changelog is beside the README, where readers of the repository look for it. */
export function guideFile(name: string): string {
  return name === 'changelog' ? path.resolve(docsFolder, '../CHANGELOG.md') : path.join(docsFolder, `${name}.md`)
}

/** Test vectors for programs, served unchanged. */
export const vectors = ['signatures', 'payloads']

/** The Postman collection, served with the staging address of this service. */
export const postmanFile = 'manilla.postman_collection.json'

export function readPostmanCollection(stagingUrl: string): string {
  const text = readFileSync(path.join(docsFolder, postmanFile), 'utf8')
  return text.replace('http://127.0.0.1:4000/staging', stagingUrl)
}

export type SiteOptions = {
  addressOf: (name: string) => string
  openApi: string
  stagingUrl: string
  productionUrl: string
  /** False for pages in files, which have no service to send requests to. */
  canTryOut: boolean
}

export type DocsSite = {
  page: (name: string) => Promise<string>
  searchIndex: () => Promise<string>
}

/** Read once for the sites of all prefixes, because reading docs/openapi.json takes 10 ms. */
let apiDescription: Description | undefined
const described = (): Description => (apiDescription ??= readDescription(docsFolder))

export function createSite(options: SiteOptions): DocsSite {
  const content = (name: string): Promise<Rendered> => contentOf(name, options)
  return {
    page: async (name) => shell(options, described(), name, await content(name)),
    searchIndex: async () => {
      const entries = await Promise.all(pageNames().map(async (name) => entriesOf(options, name, await content(name))))
      return `globalThis.manillaSearch = ${JSON.stringify(entries.flat())}\n`
    },
  }
}

/** The start page comes first. */
export function pageNames(): string[] {
  return [...guideNames, ...described().tags.map(({ name }) => `reference/${slugOf(name)}`)]
}

async function contentOf(name: string, options: SiteOptions): Promise<Rendered> {
  const linkTo = (target: string): string | undefined => linkOf(target, options)
  if (name.startsWith('reference/')) {
    const tag = described().tags.find((one) => `reference/${slugOf(one.name)}` === name)?.name ?? ''
    return referencePage(described(), tag, { baseUrl: options.stagingUrl, linkTo })
  }
  const markdown = await readFile(guideFile(name), 'utf8')
  const local = markdown
    .replaceAll('http://127.0.0.1:4000/staging', options.stagingUrl)
    .replaceAll('http://127.0.0.1:4000/production', options.productionUrl)
    .replaceAll(/^## \[(.+)\]/gm, '## $1') // The changelog puts versions in brackets.
  const rendered = renderMarkdown(local, linkTo)
  if (rendered.title === '') throw new Error(`${name}.md has no heading`)
  return name === 'events' ? { ...rendered, html: linkEvents(rendered.html, described(), options) } : rendered
}

/** Links each event of the table to its payload in the reference, which exists only on the site. */
function linkEvents(html: string, { events }: Description, { addressOf }: SiteOptions): string {
  const page = addressOf(`reference/${slugOf(eventsTag)}`)
  return events.reduce((text, { id, name }) => {
    const label = inlineCode(name)
    return text.replace(`<td>${label}</td>`, `<td><a href="${page}#${id}">${label}</a></td>`)
  }, html)
}

/** The address on the site for a link in a guide; undefined for files that exist only in the repository. */
function linkOf(target: string, { addressOf, openApi }: SiteOptions): string | undefined {
  if (/^https?:/.test(target) || target.startsWith('#')) return target
  if (target === 'openapi.json') return openApi
  if (target === postmanFile) return addressOf(target)
  const [, vector = ''] = /^vectors\/(\w+)\.json$/.exec(target) ?? []
  if (vectors.includes(vector)) return addressOf(`vectors/${vector}.json`)
  const [, file = '', fragment = ''] = /^(?:docs\/|\.\.\/)?([\w-]+)\.md(#.*)?$/.exec(target) ?? []
  const name = file.toLowerCase()
  if (guideNames.includes(name)) return `${addressOf(name)}${fragment}`
  const [, tag = '', operation = ''] = /^reference\/([\w-]+)(#.*)?$/.exec(target) ?? []
  return tag === '' ? undefined : `${addressOf(`reference/${tag}`)}${operation}`
}

const textMax = 300

function entriesOf({ addressOf }: SiteOptions, name: string, { title, sections }: Rendered): object[] {
  return sections.map(({ title: heading, anchor, level, text }: Section) => ({
    page: title,
    title: heading,
    address: level === 1 ? addressOf(name) : `${addressOf(name)}#${anchor}`,
    text: text.trim().slice(0, textMax),
  }))
}

/** `contents`: the headings of the current page, shown below its entry. */
function menuOf(options: SiteOptions, { tags }: Description, current: string, contents: string): string {
  const link = (name: string, label: string): string =>
    name === current
      ? `<li><a href="${options.addressOf(name)}" aria-current="page">${escape(label)}</a>${contents}</li>`
      : `<li><a href="${options.addressOf(name)}">${escape(label)}</a></li>`
  const groups = Object.entries(guides).map(([title, group]): [string, string[]] => [
    title,
    Object.entries(group).map(([name, label]) => link(name, label)),
  ])
  const reference = tags.map(({ name }) => link(`reference/${slugOf(name)}`, name))
  if (options.canTryOut) reference.push(link('try', 'Try it out'))
  return [...groups, ['API reference', reference] as const]
    .map(([title, links]) => `<h2>${title}</h2><ul>${links.join('')}</ul>`)
    .join('\n')
}

function shell(
  options: SiteOptions,
  description: Description,
  name: string,
  { title, html, sections }: Rendered,
): string {
  const isReference = name.startsWith('reference/')
  const contents = sections.filter(({ level }) => level === 2)
  const items = contents.map((section) => `<li><a href="#${section.anchor}">${escape(section.title)}</a></li>`)
  const list = contents.length < 2 ? '' : `<ul class="sections">${items.join('')}</ul>`
  const aside =
    list === '' || isReference
      ? ''
      : `<nav class="contents" aria-label="On this page"><h2>On this page</h2>${list}</nav>`
  const menu = menuOf(options, description, name, isReference ? list : '')
  return frame(
    options,
    title,
    `<nav id="menu" class="menu" aria-label="Documentation">${menu}</nav>
<main id="content"${isReference ? ' class="reference"' : ''}>${html}${neighborsOf(options, description, name)}</main>
${aside}`,
  )
}

/** Links to the pages before and after this one, in the order of the menu. */
function neighborsOf({ addressOf }: SiteOptions, { tags }: Description, current: string): string {
  const pages = [
    ...Object.values(guides).flatMap((group) => Object.entries(group)),
    ...tags.map(({ name }): [string, string] => [`reference/${slugOf(name)}`, name]),
  ]
  const at = pages.findIndex(([name]) => name === current)
  const link = (page: [string, string] | undefined, rel: string, label: string): string =>
    page === undefined
      ? ''
      : `<a rel="${rel}" href="${addressOf(page[0])}"><span>${label}</span> ${escape(page[1])}</a>`
  const links = link(pages[at - 1], 'prev', 'Previous') + link(pages[at + 1], 'next', 'Next')
  return `<nav class="neighbors" aria-label="Previous and next page">${links}</nav>`
}

/** The HTML around every page. It loads only files of the site. */
export function frame({ addressOf }: SiteOptions, title: string, body: string, more = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} · Manilla</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${addressOf('style.css')}">${more}
<script src="${addressOf('site.js')}" data-search="${addressOf('search.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header><a class="brand" href="${addressOf(startPage)}">Manilla <span>Docs</span></a><a class="menu-button" href="#menu">Menu</a></header>
<div class="page">
${body}
</div>
</body>
</html>
`
}
