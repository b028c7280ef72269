// What a person pasted, by its shape; pure.

import { idPrefixes, parseId, type IdKind, type Uuid } from '#base/ids.ts'
import { parsePhoneNumber } from '#directory/phone.ts'

export type Shape =
  /** It must not be looked for, logged or sent anywhere. */
  | { kind: 'secret-key' }
  | { kind: 'id'; of: IdKind; id: Uuid }
  | { kind: 'account-number'; text: string }
  | { kind: 'phone-number'; text: string }
  | { kind: 'e-mail'; text: string }
  | { kind: 'text'; text: string }

/** No reference and no number of a bank or an operator is longer. */
export const queryLengthMax = 200

const secretForm = /(sk_(test|live)_|whsec_)/i

export function shapeOf(unchecked: string): Shape {
  if (secretForm.test(unchecked)) return { kind: 'secret-key' }
  const text = unchecked.trim()
  const deposit = /^DEP([0-9A-HJKMNP-TV-Z]{26})$/.exec(text)?.[1]
  const named = deposit === undefined ? text : `dep_${deposit.toLowerCase()}`
  const of = (Object.keys(idPrefixes) as IdKind[]).find((kind) => parseId(kind, named) !== undefined)
  const id = of === undefined ? undefined : parseId(of, named)
  if (of !== undefined && id !== undefined) return { kind: 'id', of, id }
  if (/^\S+@\S+$/.test(text)) return { kind: 'e-mail', text: text.toLowerCase() }
  // As people write them, in groups.
  const digits = text.replaceAll(/[\s-]/g, '')
  if (/^\d{10}$/.test(digits)) return { kind: 'account-number', text: digits }
  const phone = parsePhoneNumber(digits)
  if (phone !== undefined) return { kind: 'phone-number', text: phone }
  return { kind: 'text', text: /^[\d\s]{20,}$/.test(text) ? digits : text }
}
