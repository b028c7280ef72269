// SQL of what a business's people chose for it as a whole.

import { statement, type Queryable, type Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'

export type SettingsRow = { id: Uuid; name: string; timeZone: string; isCompulsoryFactor: boolean }

const columns = `id, name, time_zone as "timeZone", is_compulsory_factor as "isCompulsoryFactor"`

const selectSettings = statement(
  'businesses.settings',
  `select ${columns} from business where id = any ($1::uuid[]) order by name, id`,
)

export function listSettings(db: Queryable, ids: readonly Uuid[]): Promise<SettingsRow[]> {
  return db.query<SettingsRow>(selectSettings, [ids])
}

const lockSettingsRow = statement(
  'businesses.lock_settings',
  `select ${columns} from business where id = $1 for no key update`,
)

/** Until the end of this transaction no other one changes them. */
export async function lockSettings(tx: Tx, id: Uuid): Promise<SettingsRow | undefined> {
  const [row] = await tx.query<SettingsRow>(lockSettingsRow, [id])
  return row
}

const updateSettings = statement(
  'businesses.update_settings',
  'update business set name = $2, time_zone = $3, is_compulsory_factor = $4 where id = $1',
)

export function writeSettings(tx: Tx, { id, name, timeZone, isCompulsoryFactor }: SettingsRow): void {
  tx.send(updateSettings, [id, name, timeZone, isCompulsoryFactor])
}
