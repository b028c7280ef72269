// False answers of a provider to any call: about another payment or amount, with an unknown state, "not found", or
// "exists already". Each fake writes them in its provider's format.

import type { Act, Answer, Asked } from './provider.ts'

export type ProviderWords = {
  missing: Answer
  'no-money': Answer
  'key-refused': Answer
  /** Answers that what the request asks for exists already. */
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

/** All names by which the call identifies its object. */
function namesOf({ path, query, body }: Asked): string[] {
  const members = typeof body === 'object' && body !== null ? Object.values(body) : []
  const texts = members.filter((value): value is string => typeof value === 'string')
  const all = [...path.split('/').map(decodeURIComponent), ...query.values(), ...texts]
  return all.filter((name) => name.length >= 5 && /\d/.test(name))
}

const otherOf = (name: string): string => name.replaceAll(/\d/g, (digit) => String((Number(digit) + 1) % 10))
