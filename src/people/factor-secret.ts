// The secret of an authenticator app, sealed as all that we must be able to read again.

import type { Queryable } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { resealPages, type ResealMode } from '#base/reseal.ts'
import type { SecretBox } from '#base/secret.ts'
import { firstSealed, listSealedRows, resealPerson, type Resealed, type SealedRow } from './sql-factors.ts'

const contextOf = (personId: Uuid): string => `person.totp:${personId}`

export function sealTotp(box: SecretBox, personId: Uuid, secret: Buffer): Buffer {
  return box.seal(secret.toString('base64'), contextOf(personId))
}

export function openTotp(box: SecretBox, personId: Uuid, sealed: Buffer): Buffer {
  return Buffer.from(box.open(sealed, contextOf(personId)), 'base64')
}

const rowsPerPage = 500

/** Resolves with how many people's secrets were not sealed with the key of now. */
export function resealPeople(db: Queryable, box: SecretBox, how: ResealMode): Promise<number> {
  return resealPages<{ id: Uuid }, SealedRow, Resealed>({
    first: firstSealed,
    rowsPerPage,
    read: ({ id }, limit) => listSealedRows(db, id, limit),
    changesOf(was) {
      const [secret, pending] = [was.totp_secret, was.totp_pending].map((sealed) =>
        sealed === null ? undefined : box.reseal(sealed, contextOf(was.id)),
      )
      if (secret === undefined && pending === undefined) return []
      return [{ was, totpSecret: secret ?? was.totp_secret, totpPending: pending ?? was.totp_pending }]
    },
    how,
    async write(changes) {
      for (const change of changes) await resealPerson(db, change)
    },
  })
}
