// Plays the examples of the API description on a running service. What the service makes up, ids and account numbers
// above all, is learned where it first comes, and stands for the example's from then on: so an example that contradicts
// another one is noticed.

import { expect } from 'vitest'
import { expectSuccess, type Answer, type Client } from '#tests/support/client.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { faultsOf, operationOf, type Json } from './document.ts'

/** What the service makes up, and is the same wherever it is spoken of. */
const madeUp = [
  /^[a-z]{2,3}_[0-9a-z]{26}$/,
  /^(DEP|SAMPLE-|TEST-)[0-9A-Z]{26}$/,
  /^whsec_[A-Za-z0-9+/]{43}=$/,
  /^whsec_….{5}$/,
  /^\d{30}$/,
  /^SIM\d{12}$/,
]
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

export type Story = {
  /** From now on this stands for the example's. */
  learn(example: string, actual: string): void
  /**
   * Sends an operation's example, and holds the answer against schema and example; a read is asked again until it is as
   * shown. `learns`: fields whose value the service chooses here.
   */
  play(id: string, options?: { variant?: string; learns?: string[] }): Promise<Answer>
  /** Sends what is not an example, in the words of the examples. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>
  /** An example in the words of this service. */
  translated<T>(example: T): T
}

export function createStory(client: Client): Story {
  const known = new Map<string, string>()

  function translated<T>(example: T): T {
    let text = JSON.stringify(example)
    for (const [shown, actual] of known) text = text.replaceAll(shown, actual)
    return JSON.parse(text) as T
  }

  function learnFrom(example: unknown, actual: unknown, learns: string[], name = ''): void {
    if (typeof example === 'string' && typeof actual === 'string') {
      const isMadeUp = madeUp.some((form) => form.test(example) && form.test(actual))
      // What is known already was translated, and has to be the same.
      const isNew = ![...known.values()].includes(example)
      if (isNew && (isMadeUp || learns.includes(name))) known.set(example, actual)
    } else if (typeof example === 'object' && example !== null && typeof actual === 'object' && actual !== null) {
      for (const [key, value] of Object.entries(example)) learnFrom(value, (actual as Json)[key], learns, key)
    }
  }

  const ask: Story['ask'] = (method, path, body) =>
    client.call(translated(path), { method, body: translatedBody(body) })
  const translatedBody = (body: unknown): unknown => (body === undefined ? undefined : translated(body))

  return {
    learn: (example, actual) => void known.set(example, actual),
    translated,
    ask,
    async play(id, { variant, learns = [] } = {}) {
      const { method, path, operation } = operationOf(id)
      const media = operation['responses']['200'].content['application/json']
      const example = variant === undefined ? media.example : media.examples[variant].value
      const playOnce = async (): Promise<Answer> => {
        const answer = await ask(method, pathOf(path, operation), exampleOf(operation))
        expect(faultsOf(media.schema, answer.body), id).toEqual([])
        learnFrom(translated(example.data), expectSuccess(answer), learns)
        expect({ id, body: unspecific(answer.body) }).toEqual({ id, body: unspecific(translated(example)) })
        return answer
      }
      return method === 'GET' ? untilHolds(playOnce) : playOnce()
    },
  }
}

/** The path with the examples of its parameters. */
export function pathOf(path: string, { parameters = [] }: Json): string {
  const shown = (parameters as Json[]).filter((one) => one['example'] !== undefined)
  const query = shown.filter((one) => one['in'] === 'query').map((one) => `${one['name']}=${one['example']}`)
  const filled = shown.reduce((whole, one) => whole.replace(`{${one['name']}}`, String(one['example'])), path)
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}

function exampleOf({ requestBody }: Json): unknown {
  return requestBody?.content['application/json'].example
}

/** Without what is another one each time: times, how long something took, the request's id, a cursor, which has a time. */
function unspecific(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (key, value: unknown) => {
    if (['cursor', 'durationMs', 'requestId'].includes(key)) return `<${key}>`
    return typeof value === 'string' && time.test(value) ? '<time>' : value
  })
}
