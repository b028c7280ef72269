// The documentation as a browser gets it: the guides, the reference, the search, and the page that tries requests out.

import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startScript } from '#api/docs/routes.ts'
import { pageNames, startPage } from '#api/docs/site.ts'
import { writeSite } from '#scripts/docs.ts'
import { document, operations } from '#tests/openapi/document.ts'
import { newFolder } from '#tests/support/run.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { useFrontDoor } from '#tests/support/front-door.ts'

const door = await useFrontDoor()
const addressesIn = (html: string): string[] =>
  [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = '']) => address)

describe.each(['', '/staging', '/production'])('GET / below %j', (prefix) => {
  it.each(['', '/'])('leads a browser to the documentation (%j)', async (slash) => {
    const path = `${prefix}${slash}`
    const answer = await door.stranger.call(path, { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
    expect([answer.status, answer.headers.location, answer.headers.vary]).toEqual([302, `${prefix}/docs`, 'Accept'])
    expect((await door.stranger.get(`${prefix}/docs`)).status).toBe(200)
  })

  it.each([{}, { Accept: 'application/json' }, { Accept: '*/*' }])(
    'tells a program where everything is (%j)',
    async (headers) => {
      const data = expectSuccess(await door.stranger.call(`${prefix}/`, { headers }))
      const environments = { staging: `${door.url}/staging`, production: `${door.url}/production` }
      expect(data).toEqual({ reference: `${prefix}/docs`, openapi: `${prefix}/v1/openapi.json`, environments })
      for (const path of [data.reference, data.openapi]) expect((await door.stranger.get(path)).status).toBe(200)
    },
  )
})

it('the samples at the root call the port that the system chose', async () => {
  const { text } = await door.stranger.get('/docs')
  expect(text).toContain(`${door.url}/staging`)
  expect(text).not.toContain('127.0.0.1:0')
})

it('POST / is refused, and says what there is', async () => {
  expectError(await door.stranger.post('/', {}), 405, 'METHOD_NOT_ALLOWED')
})

const pagesBelow = (prefix: string): string[] =>
  pageNames().map((name) => (name === startPage ? `${prefix}/docs` : `${prefix}/docs/${name}`))

describe.each(['', '/staging'])('the pages below %j', (prefix) => {
  const pages = pagesBelow(prefix)

  it.each(pages)('%s has its menu, and each of its links leads somewhere', async (address) => {
    const page = await door.stranger.get(address)
    expect(page.status).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.text).toMatch(/<main id="content"[^>]*><h1 id="[\w-]+">/)
    expect(page.text.match(/aria-current="page"/g)).toHaveLength(1)
    const own = addressesIn(page.text).filter((one) => !/^(https?|data):/.test(one))
    expect(own).toEqual(expect.arrayContaining([...pages, `${prefix}/docs/try`]))
    for (const one of new Set(own)) {
      const [path = '', fragment] = one.split('#')
      const there = path === '' ? page : await door.stranger.get(path)
      expect([one, there.status]).toEqual([one, 200])
      expect(fragment === undefined || there.text.includes(`id="${fragment}"`), one).toBe(true)
    }
  })

  it.each(pages)('%s runs the script of the site alone, which can send nothing', async (address) => {
    const { headers, text } = await door.stranger.get(address)
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(/^default-src 'none'; style-src 'self'; script-src 'self'; img-src data:;/)
    expect(policy).not.toMatch(/connect-src|unsafe/)
    expect(text.match(/<script[^>]*>/g)).toEqual([
      `<script src="${prefix}/docs/site.js" data-search="${prefix}/docs/search.js">`,
    ])
    expect(text).not.toMatch(/ style=| on\w+=/)
  })
})

it('the search knows every page, and each address that it gives', async () => {
  const { text } = await door.stranger.get('/staging/docs/search.js')
  const entries = JSON.parse(text.replace('globalThis.manillaSearch = ', '')) as { address: string; title: string }[]
  const found = new Set(entries.map(({ address }) => address.split('#')[0]))
  expect([...found].toSorted()).toEqual(pagesBelow('/staging').toSorted())
  expect(entries.find(({ title }) => title === 'INSUFFICIENT_BALANCE')?.address).toBe(
    '/staging/docs/errors#insufficient_balance',
  )
})

it('samples call the base address of staging', async () => {
  const own = await useFrontDoor({ settings: { STAGING_BASE_URL: 'https://pay.example.com/test' } })
  for (const path of ['/docs', '/docs/reference/transfers']) {
    const { text } = await own.stranger.get(path)
    expect(text).toContain('https://pay.example.com/test/v1/transfers/initiate')
    expect(text).not.toContain('127.0.0.1:4000')
  }
})

describe('the reference', () => {
  it('shows every operation with its call in five languages and the answer to it', async () => {
    for (const { id, operation } of operations) {
      const { text } = await door.stranger.get(
        `/docs/reference/${operation['tags'][0].toLowerCase().replace(' ', '-')}`,
      )
      const section = text.split('<section class="operation">').find((one) => one.includes(`<h2 id="${id}">`)) ?? ''
      const labels = [...section.matchAll(/data-label="(\w+)"/g)].map(([, label]) => label)
      expect([id, ...labels]).toEqual([id, 'curl', 'TypeScript', 'Python', 'PHP', 'Go'])
      expect(section).toContain('<p class="caption">Answer</p>')
    }
  })

  it('lists the fields of an answer, and those of the objects in a body', async () => {
    const { text } = await door.stranger.get('/docs/reference/transfers')
    const [, single = '', bulk = ''] = text.split('<section class="operation">')
    expect(single).toMatch(
      /Fields of <code>data<\/code>[^]*<code>failureReason<\/code><p>One of [^]*or <code>null<\/code>/,
    )
    expect(single).toContain('<code>accountNumber</code> <span class="required">required</span><p>string, 10 digits')
    expect(bulk).toMatch(/Fields of each[^]*<code>bankSlug<\/code> <span class="required">/)
  })

  it('shows the payload of every event', async () => {
    const { text } = await door.stranger.get('/docs/reference/events')
    for (const name of Object.keys(document['webhooks'])) expect(text).toContain(`<code>${name}</code></h2>`)
    expect((await door.stranger.get('/docs/events')).text).toContain('reference/events#receiveTransferSuccess"><code>')
    expect(text.match(/<p class="caption">Payload<\/p>/g)).toHaveLength(Object.keys(document['webhooks']).length)
  })

  it('sends trial requests to this service only', async () => {
    const own = await useFrontDoor({ settings: { PRODUCTION_BASE_URL: 'https://pay.example.com/api' } })
    const policy = String((await own.stranger.get('/docs/try')).headers['content-security-policy'])
    const allowed = /connect-src ([^;]+)/.exec(policy)?.[1]?.split(' ')
    expect(allowed).toEqual(["'self'", own.url, 'https://pay.example.com'])
  })
})

it('serves the Postman collection, which calls this staging', async () => {
  const { text } = await door.stranger.get('/docs/manilla.postman_collection.json')
  const { variable } = JSON.parse(text) as { variable: { key: string; value: string }[] }
  expect(variable.find(({ key }) => key === 'base_url')?.value).toBe(`${door.url}/staging`)
})

it('npm run docs writes the same pages, whose links lead from file to file', async () => {
  const folder = await newFolder('docs')
  await writeSite(folder)
  const files = await readdir(folder)
  expect(files).toEqual(
    expect.arrayContaining(['index.html', 'receive-money.html', 'reference-transfers.html', 'search.js']),
  )
  for (const file of files.filter((name) => name.endsWith('.html'))) {
    const text = await readFile(join(folder, file), 'utf8')
    const local = addressesIn(text).filter((address) => !/^(https?|data):|^#/.test(address))
    for (const address of local) {
      expect(existsSync(join(folder, address.split('#')[0] ?? '')), `${file} → ${address}`).toBe(true)
    }
  }
})

describe('the page that tries requests out', () => {
  it('is apart from the dashboard of the same address: of no origin, and without its cookies', async () => {
    const policy = String((await door.stranger.get('/docs/try')).headers['content-security-policy'])
    expect(policy.split('; ')).toContain('sandbox allow-scripts allow-forms allow-popups')
  })

  it('keeps no key, which a page of no origin could not', () => {
    expect(startScript('')).toContain('persistAuthorization: false')
    expect(startScript('')).not.toMatch(/sessionStorage|localStorage/)
  })
})
