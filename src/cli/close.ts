// A person says of something that waits for one that they have looked.

import type { Context } from '#base/context.ts'
import { OperatorError } from '#base/error.ts'
import type { IdKind, Uuid } from '#base/ids.ts'
import { withContext } from './database.ts'
import { idOf } from './id-of.ts'
import { noteIn } from './note.ts'
import { formatTime, type Output } from './output.ts'
import { readConfig } from './settings.ts'

type Closed = { closedAt: Date | null; note: string | null }

export type Closing<T extends Closed> = {
  kind: IdKind
  close: (
    ctx: Context,
    id: Uuid,
    note: string,
  ) => Promise<{ kind: 'closed' | 'was-closed'; closed: T } | { kind: 'not-found' }>
  documentOf: (closed: T) => unknown
  /** What there is none of, and how to see which there are. */
  missing: string
}

export async function closeByHand<T extends Closed>(
  output: Output,
  id: string,
  options: { note: string },
  { kind, close, documentOf, missing }: Closing<T>,
): Promise<void> {
  const uuid = idOf(kind, id)
  const note = noteIn(options)
  const outcome = await withContext(readConfig(), output.step, (ctx) => close(ctx, uuid, note))
  if (outcome.kind === 'not-found') throw new OperatorError(`There is no ${missing}`)
  const { closed } = outcome
  const told =
    outcome.kind === 'closed'
      ? `Closed ${id}.`
      : `${id} was closed before, at ${formatTime(closed.closedAt)}: ${closed.note ?? ''}`
  output.result(documentOf(closed), told)
}
