// A business whose payouts go to a provider that contradicts itself. The payouts are in the production environment,
// because on staging a contradiction, which testers cause, raises no review item.

import { createBusiness } from '#businesses/business.ts'
import { createKey } from '#businesses/keys.ts'
import { present } from '#platform/assert.ts'
import { createClient, type Answer } from '#tests/support/client.ts'
import { hangMs, holdsWithin } from '#simulate/clocks.ts'
import type { Instance } from '#simulate/instance.ts'
import type { Contradicted } from '#simulate/model.ts'
import {
  contradictingRail,
  contradictions,
  type ContradictingNotice,
  type Contradiction,
} from '#simulate/rails/contradicting.ts'
import type { Chance } from '#simulate/seed.ts'
import { anyMember, type Member, type World } from '#simulate/world.ts'

const capital = 100_000_000_000

async function ask(world: World, { address }: Instance, path: string, body?: unknown): Promise<Answer | 'silence'> {
  const client = createClient(`${address}/production`, world.model.keyInProduction)
  const options = body === undefined ? {} : { method: 'POST', body }
  const silence = new Promise<'silence'>((resolve) => void setTimeout(resolve, world.model.patienceMs, 'silence'))
  const answer = await Promise.race([client.call(path, options).catch(() => 'silence' as const), silence])
  client.close()
  return answer
}

/** Creates the business with an account and the money that it pays out, before the first fault. */
export async function prepareProduction(world: World, { instance }: Member): Promise<void> {
  const { ctx } = instance.app
  const { tenants } = await createBusiness(ctx, 'contradicted')
  world.model.keyInProduction = (await createKey(ctx, tenants.production, 'contradicted')).secret
  const customer = {
    reference: 'CAPITAL',
    firstName: 'Ada',
    lastName: 'Obi',
    phoneNumber: '08030000000',
    bvn: '22211100099',
  }
  await ask(world, instance, '/v1/customers', customer)
  const opened = await ask(world, instance, '/v1/virtual-accounts/static', { customerReference: 'CAPITAL' })
  if (opened === 'silence' || opened.status !== 200)
    throw new Error(`an account in production could not be opened: ${opened === 'silence' ? opened : opened.text}`)
  const { accountNumber } = opened.body.data as { accountNumber: string }
  await post(instance, { providerId: 'CAPITAL', accountNumber, amount: capital, paidAtMs: world.time.now() })
  const isThere = async (): Promise<boolean> => {
    const heard = await ask(world, instance, '/v1/balance')
    if (heard === 'silence' || heard.status !== 200) return false
    return ((heard.body.data as { balances: { available: number }[] }).balances[0]?.available ?? 0) > 0
  }
  if (!(await holdsWithin(hangMs, isThere))) throw new Error('a business in production got no money')
}

/** A caller that gets no answer repeats its request, up to this many attempts in all. */
const attemptsMax = 3

export async function newContradiction(world: World, chance: Chance): Promise<void> {
  const { model, contradicting } = world
  const number = model.contradicted.length + 1
  const one: Contradicted = {
    reference: `CONTRADICTED-${number}`,
    payee: String(3_000_000_000 + number),
    contradiction: contradictionOf(number),
  }
  model.contradicted.push(one)
  contradicting.plan(one.payee, one.contradiction)
  const body = {
    reference: one.reference,
    amount: chance.between(1_000, 400_000),
    bankSlug: 'guaranty-trust-bank',
    accountNumber: one.payee,
    accountName: 'ADA OBI',
  }
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const heard = await ask(world, anyMember(world, chance).instance, '/v1/transfers/initiate', body)
    if (heard !== 'silence' && heard.status === 200) return
  }
}

/** Takes the contradictions in turn, so that five payouts have all of them. */
function contradictionOf(number: number): Contradiction {
  return present(contradictions[number % contradictions.length], 'a number below the length')
}

/** Makes the provider contradict itself about one payout, and in 70 % of the cases send a notice of it at once. */
export async function turnSome(world: World, chance: Chance): Promise<void> {
  const { model, contradicting } = world
  const turning = model.contradicted.filter(({ payee }) => contradicting.orderOf(payee)?.hasTurned === false)
  if (turning.length === 0) return
  const one = chance.pick(turning)
  contradicting.turn(one.payee)
  if (chance.happens(0.7)) await tellOfTurn(world, anyMember(world, chance), one)
}

/** Makes the provider contradict itself about every payout, and sends a notice of each. Returns whether all were accepted. */
export async function tellOfTurns(world: World, member: Member): Promise<boolean> {
  const { model, contradicting } = world
  for (const { payee } of model.contradicted) contradicting.turn(payee)
  const taken = await Promise.all(model.contradicted.map((one) => tellOfTurn(world, member, one)))
  return taken.every(Boolean)
}

async function tellOfTurn(
  world: World,
  { instance }: Member,
  { payee, contradiction }: Contradicted,
): Promise<boolean> {
  const order = world.contradicting.orderOf(payee)
  if (order === undefined || (contradiction !== 'recants' && contradiction !== 'relents')) return true
  const says = contradiction === 'recants' ? 'failed' : 'succeeded'
  return post(instance, { railReference: order.railReference, says })
}

async function post({ address }: Instance, notice: ContradictingNotice): Promise<boolean> {
  const client = createClient(address)
  const body = Buffer.from(JSON.stringify(notice))
  const options = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }
  const status = await client.call(`/production/rails/${contradictingRail}/notices`, options).then(
    (answer) => answer.status,
    () => 0,
  )
  client.close()
  return status === 200
}
