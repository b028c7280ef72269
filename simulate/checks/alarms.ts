// Checks that the service raises a review item for each provider that contradicts itself, and for each payment without a
// final status after a day.

import type { WorldDatabase } from '#simulate/databases/database.ts'
import { jump, passUntil } from '#simulate/jump.ts'
import type { Contradicted } from '#simulate/model.ts'
import type { World } from '#simulate/world.ts'

// Payments and review items are read apart, because Citus joins no table that is spread with one at the coordinator.

type Row = { tenant_id: string; reference: string; status: string }
type Item = { tenant_id: string; reference: string }

const paymentsOfProduction = `select tenant_id, reference, status from payment where reference like 'CONTRADICTED-%'`
const itemsOfKind = `select tenant_id, reference from review_item where kind = $1`

/**
 * The service asks about a payment every hour, from any instance. An instance concludes that the provider does not have
 * the payment when the provider has twice not shown it to that instance, a quarter of an hour or more apart. So several
 * hours may pass until one instance has asked twice.
 */
const hoursMax = 12
const hourMs = 60 * 60_000
/** How long a review item may take after each hour. */
const toldMsMax = 2_000

export async function checkContradictions(world: World): Promise<void> {
  let silent: string[] = []
  const areTold = async (): Promise<boolean> => (silent = await contradictionsUntold(world)).length === 0
  for (let hour = 1; hour <= hoursMax && !(await passUntil(world, { withinMs: toldMsMax }, areTold)); hour += 1)
    await jump(world, hourMs)
  if (await areTold()) return
  for (const one of silent) world.model.wrong.add(`${one}, and no operator is told`)
}

async function contradictionsUntold({ model, database, contradicting }: World): Promise<string[]> {
  const untold: string[] = []
  const rows = await database.ask<Row>(paymentsOfProduction)
  const hasItem = await itemsOf(database, 'payment-contradicted')
  const found = new Map(rows.map((row) => [row.reference, row]))
  for (const one of model.contradicted) {
    const [row, order] = [found.get(one.reference), contradicting.orderOf(one.payee)]
    if (row === undefined || order === undefined) continue
    if (isContradicted(one, row) && !hasItem(row))
      untold.push(`${one.reference} is ${row.status}, its provider ${one.contradiction}`)
  }
  return untold
}

/** A contradiction needs both answers. A payment whose status came from the second answer alone contradicts nothing. */
function isContradicted({ contradiction }: Contradicted, { status }: Row): boolean {
  switch (contradiction) {
    case 'recants':
      return status === 'SUCCESS'
    case 'relents':
      return status === 'FAILED'
    case 'mistakes':
    case 'vanishes':
      return true
    case 'silent':
      return false
  }
}

/** An hour more than the day after which the service raises an alarm. */
const alarmAgeMs = 25 * 60 * 60_000

const unfinished = `select tenant_id, reference, status from payment where status in ('queued', 'PENDING', 'OTP_REQUIRED')`

/** Lets a day pass, after which every payment without a final status must have a review item. */
export async function checkAlarms(world: World): Promise<void> {
  await jump(world, alarmAgeMs)
  const { database } = world
  let silent: Row[] = []
  const areRaised = async (): Promise<boolean> => {
    const rows = await database.ask<Row>(unfinished)
    const hasItem = await itemsOf(database, 'payment-stuck')
    silent = rows.filter((row) => !hasItem(row))
    return silent.length === 0
  }
  if (await passUntil(world, { withinMs: raisedMsMax }, areRaised)) return
  for (const { reference } of silent)
    world.model.wrong.add(`${reference} has not ended within a day, and no operator is told`)
}

/** The service looks for alarms every minute. */
const raisedMsMax = 120_000

async function itemsOf(database: WorldDatabase, kind: string): Promise<(row: Item) => boolean> {
  const items = await database.ask<Item>(itemsOfKind, [kind])
  const keys = new Set(items.map((item) => `${item.tenant_id} ${item.reference}`))
  return (row) => keys.has(`${row.tenant_id} ${row.reference}`)
}
