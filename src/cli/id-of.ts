// An id that somebody typed.

import { OperatorError } from '#base/error.ts'
import { idPrefixes, parseId, type IdKind, type Uuid } from '#base/ids.ts'

export function idOf(kind: IdKind, text: string): Uuid {
  const id = parseId(kind, text)
  if (id === undefined) {
    const prefix = `${idPrefixes[kind]}_`
    const form = `it is ${prefix} and 26 letters and digits`
    throw new OperatorError(
      `${text} is not the id of ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}: ${form}. See: npx manilla ${listed[kind] ?? '--help'}`,
    )
  }
  return id
}

const listed: Partial<Record<IdKind, string>> = {
  business: 'businesses list',
  exception: 'exceptions list',
  key: 'keys list',
  railBreak: 'rails breaks',
}
