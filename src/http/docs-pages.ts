// The API reference in the browser: Swagger UI from its own package, served from here, so that nothing is loaded from
// another host and it works where there is no internet.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { answer } from './answer.ts'
import type { Exchange, Page } from './exchange.ts'

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
}

// Swagger UI sets styles from its script and shows images as data; scripts come from this server alone.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src *; " +
  "font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** What the page loads stands below the prefix that it was reached by: a proxy may pass nothing else on. */
const page = (prefix: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Manilla API reference</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${prefix}/docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="${prefix}/docs/swagger-ui-bundle.js"></script>
    <script src="${prefix}/docs/start.js"></script>
  </body>
</html>
`

const start = (prefix: string): string => `SwaggerUIBundle({
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

export function docsPages(): Page[] {
  return [
    { path: '/docs', respond: (exchange) => show(exchange, '.html', page(prefixOf(exchange))) },
    { path: '/docs/start.js', respond: (exchange) => show(exchange, '.js', start(prefixOf(exchange))) },
    ...['swagger-ui.css', 'swagger-ui-bundle.js'].map(asset),
  ]
}

function asset(name: string): Page {
  const folder = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  // The file is read once, so callers that take it slowly do not each hold a copy.
  let content: Promise<Buffer> | undefined
  return {
    path: `/docs/${name}`,
    respond: async (exchange) => {
      content ??= readFile(path.join(folder, name)).catch((error: unknown) => {
        content = undefined
        throw error
      })
      show(exchange, path.extname(name), await content)
    },
  }
}

/** The prefix comes from the settings and was parsed as a URL, which encodes quotes and angle brackets. */
function prefixOf({ entrance }: Exchange): string {
  return entrance?.prefix ?? ''
}

function show(exchange: Exchange, extension: string, body: string | Buffer): void {
  answer(exchange, 200, body, ['Content-Security-Policy', policy], ['Content-Type', types[extension] ?? 'text/plain'])
}
