// Serves the dashboard's built files (dist/dashboard) from memory. Files below assets/ have a fingerprint in their name
// and never change. For an address that is no file, serves index.html, which does its own routing in the browser;
// `hrefOf` builds such addresses.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { answer, answerFile } from '#api/server/answer.ts'
import type { Exchange } from '#api/server/exchange.ts'
import { dashboardPath } from '#config.ts'
import { present } from '#platform/assert.ts'
import type { Environment } from '#platform/context.ts'
import { formatId, type Uuid } from '#platform/ids.ts'

type AssetPage = { business: Uuid; environment: Environment; path: string; search?: Record<string, string> }

/** The path of a page, such as `/dashboard/b/biz_…/staging/payments?status=queued`. */
export function hrefOf({ business, environment, path, search = {} }: AssetPage): string {
  const query = new URLSearchParams(search).toString()
  const below = `${dashboardPath}/b/${formatId('business', business)}/${environment}/${path}`
  return query === '' ? below : `${below}?${query}`
}

/** The files to serve, by their path below /dashboard/. */
export type DashboardFiles = ReadonlyMap<string, Buffer>

const buildFolder = resolve(import.meta.dirname, '../../../dist/dashboard')
/** scripts/dashboard.js writes this file last, so its presence shows that the build is complete. */
const fingerprintFile = 'fingerprint'
const readAttempts = 5
const readAgainMs = 50

/** Resolves with undefined if there is no complete build. Reads again if another process replaced it meanwhile. */
export async function readDashboardBuild(folder = buildFolder): Promise<DashboardFiles | undefined> {
  for (let attempt = 1; attempt <= readAttempts; attempt++) {
    if (attempt > 1) await delay(readAgainMs)
    const before = await readFingerprint(folder)
    const files = await readFiles(folder).catch(() => undefined)
    const isWhole = before !== undefined && files?.has(page) === true
    if (isWhole && before === (await readFingerprint(folder))) return files
  }
  return undefined
}

function readFingerprint(folder: string): Promise<string | undefined> {
  return readFile(join(folder, fingerprintFile), 'utf8').catch(() => undefined)
}

async function readFiles(folder: string): Promise<DashboardFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = new Map<string, Buffer>()
  for (const entry of entries) {
    if (!entry.isFile() || entry.name === fingerprintFile) continue
    const file = join(entry.parentPath, entry.name)
    files.set(relative(folder, file).split(sep).join('/'), await readFile(file))
  }
  return files
}

type Encoding = 'br' | 'gzip' | 'identity'
type Asset = {
  type: string
  cacheControl: string
  etag: string
  /** Returns the body, which is compressed on the first request and then cached. */
  bodyOf: (encoding: Encoding) => Promise<Buffer>
}

const root = '/dashboard/'
const page = 'index.html'
const fingerprinted = /^assets\//

export function createAssets(files: DashboardFiles): (exchange: Exchange) => Promise<void> {
  const known = new Map<string, Asset>()
  return (exchange) => {
    const below = exchange.path.startsWith(root) ? exchange.path.slice(root.length) : ''
    const name = files.has(below) ? below : page
    const asset = known.get(name) ?? createAsset(name, present(files.get(name), `the build has no ${name}`))
    known.set(name, asset)
    return show(exchange, asset)
  }
}

export function answerMissingBuild(exchange: Exchange): void {
  answer(exchange, 503, missingBuild, [], ['Content-Type', types['html'] ?? ''])
}

async function show(exchange: Exchange, { type, cacheControl, etag, bodyOf }: Asset): Promise<void> {
  const { headers } = exchange.request
  const encoding = encodingOf(headers['accept-encoding'])
  // The tag includes the encoding, because the same content in another encoding has other bytes.
  const tag = `"${etag}-${encoding}"`
  const common = ['ETag', tag, 'Vary', 'Accept-Encoding']
  if (headers['if-none-match']?.split(/\s*,\s*/).includes(tag) === true) {
    return answerFile(exchange, { status: 304, body: undefined, cacheControl, headers: common })
  }
  const coding = encoding === 'identity' ? [] : ['Content-Encoding', encoding]
  const body = await bodyOf(encoding)
  answerFile(exchange, { status: 200, body, cacheControl, headers: [...common, ...coding, 'Content-Type', type] })
}

/**
 * Ignores quality values: an encoding that the browser names is used. No browser that we know of sends one with q=0.
 */
function encodingOf(accepted: string | string[] | undefined): Encoding {
  const names = new Set(
    String(accepted ?? '')
      .split(',')
      .map((part) => part.split(';')[0]?.trim()),
  )
  if (names.has('br')) return 'br'
  return names.has('gzip') ? 'gzip' : 'identity'
}

function createAsset(name: string, content: Buffer): Asset {
  const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
  const made = new Map<Encoding, Promise<Buffer>>([['identity', Promise.resolve(content)]])
  return {
    type,
    cacheControl: fingerprinted.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: createHash('sha256').update(content).digest('base64url').slice(0, 22),
    bodyOf(encoding) {
      const body = made.get(encoding) ?? compress(encoding, content)
      made.set(encoding, body)
      return body
    },
  }
}

/** The result is nearly as small as at the highest quality, in a tenth of the time. */
const brotliQuality = 9

function compress(encoding: Encoding, content: Buffer): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(content, { level: 9 })
  return promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } })
}

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
}

/** The page has no style or script, because those come from the build that is missing. */
const missingBuild = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Manilla</title>
<p>The dashboard is not built. Run <code>npm run build</code> in the folder of Manilla, then restart the service. The API is
not affected.</p>
</html>
`
