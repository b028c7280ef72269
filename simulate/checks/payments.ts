// Checks that each acknowledged payment exists with the status that its far side (a bank or an operator) knows, that no
// refused payment exists, and that each payment reached one bank or operator at most once.

import type { Collection, Payout } from '#simulate/model.ts'
import type { Arrival, FarSide } from '#simulate/rails/far-side.ts'
import type { World } from '#simulate/world.ts'

export type PaymentRow = {
  reference: string
  tenant_id: string
  status: string
  amount: string
  fee: string
  /** Its rail, its failure reason, and the rail's answers. */
  story: string
}

const everyPayment = `
  select reference, tenant_id, status, amount, fee, concat_ws(', ', rail, failure_reason, (
           select string_agg(concat_ws(' ', t.asked, t.answered, t.detail, t.times || 'x'), ', ' order by t.first_at)
             from rail_try t
            where t.lane = payment.lane and t.tenant_id = payment.tenant_id and t.payment_id = payment.id)) as story
    from payment`

export async function checkPayments(world: World): Promise<void> {
  const { model, database, sides } = world
  const rows = await database.ask<PaymentRow>(everyPayment)
  const found = new Map(rows.map((row) => [row.reference, row]))
  const arrivals = [...arrivalsAt(sides.first), ...arrivalsAt(sides.other), ...(world.providers?.arrivals() ?? [])]
  for (const fault of world.providers?.faults() ?? []) model.wrong.add(fault)
  const byPayee = Map.groupBy(arrivals, ({ payee }) => payee)
  for (const payout of model.payouts)
    checkPayout(model.wrong, payout, found.get(payout.reference), byPayee.get(payout.payee) ?? [])
  for (const collection of model.collections)
    checkCollection(model.wrong, collection, found.get(collection.reference), byPayee.get(collection.payee) ?? [])
  const planned = new Set(
    [...model.payouts, ...model.collections, ...model.contradicted].map(({ reference }) => reference),
  )
  for (const { reference } of rows) if (!planned.has(reference)) model.wrong.add(`nobody asked for ${reference}`)
}

type At = Arrival & { bank: string }

function arrivalsAt({ name, arrivals }: FarSide): At[] {
  return [...arrivals.values()].map((arrival) => ({ ...arrival, bank: name }))
}

function exists(
  wrong: Set<string>,
  { reference, standing, tenant, amount }: Payout | Collection,
  row: PaymentRow | undefined,
): row is PaymentRow {
  if (standing === 'acknowledged' && row === undefined) wrong.add(`${reference} was acknowledged and is gone`)
  if (standing === 'refused' && row !== undefined) wrong.add(`${reference} was refused and exists`)
  if (row === undefined || standing !== 'acknowledged') return false
  if (row.tenant_id !== tenant.tenant.id || Number(row.amount) !== amount)
    wrong.add(`${reference} is not what was asked for`)
  return true
}

function checkPayout(wrong: Set<string>, payout: Payout, row: PaymentRow | undefined, arrivals: At[]): void {
  const { reference, fate, completedAs, endedByHand, returnedByHand } = payout
  if (arrivals.length > 1)
    wrong.add(`${reference} was paid ${arrivals.length} times, by ${arrivals.map(({ bank }) => bank).join(' and by ')}`)
  if (!exists(wrong, payout, row)) {
    if (arrivals.length > 0) wrong.add(`${reference} was never acknowledged and left the building`)
    return
  }
  const endings: Record<Payout['fate']['ends'], string[]> = {
    succeeds: ['SUCCESS'],
    fails: ['FAILED'],
    // If the service learns of the return before the success, it records FAILED, because for it the payee never had the
    // money.
    returns: ['REVERSED', 'FAILED'],
    // The service keeps the first final answer.
    contradicts: ['SUCCESS', 'FAILED'],
    waits: [completedAs ?? 'a word of a person'],
  }
  const expected = [
    ...(endedByHand === 'surely' || returnedByHand === 'surely' ? [] : endings[fate.ends]),
    ...(endedByHand === undefined ? [] : ['FAILED']),
    ...(returnedByHand === undefined ? [] : ['REVERSED']),
  ]
  if (!expected.includes(row.status))
    wrong.add(`${reference} is ${row.status} in place of ${expected.join(' or ')} (${row.story})`)
  if (endedByHand === 'surely' && arrivals.length > 0)
    wrong.add(`${reference} was ended by hand as one that never left, and was paid after that`)
  if ((row.status === 'SUCCESS' || row.status === 'REVERSED') && fate.ends !== 'waits' && arrivals.length === 0)
    wrong.add(`${reference} is ${row.status} and never reached a bank`)
}

function checkCollection(
  wrong: Set<string>,
  collection: Collection,
  row: PaymentRow | undefined,
  arrivals: At[],
): void {
  const { reference, fate, needsCode } = collection
  const agreed = arrivals.filter(({ agreedAtMs }) => !needsCode || agreedAtMs !== undefined)
  const paid = needsCode || fate.ends === 'agrees' ? agreed : []
  if (arrivals.length > 1) wrong.add(`${reference} was asked of its payer ${arrivals.length} times`)
  if (!exists(wrong, collection, row)) return
  const expected = paid.length > 0 ? 'SUCCESS' : 'FAILED'
  if (row.status !== expected)
    wrong.add(`${reference} is ${row.status}, but its payer ${paid.length > 0 ? 'paid' : 'did not pay'}`)
}
