// The logo of a business, for its receipts and statements.

import { recordEntry } from '#audit/record.ts'
import type { Context } from '#platform/context.ts'
import { statement } from '#platform/db/db.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { storedLogo, type LogoImage } from './logo-image.ts'

const select = statement('businesses.logo', 'select logo from business where id = $1')
const lock = statement('businesses.lock_logo', 'select logo from business where id = $1 for no key update')
const update = statement('businesses.update_logo', 'update business set logo = $2 where id = $1')

type LogoRow = { logo: Buffer | null }

function logoIn([row]: LogoRow[]): LogoImage | undefined {
  const bytes = row?.logo ?? null
  return bytes === null ? undefined : storedLogo(bytes)
}

export async function readLogo({ db }: Pick<Context, 'db'>, business: Uuid): Promise<LogoImage | undefined> {
  return logoIn(await db.query<LogoRow>(select, [business]))
}

/** `logo`: undefined removes it. */
export function setLogo(ctx: Context, business: Uuid, logo: LogoImage | undefined): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    const before = logoIn(await tx.query<LogoRow>(lock, [business]))
    tx.send(update, [business, logo?.bytes ?? null])
    recordEntry(tx, ctx.clock.now(), {
      by: ctx.by,
      act: 'business.changed',
      businessId: business,
      subject: formatId('business', business),
      details: { logo: wordOf(logo), logoBefore: wordOf(before) },
    })
  })
}

function wordOf(logo: LogoImage | undefined): string {
  return logo === undefined ? 'none' : `${logo.type}, ${logo.width} × ${logo.height}`
}
