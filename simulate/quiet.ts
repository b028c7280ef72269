// The quiet at the end of a world: the faults stop, and time jumps from one due row to the next until no work is left. The
// service must claim due work at once and finish everything within a limit.

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
 * The limit of world time after the last fault. By then the service may ask about a payment only once an hour, and on a
 * busy machine a jump during the question costs another hour. A payment that its provider hides for an hour takes
 * longest. The service asks about it every five minutes. When the provider has not shown it for a quarter of an hour,
 * the service submits it again and asks about it from the beginning of its schedule. 43 minutes later it asks only once
 * an hour again.
 */
const quietMsMax = 3 * 60 * 60_000
/** A provider takes hours or days for a refund, so in the end the service asks only every six hours. */
const quietMsMaxOfRefunds = 24 * 60 * 60_000
/** The limit of jumps. A refund that the service asks about every six hours needs 480. */
const roundsMax = 1_200
/** All instances still run during this many jumps, in which most of the work is done. */
const roundsOfAll = 3
/** A jump goes this far beyond the due time, because no clock is wrong by as much. */
const beyondMs = 1_500
/** The loops claim due work every second, but a provider's rate limit may delay them. */
const takenUpMsMax = 120_000
/**
 * A jump is at least this long, because each one costs a run of all loops. So the service asks some questions later
 * than they are due.
 */
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

/**
 * Sends the notices in which a provider contradicts its first answer about a payout. They come after a day has passed,
 * because some payouts reach their provider only in the quiet, and get a first answer only then.
 */
async function learnOfTurns(world: World, member: Member): Promise<void> {
  if (!(await holdsWithin(hangMs, () => tellOfTurns(world, member))))
    world.model.wrong.add('a notice of a provider that contradicts itself was not taken')
}

/** Reports the returns of payments that the service no longer asks about. */
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

/** Completes payouts that reached their provider only in the quiet. Before that, a person could not complete them. */
async function endWhatArrived(world: World): Promise<void> {
  const [member] = world.members
  if (world.providers === undefined || member === undefined) return
  for (const payout of world.model.payouts)
    if (payout.standing === 'acknowledged' && payout.fate.ends === 'waits' && payout.completedAs === undefined)
      await completeByHand(world, member, payout, true)
}

/**
 * A due row that must be finished. The service asks about an expired payment for a day, because money could still come. Only
 * the first hour counts here, because no provider hides anything for longer.
 */
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

/**
 * Waits until the due rows stop changing. While a process works on a leased row, a jump would end its lease, which would not
 * be the service's fault.
 */
async function untilNothingMoves(world: World, work: () => Promise<Work[]>): Promise<void> {
  let before = ''
  await passUntil(world, { eachMs: stillMs, withinMs: movingMsMax }, async () => {
    const now = JSON.stringify(await work())
    const isStill = now === before
    before = now
    return isStill
  })
}

/** Work that did not change for `stillMs` counts as finished. The wait ends after `movingMsMax` in any case. */
const stillMs = 50
const movingMsMax = 10_000

/**
 * The rest of the work takes hours of world time, and every instance runs all its loops after each jump, which is most
 * of the cost of a world with providers. So one instance stays in half of these worlds, and two or three in the others.
 */
async function scaleDown({ providers, chance, members, model }: World): Promise<void> {
  const staying = chance.fork('instances that stay').pick([1, 1, 2, 3])
  if (providers === undefined) return
  for (const { instance } of members.splice(staying))
    if ((await instance.stop()) === Infinity) model.wrong.add(`${instance.name} did not stop within a minute`)
}

/** Restarts the instances with all banks, because a payment waits as long as no instance can reach its bank. */
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
