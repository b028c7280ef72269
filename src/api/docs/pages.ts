// Serves the documentation: the API reference by Swagger UI, from its own package, and the guides of docs/. All of it
// is served from here, so that nothing is loaded from another host and it works without internet access.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createRequire } from 'node:module'
import { answer, successBody } from '#api/server/answer.ts'
import type { Exchange, Page } from '#api/server/exchange.ts'
import type { Entrance } from '#config.ts'
import { present } from '#platform/assert.ts'
import { renderMarkdown, escape } from './markdown.ts'

/** File name and label of each guide, in the order of the menu. */
const guides = {
  webhooks: 'Webhooks',
  events: 'Events',
  retries: 'Retries',
  errors: 'Errors',
  simulator: 'Simulator',
  'going-live': 'Going live',
  spec: 'Our answers',
}

const folder = path.resolve(import.meta.dirname, '../../../docs')

type Guide = keyof typeof guides

const guideNames = Object.keys(guides) as Guide[]

/** Test vectors for programs, served unchanged. */
const vectors = ['signatures', 'payloads']

async function guidePage(guide: Guide, prefix: string): Promise<string> {
  const markdown = await readFile(path.join(folder, `${guide}.md`), 'utf8')
  const { title, html } = renderMarkdown(markdown, (target) => addressOf(target, prefix))
  return shell(prefix, {
    title: present(title || undefined, `${guide}.md has no heading`),
    body: `<main>${html}</main>`,
  })
}

function readVectors(name: string): Promise<Buffer> {
  return readFile(path.join(folder, 'vectors', `${name}.json`))
}

/** Links to files of docs/ that are served point to their page; other files exist only in the repository. */
function addressOf(target: string, prefix: string): string | undefined {
  if (/^https?:/.test(target) || target.startsWith('#')) return target
  if (target === 'openapi.json') return `${prefix}/v1/openapi.json`
  const [, vector = ''] = /^vectors\/(\w+)\.json$/.exec(target) ?? []
  if (vectors.includes(vector)) return `${prefix}/docs/vectors/${vector}.json`
  const [, guide = '', fragment = ''] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? []
  return Object.hasOwn(guides, guide) ? `${prefix}/docs/${guide}${fragment}` : undefined
}

type PageContent = { title: string; body: string; styles?: string[]; scripts?: string[] }

/**
 * The HTML of every documentation page. The page loads files only below the prefix that it was requested with,
 * because a proxy may forward nothing else.
 */
function shell(prefix: string, { title, body, styles = [], scripts = [] }: PageContent): string {
  const links = ['style.css', ...styles].map((name) => `<link rel="stylesheet" href="${prefix}/docs/${name}">`)
  const pages = [['docs', 'Reference'], ...Object.entries(guides).map(([name, label]) => [`docs/${name}`, label])]
  const menu = pages.map(([address, label]) => `<a href="${prefix}/${address}">${label}</a>`)
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escape(title)} · Manilla</title>
    <link rel="icon" href="data:,">
    ${links.join('\n    ')}
  </head>
  <body>
    <nav>${menu.join(' ')}</nav>
    ${body}
    ${scripts.map((name) => `<script src="${prefix}/docs/${name}"></script>`).join('\n    ')}
  </body>
</html>
`
}

const style = `:root { color-scheme: light; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: #1c2333; background: #fff; }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0.75rem 1.5rem; background: #1c2333; }
nav a { color: #fff; text-decoration: none; }
nav a:hover, nav a:focus-visible { text-decoration: underline; }
main { max-width: 52rem; margin: 0 auto; padding: 1rem 1.5rem 4rem; }
main a { color: #1a56b0; }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 0.75rem; }
code { font: 0.875em/1.5 ui-monospace, monospace; background: #f2f4f8; padding: 0.1em 0.3em; border-radius: 3px; }
pre { overflow-x: auto; padding: 1rem; background: #f2f4f8; border-radius: 6px; }
pre code { padding: 0; background: none; }
table { display: block; overflow-x: auto; border-collapse: collapse; }
th, td { padding: 0.4rem 0.75rem; border: 1px solid #d5dae4; text-align: left; vertical-align: top; }
`

/**
 * The script of the reference page, which starts Swagger UI. A key that a user enters is lost when the page closes:
 * the page runs in a sandbox, apart from the dashboard on the same address, and stores nothing.
 */
export function startScript(prefix: string): string {
  return `SwaggerUIBundle({
  url: ${JSON.stringify(`${prefix}/v1/openapi.json`)},
  validatorUrl: null,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  persistAuthorization: false,
})
`
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
}
const htmlType = 'text/html; charset=utf-8'

const nothingElse = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const guidePolicy = `default-src 'none'; style-src 'self'; img-src data:; ${nothingElse}`

/**
 * Omits `allow-same-origin`, so that the scripts of this page have no origin and its requests no cookie of the
 * dashboard.
 */
const apart = 'sandbox allow-scripts allow-forms allow-popups'

/**
 * Swagger UI sets styles from its script and shows images as data URLs. Requests that a user tries out go only
 * to this service.
 */
function referencePolicy(entrances: Entrance[]): string {
  const origins = new Set(entrances.map(({ baseUrl }) => new URL(baseUrl).origin))
  return (
    `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src data:; ` +
    `connect-src 'self' ${[...origins].join(' ')}; ${nothingElse}; ${apart}`
  )
}

export function docsPages(entrances: Entrance[]): Page[] {
  const swagger = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  return [
    { path: '/', respond: (exchange) => welcome(exchange, entrances) },
    {
      path: '/docs',
      respond: (exchange) => show(exchange, htmlType, reference(prefixOf(exchange)), referencePolicy(entrances)),
    },
    file('start.js', (prefix) => startScript(prefix)),
    file('style.css', () => style),
    ...['swagger-ui.css', 'swagger-ui-bundle.js'].map((name) =>
      file(
        name,
        onlyOnce(() => readFile(path.join(swagger, name))),
      ),
    ),
    ...vectors.map((name) =>
      file(
        `vectors/${name}.json`,
        onlyOnce(() => readVectors(name)),
      ),
    ),
    ...guideNames.map((name) =>
      file(
        name,
        once((prefix) => guidePage(name, prefix)),
        htmlType,
      ),
    ),
  ]
}

const reference = (prefix: string): string =>
  shell(prefix, {
    title: 'API reference',
    styles: ['swagger-ui.css'],
    scripts: ['swagger-ui-bundle.js', 'start.js'],
    body: '<div id="reference"></div>',
  })

/** Redirects a browser to the reference; gives a program the addresses. No key is needed. */
function welcome(exchange: Exchange, entrances: Entrance[]): void {
  const prefix = prefixOf(exchange)
  if (exchange.request.headers.accept?.includes('text/html') === true) {
    answer(exchange, 302, '', ['Location', `${prefix}/docs`, 'Vary', 'Accept'], ['Content-Type', htmlType])
    return
  }
  const environments = Object.fromEntries(entrances.map(({ environment, baseUrl }) => [environment, baseUrl]))
  const data = { reference: `${prefix}/docs`, openapi: `${prefix}/v1/openapi.json`, environments }
  answer(exchange, 200, successBody(exchange.requestId, { data }), ['Vary', 'Accept'])
}

type Content = string | Buffer

function file(
  name: string,
  read: (prefix: string) => Content | Promise<Content>,
  type = types[path.extname(name)] ?? 'text/plain',
): Page {
  return {
    path: `/docs/${name}`,
    respond: async (exchange) => show(exchange, type, await read(prefixOf(exchange)), guidePolicy),
  }
}

/** Caches the content for each prefix, so that slow callers do not each keep a copy in memory. */
function once<C extends Content>(read: (prefix: string) => Promise<C>): (prefix: string) => Promise<C> {
  const contents = new Map<string, Promise<C>>()
  return (prefix) => {
    const content = contents.get(prefix) ?? read(prefix)
    contents.set(prefix, content)
    content.catch(() => contents.delete(prefix))
    return content
  }
}

/** Caches content that is the same for every prefix. */
function onlyOnce(read: () => Promise<Buffer>): () => Promise<Buffer> {
  const content = once(read)
  return () => content('')
}

/** The prefix comes from the settings and was parsed as a URL, which encodes quotes and angle brackets. */
function prefixOf({ entrance }: Exchange): string {
  return entrance?.prefix ?? ''
}

function show(exchange: Exchange, type: string, body: Content, policy: string): void {
  answer(exchange, 200, body, ['Content-Security-Policy', policy], ['Content-Type', type])
}
