// The documentation in the browser: the API reference by Swagger UI, from its own package, and the guides of docs/. All of
// it is served from here, so that nothing is loaded from another host and it works where there is no internet.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Entrance } from '#config.ts'
import { answer } from '#http/answer.ts'
import { successBody } from '#http/envelope.ts'
import type { Exchange, Page } from '#http/exchange.ts'
import { guideNames, guidePage, readVectors, vectors } from './guides.ts'
import { shell, style } from './shell.ts'
import { startScript } from './start-script.ts'

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
}
const html = 'text/html; charset=utf-8'

const nothingElse = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const guidePolicy = `default-src 'none'; style-src 'self'; img-src data:; ${nothingElse}`

/** Without `allow-same-origin`: what this page runs is of no origin, and no cookie of the dashboard goes along with it. */
const apart = 'sandbox allow-scripts allow-forms allow-popups'

/** Swagger UI sets styles from its script and shows images as data; what is tried out is sent to this service alone. */
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
      respond: (exchange) => show(exchange, html, reference(prefixOf(exchange)), referencePolicy(entrances)),
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
        html,
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

/** A browser is led to the reference; a program is told where everything is. Nothing here needs a key. */
function welcome(exchange: Exchange, entrances: Entrance[]): void {
  const prefix = prefixOf(exchange)
  if (exchange.request.headers.accept?.includes('text/html') === true) {
    answer(exchange, 302, '', ['Location', `${prefix}/docs`, 'Vary', 'Accept'], ['Content-Type', html])
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

/** Read once for each prefix, so callers that take it slowly do not each hold a copy. */
function once<C extends Content>(read: (prefix: string) => Promise<C>): (prefix: string) => Promise<C> {
  const contents = new Map<string, Promise<C>>()
  return (prefix) => {
    const content = contents.get(prefix) ?? read(prefix)
    contents.set(prefix, content)
    content.catch(() => contents.delete(prefix))
    return content
  }
}

/** What is the same below every prefix. */
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
