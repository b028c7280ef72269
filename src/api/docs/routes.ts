// Serves the documentation below /docs: the site with the guides and the reference, and Swagger UI, from its own package, to
// try requests out. All of it is served from here, so that nothing is loaded from another host and it works without
// internet access.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createRequire } from 'node:module'
import { answer, successBody } from '#api/server/answer.ts'
import type { Exchange, Page } from '#api/server/exchange.ts'
import type { Entrance } from '#config.ts'
import {
  createSite,
  docsFolder,
  frame,
  pageNames,
  postmanFile,
  readPostmanCollection,
  startPage,
  vectors,
  type DocsSite,
  type SiteOptions,
} from './site.ts'

const assets = path.join(import.meta.dirname, 'assets')

/** The script of /docs/try, which starts Swagger UI. It stores no key: a key is gone when the page closes. */
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

/** The scripts of these pages may send no requests: without `connect-src`, `default-src` applies. */
const guidePolicy = `default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; ${nothingElse}`

/**
 * A sandbox without `allow-same-origin` gives the page an origin of its own, so that its scripts cannot use the cookies or
 * the storage of the dashboard at the same address.
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
  const siteOf = once((prefix) => createSite(optionsOf(prefix, entrances)))
  return [
    { path: '/', respond: (exchange) => welcome(exchange, entrances) },
    {
      path: '/docs/try',
      respond: (exchange) =>
        show(exchange, htmlType, tryOut(optionsOf(prefixOf(exchange), entrances)), referencePolicy(entrances)),
    },
    file('start.js', (prefix) => startScript(prefix)),
    file(
      'search.js',
      once((prefix) => siteOf(prefix).searchIndex()),
    ),
    ...['style.css', 'site.js'].map((name) => stored(name, path.join(assets, name))),
    ...['swagger-ui.css', 'swagger-ui-bundle.js'].map((name) => stored(name, path.join(swagger, name))),
    file(
      postmanFile,
      once((prefix) => readPostmanCollection(optionsOf(prefix, entrances).stagingUrl)),
    ),
    ...vectors.map((name) => stored(`vectors/${name}.json`, path.join(docsFolder, `vectors/${name}.json`))),
    ...pageNames().map((name) => sitePage(name, siteOf)),
  ]
}

function sitePage(name: string, siteOf: (prefix: string) => DocsSite): Page {
  const read = once((prefix) => siteOf(prefix).page(name))
  const page = file(name, read, htmlType)
  return name === startPage ? { ...page, path: '/docs' } : page
}

function optionsOf(prefix: string, entrances: Entrance[]): SiteOptions {
  const baseUrlOf = (environment: Entrance['environment'], usual: string): string =>
    entrances.find((entrance) => entrance.environment === environment)?.baseUrl ?? usual
  return {
    addressOf: (name) => (name === startPage ? `${prefix}/docs` : `${prefix}/docs/${name}`),
    openApi: `${prefix}/v1/openapi.json`,
    stagingUrl: baseUrlOf('staging', 'http://127.0.0.1:4000/staging'),
    productionUrl: baseUrlOf('production', 'http://127.0.0.1:4000/production'),
    canTryOut: true,
  }
}

function tryOut(options: SiteOptions): string {
  const own = ['swagger-ui-bundle.js', 'start.js'].map((name) => `<script src="${options.addressOf(name)}"></script>`)
  const body = `<main id="content" class="try"><div id="reference"></div></main>\n${own.join('\n')}`
  return frame(options, 'Try it out', body, `<link rel="stylesheet" href="${options.addressOf('swagger-ui.css')}">`)
}

/** Redirects a browser to the documentation; responds to a program with the addresses. */
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

function stored(name: string, place: string): Page {
  const read = once(() => readFile(place))
  return file(name, () => read(''))
}

/** Caches the result for each prefix, so that a page is rendered once. A failure is not cached. */
function once<T>(make: (prefix: string) => T): (prefix: string) => T {
  const made = new Map<string, T>()
  return (prefix) => {
    const content = made.get(prefix) ?? make(prefix)
    made.set(prefix, content)
    if (content instanceof Promise) content.catch(() => made.delete(prefix))
    return content
  }
}

/**
 * The prefix is safe in HTML: it comes from the settings and was parsed as a URL, which encodes quotes and angle
 * brackets.
 */
function prefixOf({ entrance }: Exchange): string {
  return entrance?.prefix ?? ''
}

function show(exchange: Exchange, type: string, body: Content, policy: string): void {
  answer(exchange, 200, body, ['Content-Security-Policy', policy], ['Content-Type', type])
}
