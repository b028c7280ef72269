// Which letters a person gets, and which they have switched off.

import type { Context } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { chosen, chosenKinds, installation, type ChosenKind } from './letter.ts'
import { listChoices, writeChoice } from './queries.ts'

export type LetterChoice = { kind: ChosenKind; title: string; wants: boolean }

/** A member of a business, and what they are there. */
export type LetterReader = { personId: Uuid; businessId: Uuid; role: string; isOperator: boolean }

/** The letters that this person may get in this business and, for an operator, about the installation. */
export async function readChoices({ db }: Pick<Context, 'db'>, reader: LetterReader): Promise<LetterChoice[]> {
  const made = await listChoices(db, reader.personId, [reader.businessId, installation])
  return chosenKinds
    .filter((kind) => mayGet(kind, reader))
    .map((kind) => {
      const place = placeOf(kind, reader)
      const choice = made.find((one) => one.kind === kind && one.place === place)
      return { kind, title: chosen[kind].title, wants: choice?.wants ?? isUsual(kind, reader) }
    })
}

export async function saveChoice(
  { db }: Pick<Context, 'db'>,
  reader: LetterReader,
  { kind, wants }: { kind: ChosenKind; wants: boolean },
): Promise<void> {
  await writeChoice(db, reader.personId, { place: placeOf(kind, reader), kind, wants })
}

export function mayGet(kind: ChosenKind, { role, isOperator }: LetterReader): boolean {
  return kind === 'mismatches' ? isOperator : chosen[kind].roles.includes(role)
}

function isUsual(kind: ChosenKind, { role }: LetterReader): boolean {
  return kind === 'mismatches' || chosen[kind].usual.includes(role)
}

function placeOf(kind: ChosenKind, { businessId }: LetterReader): Uuid {
  return kind === 'mismatches' ? installation : businessId
}
