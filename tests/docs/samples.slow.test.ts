// The sample call that the reference shows for an operation sends that operation, in every language.

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readDescription } from '#api/docs/description.ts'
import { samplesOf } from '#api/docs/samples.ts'
import { docsFolder } from '#api/docs/site.ts'
import { languages } from './snippets.ts'

const { operations, schemas } = readDescription(docsFolder)
const staging = 'http://127.0.0.1:4000/staging'
const key = `sk_test_${'0'.repeat(40)}`
const refusal = '{"success":false,"error":{"code":"VALIDATION_ERROR","message":"no"},"requestId":"r"}'

let server: Server
let asked: string[] = []
const baseUrl = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/staging`

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    asked.push(`${request.method} ${pathname.replace('/staging', '')}`)
    request.resume()
    // Clients do not repeat a refused request, so each sample makes one request.
    response.writeHead(400, { 'Content-Type': 'application/json' }).end(refusal)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => server.close())

const indented = (code: string, by: string): string => code.replaceAll(/^(?=.)/gm, by)

/** Wraps the samples so that the program goes on after a refused call. */
const programs: Record<string, (codes: string[]) => string[]> = {
  sh: (codes) => codes.map((code) => `${code} || true\n`),
  ts: (codes) => [
    "import { Manilla } from '@manilla/sdk'\nconst manilla = new Manilla({ apiKey: process.env['MANILLA_API_KEY'] ?? '' })\n",
    ...codes.map((code) => `try {\n${code}\n} catch {}\n`),
  ],
  python: (codes) => [
    'import os\nfrom manilla import Manilla, ManillaError\nmanilla = Manilla(os.environ["MANILLA_API_KEY"])\n',
    ...codes.map((code) => `try:\n${indented(code, '    ')}\nexcept ManillaError:\n    pass\n`),
  ],
  php: (codes) => [
    "$manilla = new Manilla\\Manilla(getenv('MANILLA_API_KEY'));\n",
    ...codes.map((code) => `try {\n${code}\n} catch (Manilla\\ManillaException) {\n}\n`),
  ],
  go: (codes) => [
    'ctx := context.Background()\nclient, err := manilla.New(os.Getenv("MANILLA_API_KEY"), manilla.Options{})\nif err != nil {\n\tpanic(err)\n}\n',
    ...codes.map((code) => {
      const noun = /^(\w+), err :=/.exec(code)?.[1]
      return `_ = func() error {\n${code}\n${noun === undefined ? '' : `\tfmt.Sprint(${noun}, err)\n`}\treturn nil\n}()\n`
    }),
  ],
}

describe.each(Object.entries(languages))('%s', (name, { missing, run }) => {
  it.skipIf(missing !== undefined)(
    `sends what the reference says${missing === undefined ? '' : `: ${missing}`}`,
    async () => {
      const codes = operations.map((operation) => {
        const samples = samplesOf(operation, staging, (type) => schemas[type] ?? {})
        return samples.find(({ language }) => language === name)?.code ?? ''
      })
      expect(codes).not.toContain('')
      asked = []
      const { code, text } = await run(programs[name]?.(codes) ?? [], { key, baseUrl: baseUrl() })
      expect(code, text).toBe(0)
      const wanted = operations.map(({ verb, route, path: parts }) =>
        parts.reduce((address, part) => address.replace(`{${part.name}}`, String(part.example)), `${verb} ${route}`),
      )
      expect(asked).toEqual(wanted)
    },
  )
})
