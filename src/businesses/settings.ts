// What the people of a business chose for it as a whole.

import type { Details } from '#audit/entry.ts'
import { record } from '#audit/record.ts'
import { present } from '#base/assert.ts'
import type { Context } from '#base/context.ts'
import { formatId, type Uuid } from '#base/ids.ts'
import { listSettings, lockSettings, writeSettings } from './sql-settings.ts'

export type BusinessSettings = {
  id: Uuid
  name: string
  /** In which its people read times: `Africa/Lagos`. */
  timeZone: string
  /** Whoever has no second factor only reads, on staging too. */
  isCompulsoryFactor: boolean
}

/** In the order of their names. */
export function readSettings(ctx: Context, ids: readonly Uuid[]): Promise<BusinessSettings[]> {
  return listSettings(ctx.db, ids)
}

const placeForm = /^[A-Za-z]+(\/[A-Za-z0-9_+-]+)*$/

/** The zone of a place, whose clocks a summer changes; an offset would be wrong half of the year. */
export function isTimeZone(unchecked: string): boolean {
  try {
    return placeForm.test(new Intl.DateTimeFormat('en', { timeZone: unchecked }).resolvedOptions().timeZone)
  } catch {
    return false
  }
}

export type SettingsChange = {
  name?: string | undefined
  timeZone?: string | undefined
  isCompulsoryFactor?: boolean | undefined
}

/** With the settings as they then are. */
export function changeSettings(ctx: Context, id: Uuid, change: SettingsChange): Promise<BusinessSettings> {
  return ctx.db.transaction(async (tx) => {
    const before = present(await lockSettings(tx, id), 'whoever changes settings is of the business')
    const after = {
      id,
      name: change.name ?? before.name,
      timeZone: change.timeZone ?? before.timeZone,
      isCompulsoryFactor: change.isCompulsoryFactor ?? before.isCompulsoryFactor,
    }
    writeSettings(tx, after)
    record(tx, ctx.clock.now(), {
      by: ctx.by,
      act: 'business.changed',
      businessId: id,
      subject: formatId('business', id),
      details: changesOf(before, after),
    })
    return after
  })
}

/** `name: after, nameBefore: before`, of what differs. */
function changesOf(before: BusinessSettings, after: BusinessSettings): Details {
  const names = ['name', 'timeZone', 'isCompulsoryFactor'] as const
  return Object.fromEntries(
    names
      .filter((name) => before[name] !== after[name])
      .flatMap((name) => [
        [name, after[name]],
        [`${name}Before`, before[name]],
      ]),
  )
}
