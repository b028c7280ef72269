// The quiet at the end: no fault any more, and time jumps from one row that is due to the next, until nothing is left to
// do. Whatever is due must be taken up at once, and everything must have ended within a bound.

import { hangMs, holdsWithin } from './clocks.ts'
import { checkAlarms, checkContradictions } from './checks/alarms.ts'
import { checkCodesAnswered } from './checks/held.ts'
import { restart } from './faults/crashes.ts'
import { settleDeposit } from './traffic/deposits.ts'
import { tellOfTurns } from './traffic/contradictions.ts'
import { tellOfReturns } from './traffic/provider-notices.ts'
import { completeByHand } from './traffic/payouts.ts'
import { resumeAll } from './traffic/person.ts'
import { passDays } from './days.ts'
import { jump, passUntil } from './jump.ts'
import { contradictingRail } from './rails/contradicting.ts'
import { wholeRoads } from './rails/rails-files.ts'
import { resolveUnclear } from './unclear.ts'
import type { Member, World } from './world.ts'

/**
 * From the end of the faults, in time of the world: the schedule of questions may be at an hour by then, and on a machine that
 * does other things a jump may come in the middle of one, which is then put again an hour later. What a provider hides for 40
 * minutes is asked for every five, is sent again after the quarter of an hour that proves an absence, and is asked about from the
 * beginning of the schedule, which reaches an hour after 43 minutes.
 */
const quietMsMax = 3 * 60 * 60_000
/** A provider takes hours or days for a refund, so it is asked every six hours in the end. */
const quietMsMaxOfRefunds = 24 * 60 * 60_000
/** Of jumps. A refund that is asked about every six hours waits for 480 of them. */
const roundsMax = 1_200
/** Of jumps that all instances meet, in which most of the work is done. */
const roundsOfAll = 3
/** A jump goes a little further than to when something is due: clocks are wrong by so much. */
const beyondMs = 1_500
/** The loops of an instance look every second, and may be kept from it by the limit of a provider's calls. */
const takenUpMsMax = 120_000
/** What is asked about every few seconds is asked about less often here, because each jump costs a turn of all loops. */
const jumpMsMin = 300_000

export async function fallQuiet(world: World): Promise<void> {
  world.quiet = true
  world.receivers.heal()
  world.providers?.calm()
  for (const { instance } of world.members) {
    instance.proxy.setCommitFate('pass')
    instance.proxy.resume()
    instance.pulse.goOn()
  }
  const ready = (): Promise<boolean> =>
    Promise.all(world.members.map(({ instance }) => instance.isReady())).then((all) => all.every(Boolean))
  if (!(await holdsWithin(hangMs, ready))) world.model.wrong.add('an instance did not become ready again')
  if (world.isOn('rail-change')) await bringAllRails(world)
  const [member] = world.members
  if (member === undefined) return
  await resumeAll(world)
  await resolveUnclear(world, member)
  await endByHand(world, member)
  await checkCodesAnswered(world)
  await untilAllHasEnded(world)
  if (world.providers !== undefined) {
    await learnOfReturns(world)
    await passDays(world, world.providers)
    await untilAllHasEnded(world)
  }
  await checkAlarms(world)
  await learnOfTurns(world, member)
  await checkContradictions(world)
  await untilAllHasEnded(world)
}

/** After a day, because a payout may come to its provider only in the quiet. */
async function learnOfTurns(world: World, member: Member): Promise<void> {
  if (!(await holdsWithin(hangMs, () => tellOfTurns(world, member))))
    world.model.wrong.add('a notice of a provider that contradicts itself was not taken')
}

/** A return of a payment that rests is told. */
async function learnOfReturns(world: World): Promise<void> {
  const [member] = world.members
  if (member === undefined) return
  if (!(await holdsWithin(hangMs, () => tellOfReturns(world, member))))
    world.model.wrong.add('a notice of a return was not taken')
  await untilAllHasEnded(world)
}

async function endByHand(world: World, member: Member): Promise<void> {
  const { model } = world
  for (const payout of model.payouts.filter(
    ({ standing, fate }) => standing === 'acknowledged' && fate.ends === 'waits',
  ))
    await completeByHand(world, member, payout, true)
  const pending = await world.database.ask<{ id: string; name: string; reference: string }>(
    `select tenant_id as id from deposit where status = 'PENDING'`,
  )
  if (pending.length === 0) return
  for (const { tenant, reference } of model.madeUp)
    if (reference !== undefined) await settleDeposit(world, member, tenant, reference, 'SUCCESSFUL')
}

/** What comes to its provider only in the quiet, a person can end only then. */
async function endWhatArrived(world: World): Promise<void> {
  const [member] = world.members
  if (world.providers === undefined || member === undefined) return
  for (const payout of world.model.payouts)
    if (payout.standing === 'acknowledged' && payout.fate.ends === 'waits' && payout.completedAs === undefined)
      await completeByHand(world, member, payout, true)
}

/** What has expired is asked about for a day, as money could come; no provider here hides anything for an hour. */
type Work = { what: string; due_at: Date | null }

const unfinished = `
  select 'payment ' || reference || ' of ' || rail || ', sent ' || attempts || ' and asked ' || asks || ' times,' as what, due_at from payment
   where (status in ('queued', 'PENDING', 'OTP_REQUIRED') or (status <> 'FAILED' and due_at is not null)
          or due_at < completed_at + interval '1 hour') and rail <> '${contradictingRail}'
  union all
  select 'delivery of ' || event || ' for ' || reference, due_at from webhook_delivery where due_at is not null
  union all
  select 'virtual account ' || account_number, due_at from virtual_account where due_at is not null
  union all
  select 'opening of ' || claim, due_at from virtual_account_opening
  union all
  select 'refund of ' || deposit_id, due_at from deposit_refund where due_at is not null
  union all
  select 'notice ' || encode(digest, 'hex'), due_at from rail_notice where due_at is not null
  order by due_at`

async function untilAllHasEnded(world: World): Promise<void> {
  const { time, model, database } = world
  const beganMs = time.now()
  const isLate = ({ what }: Work): boolean =>
    time.now() > beganMs + (what.startsWith('refund ') ? quietMsMaxOfRefunds : quietMsMax)
  const work = async (): Promise<Work[]> => {
    const all = await database.ask<Work>(unfinished)
    return all.filter(({ what }) => !model.lies.has(what.replace('notice ', '')))
  }
  for (let round = 1; ; round += 1) {
    const left = await work()
    const [first] = left
    await endWhatArrived(world)
    if (first === undefined) return
    if (round > roundsOfAll) await scaleDown(world)
    const late = round > roundsMax ? left : left.filter(isLate)
    if (late.length > 0)
      return addAll(model.wrong, late, `has not ended ${minutes(time.now() - beganMs)} after the last fault`)
    await jump(world, Math.max(jumpMsMin, (first.due_at?.getTime() ?? 0) + beyondMs - time.database.now()))
    const isOverdue = ({ due_at }: Work): boolean =>
      due_at !== null && due_at.getTime() <= time.database.now() - beyondMs
    let overdue: Work[] = []
    const isTakenUp = async (): Promise<boolean> => (overdue = (await work()).filter(isOverdue)).length === 0
    if (!(await passUntil(world, { withinMs: takenUpMsMax }, isTakenUp)))
      return addAll(model.wrong, overdue, `is due and was not taken up within ${takenUpMsMax / 1_000} seconds`)
    await untilNothingMoves(world, work)
  }
}

/** Work that a process holds is not due. A jump of time in its middle would end the lease, which would be a fault of the world. */
async function untilNothingMoves(world: World, work: () => Promise<Work[]>): Promise<void> {
  let before = ''
  await passUntil(world, { eachMs: stillMs, withinMs: movingMsMax }, async () => {
    const now = JSON.stringify(await work())
    const isStill = now === before
    before = now
    return isStill
  })
}

/** So long nothing has moved when the world's time jumps on; and so long is waited for that at most. */
const stillMs = 50
const movingMsMax = 10_000

/**
 * The rest of the work takes hours of the world's time, and each instance looks at all of it each time. That is most of the cost
 * of a world with providers, so in most of these worlds one instance goes on alone.
 */
async function scaleDown({ providers, chance, members, model }: World): Promise<void> {
  const staying = chance.fork('instances that stay').pick([1, 1, 2, 3])
  if (providers === undefined) return
  for (const { instance } of members.splice(staying))
    if ((await instance.stop()) === Infinity) model.wrong.add(`${instance.name} did not stop within a minute`)
}

/** What is with a bank waits for as long as no instance can reach that one; the operator configures all again. */
async function bringAllRails(world: World): Promise<void> {
  const { first, other } = world.sides
  for (let place = 0; place < world.members.length; place += 1) {
    const roads = wholeRoads[place % wholeRoads.length]
    await restart(world, place, { sides: [first, other], ...(roads === undefined ? {} : { roads }) })
  }
}

const toldMax = 5

function addAll(wrong: Set<string>, work: Work[], sentence: string): void {
  for (const { what } of work.slice(0, toldMax)) wrong.add(`${what} ${sentence}`)
  if (work.length > toldMax) wrong.add(`and ${work.length - toldMax} more ${sentence}`)
}

function minutes(ms: number): string {
  return `${Math.round(ms / 60_000)} minutes`
}
