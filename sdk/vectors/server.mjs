// A server that plays scripts over real HTTP, for the tests of every SDK: `node sdk/vectors/server.mjs --port 0`.
// It prints its address as the first line of its output. README.md describes the format of scripts and records.

import { createServer } from 'node:http'

const bodyBytesMax = 8 * 1024 * 1024
const scripts = new Map()
let lastId = 0

const server = createServer((request, response) => {
  const chunks = []
  let bytes = 0
  request.on('data', (chunk) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > bodyBytesMax) request.destroy()
  })
  request.on('end', () => route(request, Buffer.concat(chunks).toString('utf8'), response))
})

function route(request, body, response) {
  const [, first = '', second] = (request.url ?? '').split(/[/?]/)
  if (first === '__scripts') return control(request.method, second, body, response)
  const script = scripts.get(first)
  if (script === undefined) return answerJson(response, 404, { message: `There is no script ${first}.` })
  play(script, record(script, request, body, first), request, response)
}

function control(method, id, body, response) {
  if (method === 'POST' && id === undefined) {
    const newId = `s${(lastId += 1)}`
    scripts.set(newId, { steps: JSON.parse(body).steps, requests: [], unexpected: 0 })
    return answerJson(response, 200, { id: newId, baseUrl: `http://127.0.0.1:${server.address().port}/${newId}` })
  }
  const script = scripts.get(id)
  if (script === undefined) return answerJson(response, 404, { message: `There is no script ${id}.` })
  if (method === 'DELETE') scripts.delete(id)
  const { requests, unexpected, steps } = script
  answerJson(response, 200, { requests, unexpected, left: Math.max(0, steps.length - requests.length) })
}

/** Records the client's request, decoded, so that tests need not know how a language encodes a path. */
function record(script, request, body, id) {
  const [rawPath, ...rawQuery] = request.url.split('?')
  const path = decodeURIComponent(rawPath.slice(id.length + 1))
  const kept = {
    request: `${request.method} ${path}`,
    rawPath: rawPath.slice(id.length + 1),
    query: Object.fromEntries(new URLSearchParams(rawQuery.join('?'))),
    headers: request.headers,
    body: body === '' ? null : body,
  }
  script.requests.push(kept)
  return kept
}

function play(script, asked, request, response) {
  const step = script.steps[script.requests.length - 1]
  if (step === undefined || (step.request !== undefined && step.request !== asked.request)) {
    script.unexpected += 1
    // A 4xx, which no client repeats.
    return answerJson(response, 418, {
      success: false,
      error: { code: 'UNEXPECTED_REQUEST', message: `The script expected ${step?.request ?? 'no further request'}.` },
    })
  }
  if (step.hang === true) return undefined
  const act = () => {
    if (step.cut === 'before') return request.socket.destroy()
    const text = step.bulk === undefined ? (step.text ?? JSON.stringify(step.body)) : bulkAnswer(step.bulk, asked)
    const bytes = Buffer.from(text ?? '', 'utf8')
    response.writeHead(step.status ?? 200, {
      'Content-Type': 'application/json',
      'Content-Length': bytes.length,
      Connection: 'close',
      ...step.headers,
    })
    if (step.cut !== 'half') return response.end(request.method === 'HEAD' ? undefined : bytes)
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => request.socket.destroy())
  }
  if (step.delayMs === undefined) return act()
  const timer = setTimeout(act, step.delayMs)
  request.socket.on('close', () => clearTimeout(timer))
}

/** The service's answer to a bulk request: refuses the items at the given places, and accepts all others. */
function bulkAnswer({ refuse = [] }, asked) {
  const { transfers } = JSON.parse(asked.body)
  const results = transfers.map((item, index) => {
    const { reference } = item
    if (refuse.includes(index)) {
      const error = { code: 'INVALID_BANK', message: 'There is no bank with this slug.' }
      return { index, reference, outcome: 'refused', transfer: null, error }
    }
    const transfer = { id: `trf_${reference}`, status: 'queued', isFinal: false, ...item }
    return { index, reference, outcome: 'accepted', transfer, error: null }
  })
  const refused = results.filter(({ outcome }) => outcome === 'refused').length
  const data = { results, accepted: results.length - refused, replayed: 0, refused }
  return JSON.stringify({ success: true, data, requestId: 'bulk-request' })
}

function answerJson(response, status, value) {
  response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' })
  response.end(JSON.stringify(value))
}

const place = process.argv.indexOf('--port')
server.listen(place === -1 ? 0 : Number(process.argv[place + 1]), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
})
// A test that dies leaves no server behind: its end of the pipe closes.
process.stdin.on('end', () => process.exit(0)).resume()
