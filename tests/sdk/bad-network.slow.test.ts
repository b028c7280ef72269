// Payments through a network that loses requests and answers, to the whole service: each SDK sends what
// sdk/vectors/README.md says, and each reference is one transfer in the books. The scripted server of the vectors
// proves only the requests.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, describe, it } from 'vitest'
import { languages } from '#tests/docs/snippets.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'

type Fault = {
  /** False if the request is lost on its way to the service. */
  arrives: boolean
  /** In place of the service's answer to the first request; undefined: no answer until the client gives up. */
  answer?: (response: ServerResponse, actual: Buffer) => void
  requests: string
  /** The program's output: its requests and whether it read the record, or the kind of the error. */
  told: string
}

const timeoutMs = 5000
const [recovered, sentAgain] = [
  { requests: 'POST GET', told: '1 recovered' },
  { requests: 'POST GET POST', told: '2 sent' },
]

const faults: Record<string, Fault> = {
  none: { arrives: true, requests: 'POST', told: '1 sent', answer: (response, actual) => response.end(actual) },
  late: {
    arrives: true,
    ...recovered,
    answer: (response, actual) => void setTimeout(() => response.end(actual), 2 * timeoutMs).unref(),
  },
  never: { arrives: true, ...recovered },
  lost: { arrives: false, ...sentAgain },
  failed: { arrives: true, ...recovered, answer: (response) => response.writeHead(500).end('{}') },
  refused: { arrives: false, ...sentAgain, answer: (response) => response.writeHead(503).end('{}') },
  half: {
    arrives: true,
    ...recovered,
    answer: (response, actual) => response.end(actual.subarray(0, actual.length / 2)),
  },
  cut: { arrives: true, ...recovered, answer: (response) => response.destroy() },
  limited: {
    arrives: false,
    requests: 'POST',
    told: 'rate_limit',
    answer: (response) => response.writeHead(429, { 'Retry-After': '1' }).end('{}'),
  },
}

const service = await useService({ settings: { SANDBOX_SETTLE_MS: '10' } })
/** `POST` and `GET` by reference, in order of arrival. */
const requests = new Map<string, string[]>()

const network = createServer((request, response) => void carry(request, response)).listen(0, '127.0.0.1')
afterAll(() => {
  network.closeAllConnections()
  network.close()
})
await once(network, 'listening')
const baseUrl = `http://127.0.0.1:${(network.address() as AddressInfo).port}/staging`

async function carry(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '' } = request
  const body = await buffer(request)
  const reference = method === 'POST' ? (JSON.parse(String(body)).reference as string) : (url.split('/').at(-1) ?? '')
  const seen = requests.get(reference) ?? []
  requests.set(reference, [...seen, method])
  const fault = seen.length === 0 ? faults[reference.split('-')[1] ?? ''] : undefined
  const actual = fault?.arrives === false ? Buffer.alloc(0) : await forwarded(request, body, response)
  if (fault === undefined) response.end(actual)
  else fault.answer?.(response, actual)
}

/** Passes the request on, and returns the answer with its status. */
async function forwarded(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<Buffer> {
  const headers = {
    Authorization: request.headers.authorization ?? '',
    ...(body.length === 0 ? {} : { 'Content-Type': 'application/json' }),
  }
  const init = body.length === 0 ? { headers } : { method: 'POST', headers, body }
  const answer = await fetch(`${service.url}${request.url}`, init)
  response.statusCode = answer.status
  response.setHeader('Content-Type', 'application/json')
  return Buffer.from(await answer.arrayBuffer())
}

type Sent = { reference: string; totalDebit: number }

const names = Object.keys(faults)

const programs: Record<string, string> = {
  ts: `
import { Manilla, ManillaError } from '@manilla/sdk'

const manilla = new Manilla({ apiKey: process.env.MANILLA_API_KEY!, timeoutMs: ${timeoutMs} })
for (const name of '${names.join(' ')}'.split(' ')) {
  try {
    const { lastResponse } = await manilla.transfers.initiate({
      reference: 'ts-' + name, amount: 1000, bankSlug: 'guaranty-trust-bank', accountNumber: '0123456789', accountName: 'ADA OBI',
    })
    console.log(name, lastResponse.attempts, lastResponse.recovered ? 'recovered' : 'sent')
  } catch (error) {
    if (!(error instanceof ManillaError)) throw error
    console.log(name, error.kind)
  }
}`,
  python: `
import os
from manilla import Manilla, ManillaError, last_response

manilla = Manilla(os.environ["MANILLA_API_KEY"], timeout=${timeoutMs / 1000})
for name in "${names.join(' ')}".split():
    try:
        meta = last_response(manilla.transfers.initiate({
            "reference": f"python-{name}", "amount": 1000, "bankSlug": "guaranty-trust-bank",
            "accountNumber": "0123456789", "accountName": "ADA OBI",
        }))
        print(name, meta.attempts, "recovered" if meta.recovered else "sent")
    except ManillaError as error:
        print(name, error.kind)`,
  php: `
$manilla = new Manilla\\Manilla(getenv('MANILLA_API_KEY'), timeout: ${timeoutMs / 1000});
foreach (explode(' ', '${names.join(' ')}') as $name) {
    try {
        $meta = $manilla->transfers->initiate([
            'reference' => "php-$name", 'amount' => 1000, 'bankSlug' => 'guaranty-trust-bank',
            'accountNumber' => '0123456789', 'accountName' => 'ADA OBI',
        ])->lastResponse;
        echo "$name {$meta->attempts} ", $meta->recovered ? 'recovered' : 'sent', "\\n";
    } catch (Manilla\\ManillaException $error) {
        echo "$name {$error->kind}\\n";
    }
}`,
  go: `
ctx := context.Background()
client, err := manilla.New(os.Getenv("MANILLA_API_KEY"), manilla.Options{Timeout: ${timeoutMs} * time.Millisecond})
if err != nil {
	log.Fatal(err)
}
for _, name := range []string{${names.map((name) => `"${name}"`).join(', ')}} {
	sent, err := client.Transfers.Initiate(ctx, manilla.TransferRequest{
		Reference: "go-" + name, Amount: 1000, BankSlug: "guaranty-trust-bank", AccountNumber: "0123456789", AccountName: "ADA OBI",
	})
	var failed *manilla.Error
	if errors.As(err, &failed) {
		fmt.Println(name, failed.Kind)
	} else if sent.Recovered {
		fmt.Println(name, sent.Attempts, "recovered")
	} else {
		fmt.Println(name, sent.Attempts, "sent")
	}
}
`,
}

describe.concurrent.each(Object.entries(programs))('through a bad network, the SDK for %s', (name, program) => {
  const { missing, run } = languages[name] ?? { missing: 'unknown', run: undefined }
  it.skipIf(missing !== undefined)(
    `makes one transfer of each reference${missing === undefined ? '' : `: ${missing}`}`,
    async ({ expect }) => {
      const { testKey, staging } = await service.addBusiness(name)
      const balance = async (): Promise<number> => (await staging.get('/v1/balance')).body.data.balances[0].ledger
      const before = await balance()
      const outcome = await run?.([program], { key: testKey, baseUrl })
      const all = Object.entries(faults)
      expect(outcome).toEqual({ code: 0, text: all.map(([fault, { told }]) => `${fault} ${told}\n`).join('') })
      for (const [fault, { requests: wanted }] of all) {
        expect([fault, requests.get(`${name}-${fault}`)?.join(' ')]).toEqual([fault, wanted])
      }

      const paid = all.filter(([, { told }]) => told !== 'rate_limit').map(([fault]) => `${name}-${fault}`)
      await untilHolds(async () => {
        const transfers = (await staging.get('/v1/transfers')).body.data.transfers as Sent[]
        expect(transfers.map(({ reference }) => reference).toSorted()).toEqual(paid.toSorted())
        const debited = transfers.reduce((sum, { totalDebit }) => sum + totalDebit, 0)
        expect(before - (await balance())).toBe(debited)
      })
    },
  )
})
