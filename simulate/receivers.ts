// The receivers of webhooks: they answer 200, an error or a redirect, or hang or close, and record what they received.

import { startReceiver, type Behaviour, type Delivered } from '#tests/support/receiver.ts'
import type { Chance } from './seed.ts'

export type Receivers = {
  url(path: string): string
  at(path: string): Delivered[]
  /** Draws how a path answers from now on. */
  trouble(path: string, chance: Chance): void
  /** Makes all receivers healthy and answers the requests that hang with 500. */
  heal(): void
  /** The number of unanswered requests. */
  underWay(): number
  close(): Promise<void>
}

const ills: Behaviour[] = [500, 503, 302, 'hang', 'close', { status: 429, headers: { 'Retry-After': '7' } }]

export async function startReceivers(): Promise<Receivers> {
  const receiver = await startReceiver()
  const paths = new Set<string>()
  return {
    url: (path) => receiver.url(path),
    at: (path) => receiver.at(path),
    trouble(path, chance) {
      paths.add(path)
      receiver.behave(path, chance.happens(0.4) ? 200 : chance.pick(ills))
    },
    heal() {
      for (const path of paths) receiver.behave(path, 200)
      receiver.answerAll(500)
    },
    underWay: () => receiver.hanging(),
    close: () => receiver.close(),
  }
}
