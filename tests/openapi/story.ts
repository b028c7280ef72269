// Plays the examples of the API description on a running service. When an answer first shows a value that the service
// chooses, such as an id or an account number, the test learns it and uses it in place of the example's value from then
// on. So it notices examples that contradict each other.

import { expect } from 'vitest'
import { expectSuccess, type Answer, type Client } from '#tests/support/client.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { faultsOf, operationOf, type Json } from './document.ts'

/** Values that the service chooses and repeats in other answers. */
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
  /** Makes this value stand for the example's from now on. */
  learn(example: string, actual: string): void
  /**
   * Sends an operation's example, and compares the answer with schema and example; repeats a read until it is as shown.
   * `learns`: fields whose value the service chooses here.
   */
  play(id: string, options?: { variant?: string; learns?: string[] }): Promise<Answer>
  /** Sends a request that is no example, with the example's values replaced. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>
  /** The example with its values replaced by this service's. */
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
      // A known value was replaced already and has to be equal.
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

export function pathOf(path: string, { parameters = [] }: Json): string {
  const shown = (parameters as Json[]).filter((one) => one['example'] !== undefined)
  const query = shown.filter((one) => one['in'] === 'query').map((one) => `${one['name']}=${one['example']}`)
  const filled = shown.reduce((whole, one) => whole.replace(`{${one['name']}}`, String(one['example'])), path)
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}

function exampleOf({ requestBody }: Json): unknown {
  return requestBody?.content['application/json'].example
}

/** Leaves out values that differ each time: times, durations, the request's id, and cursors, which contain a time. */
function unspecific(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (key, value: unknown) => {
    if (['cursor', 'durationMs', 'requestId'].includes(key)) return `<${key}>`
    return typeof value === 'string' && time.test(value) ? '<time>' : value
  })
}
