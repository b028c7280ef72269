// An id that somebody typed.

import { OperatorError } from '#base/error.ts'
import { formatId, parseId, type IdKind, type Uuid } from '#base/ids.ts'

export function idOf(kind: IdKind, text: string): Uuid {
  const id = parseId(kind, text)
  if (id === undefined)
    throw new OperatorError(
      `${text} is not the id of a ${kind}: it would begin with ${formatId(kind, zeroId).slice(0, 4)}.`,
    )
  return id
}

const zeroId = '00000000-0000-7000-8000-000000000000' as Uuid
