// False answers of a provider, for any call: about another payment, another amount, an unknown state, a missing or a
// repeated thing. Each fake says how its provider writes them.

import type { Act, Answer, Asked } from './provider.ts'

export type ProviderWords = {
  missing: Answer
  'no-money': Answer
  'key-refused': Answer
  /** It has what it was asked to make. */
  exists(asked: Asked): Answer
}

export function spokenInstead(
  words: ProviderWords,
  asked: Asked,
  work: () => Answer,
): Partial<Record<Act, () => Answer>> {
  const told = (change: (text: string) => string) => (): Answer => {
    const { body, ...answer } = work()
    return { ...answer, body: change(typeof body === 'string' ? body : JSON.stringify(body)) }
  }
  return {
    missing: () => words.missing,
    'no-money': () => words['no-money'],
    'key-refused': () => words['key-refused'],
    duplicate: () => (work(), words.exists(asked)),
    'duplicate-untrue': () => words.exists(asked),
    'other-payment': told((text) =>
      namesOf(asked).reduce((changed, name) => changed.replaceAll(name, otherOf(name)), text),
    ),
    'other-amount': told((text) => text.replaceAll(/"(\w*amount)":("?)(?=\d)/gi, '"$1":$27')),
    'odd-word': told((text) => text.replaceAll(/"(status|\w+Status)":"[^"]+"/g, '"$1":"parked"')),
  }
}

/** Everything by which the call names what it is about. */
function namesOf({ path, query, body }: Asked): string[] {
  const members = typeof body === 'object' && body !== null ? Object.values(body) : []
  const texts = members.filter((value): value is string => typeof value === 'string')
  const all = [...path.split('/').map(decodeURIComponent), ...query.values(), ...texts]
  return all.filter((name) => name.length >= 5 && /\d/.test(name))
}

const otherOf = (name: string): string => name.replaceAll(/\d/g, (digit) => String((Number(digit) + 1) % 10))
