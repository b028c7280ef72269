// Collections from phones in Nigeria, and the codes with which their payers agree: right ones, wrong ones, several at once.

import { isDeepStrictEqual } from 'node:util'
import type { Collection } from '#simulate/model.ts'
import { codeLifeMs, rightCode } from '#simulate/rails/collections.ts'
import { drawCodeFate } from '#simulate/rails/fate.ts'
import type { Chance } from '#simulate/seed.ts'
import { anyMember, type Member, type World } from '#simulate/world.ts'
import { isUnclear, post, type CallerAnswer } from './ask.ts'
import { hugeAmount } from './payouts.ts'

export async function newCollection(world: World, chance: Chance): Promise<void> {
  const { model, fates, isOn } = world
  const number = model.collections.length + 1
  const needsCode = chance.happens(0.6)
  const payee = `+2348${needsCode ? '0900' : '0310'}${String(number).padStart(5, '0')}`
  const amount = isOn('huge-amounts') && chance.happens(0.1) ? hugeAmount : chance.between(1_000, 900_000)
  const fate = drawCodeFate(chance, isOn('hanging-rail'))
  fates.collections.set(payee, fate)
  const tenant = chance.pick(model.tenants)
  const collection: Collection = {
    tenant,
    standing: 'unclear',
    kind: 'momo_collection',
    reference: `COLLECTION-${number}`,
    amount,
    payee,
    fate,
    needsCode,
    askedAtMs: world.time.now(),
  }
  model.collections.push(collection)
  await sendCollection(world, anyMember(world, chance), collection)
}

export async function sendCollection({ model }: World, { instance }: Member, collection: Collection): Promise<void> {
  const { reference, amount, payee, needsCode, tenant, abroad } = collection
  const operator = needsCode ? '9psb' : 'mtn-momo'
  const body = { reference, amount, phoneNumber: payee, operator, narration: reference, ...abroad }
  const heard = await post(model, instance, tenant, '/v1/momo/collection', body)
  if (isUnclear(heard)) return
  if (heard.status !== 200) {
    // The service refuses an amount that is too large without storing anything.
    if (amount === hugeAmount && heard.body.error?.code === 'VALIDATION_ERROR') collection.standing = 'refused'
    else model.wrong.add(`${reference} was answered ${heard.status} ${heard.text}`)
    return
  }
  if (collection.first !== undefined && !isDeepStrictEqual(collection.first, heard.body.data))
    model.wrong.add(`${reference} was answered differently the second time`)
  collection.first ??= heard.body.data
  collection.standing = 'acknowledged'
}

/** The clocks of two processes and the database differ by less than this. */
const earlyMsMax = 5_000

const askingMax = 12
const expectedAnswers = ['INVALID_OTP', 'OTP_EXPIRED', 'CONFLICT', 'COLLECTION_NOT_FOUND']

export async function tryCodes(world: World, chance: Chance): Promise<void> {
  // Only recent collections, because payers answer soon or not at all.
  const asking = world.model.collections.filter(({ needsCode }) => needsCode).slice(-askingMax)
  if (asking.length === 0) return
  const collection = chance.pick(asking)
  const refuses = collection.fate.ends !== 'agrees'
  const codes = Array.from({ length: chance.pick([1, 1, 2, 4]) }, () =>
    refuses || chance.happens(0.4) ? String(chance.between(200_000, 999_999)) : rightCode,
  )
  await Promise.all(codes.map((otp) => sendCode(world, anyMember(world, chance), collection, otp)))
}

export async function sendCode(
  { model, time }: World,
  { instance }: Member,
  collection: Collection,
  otp: string,
): Promise<CallerAnswer> {
  const { reference, tenant, standing, askedAtMs } = collection
  const heard = await post(model, instance, tenant, '/v1/momo/collection/verify-otp', { reference, otp })
  if (isUnclear(heard) || heard.status === 200) return heard
  const code = heard.body.error?.code ?? ''
  const isStrange = !expectedAnswers.includes(code) || (code === 'COLLECTION_NOT_FOUND' && standing === 'acknowledged')
  // After the database's clock was set back, processes that start later differ for hours from older ones, so a code may
  // count as late.
  if (code === 'OTP_EXPIRED' && !time.database.isStepped() && time.now() < askedAtMs + codeLifeMs - earlyMsMax)
    model.wrong.add(`a code for ${reference} was called late though it was in time`)
  if (isStrange) model.wrong.add(`a code for ${reference} was answered ${heard.status} ${code}`)
  return heard
}
