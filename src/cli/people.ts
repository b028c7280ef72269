// The people of the dashboard, at a terminal: who is there, and the links that let somebody in. Whoever has this terminal has
// the database, so nobody is asked what they are; the last owner of a business stays all the same.

import type { Context } from '#platform/context.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId, parseId, type Uuid } from '#platform/ids.ts'
import { dashboardUrlOf } from '#config.ts'
import { inviteUser } from '#users/invitations.ts'
import { linkTo } from '#users/links.ts'
import { listPeople, makeOperator, removeMember, resetAtTerminal, type ListedPersonRow } from '#users/members.ts'
import { parseEmail, type UserRole } from '#users/user.ts'
import { findTenant } from '#businesses/business.ts'
import { withContext } from './database.ts'
import { idOf } from './arguments.ts'
import { formatTime, table, type Output } from './output.ts'
import { readConfig } from './settings.ts'

export async function listPeopleCommand(output: Output, { business }: { business?: string }): Promise<void> {
  const businessId = business === undefined ? null : idOf('business', business)
  const people = await withContext(readConfig(), output.step, (ctx) => listPeople(ctx, businessId))
  const rows = people.map((one) => [
    one.email,
    one.name,
    one.business_id === null ? 'none' : formatId('business', one.business_id),
    one.role ?? '',
    one.has_second_factor ? 'on' : 'off',
    one.is_operator ? 'yes' : 'no',
    formatTime(one.seen_at),
    formatId('person', one.id),
  ])
  const head = ['e-mail', 'name', 'business', 'role', 'second factor', 'operator', 'last seen', 'id']
  output.result({ people: people.map(documentOf) }, rows.length === 0 ? 'Nobody is there yet.' : table(head, rows))
}

export type InviteOptions = { business: string; role: UserRole; email: string }

export async function invitePersonCommand(output: Output, { business, role, email }: InviteOptions): Promise<void> {
  const [businessId, address] = [idOf('business', business), emailOf(email)]
  const config = readConfig()
  const invited = await withContext(config, output.step, async (ctx) => {
    await requireBusiness(ctx, businessId)
    return inviteUser(ctx, { businessId, by: ctx.by, personId: null }, { email: address, role })
  })
  if (invited.kind !== 'invited') throw new OperatorError(`${address} is of this business already.`)
  const link = linkTo(dashboardUrlOf(config, config.port), 'invitation', invited.token)
  const { id, expiresAt } = invited
  const document = { id: formatId('invitation', id), business, email: address, role, link, expiresAt }
  output.result(document, `${link}\nIt is for ${address} alone, for one use, until ${formatTime(expiresAt)}.`)
}

export async function removePersonCommand(
  output: Output,
  who: string,
  { business }: { business: string },
): Promise<void> {
  const businessId = idOf('business', business)
  const { email, removed } = await withContext(readConfig(), output.step, async (ctx) => {
    const person = await findAccount(ctx, who, business)
    const manager = { businessId, by: ctx.by, personId: null }
    return { email: person.email, removed: await removeMember(ctx, manager, person.id) }
  })
  if (removed.kind === 'last-owner')
    throw new OperatorError(
      `${email} is the last owner of this business. Invite another one first: npx manilla people invite --help`,
    )
  if (removed.kind !== 'done') throw nobody(who, business)
  output.result({ business, email, removed: true }, `Removed ${email}, who is signed out everywhere.`)
}

type OfBusiness = { business?: string }

export async function resetPersonCommand(
  output: Output,
  who: string,
  { secondFactor = false, business }: OfBusiness & { secondFactor?: boolean },
): Promise<void> {
  const config = readConfig()
  const { email, reset } = await withContext(config, output.step, async (ctx) => {
    const person = await findAccount(ctx, who, business)
    return { email: person.email, reset: await resetAtTerminal(ctx, person, { takesFactor: secondFactor }) }
  })
  if (reset === undefined) throw nobody(who, business)
  const link = linkTo(dashboardUrlOf(config, config.port), 'reset', reset.link.token)
  const { expiresAt } = reset.link
  const isGone = secondFactor && reset.hadFactor
  const factor = isGone
    ? ' Their second factor is gone.'
    : reset.hadFactor
      ? ' Their second factor is still asked for.'
      : ''
  const text = `${link}\nIt sets a new password for ${email}, once, until ${formatTime(expiresAt)}.${factor}`
  output.result({ email, link, expiresAt, secondFactorRemoved: isGone }, text)
}

export type OperatorOptions = OfBusiness & { who: string; word: 'on' | 'off' }

export async function setOperatorCommand(output: Output, { who, word, business }: OperatorOptions): Promise<void> {
  const isOperator = word === 'on'
  const { email } = await withContext(readConfig(), output.step, async (ctx) => {
    const person = await findAccount(ctx, who, business)
    await makeOperator(ctx, person.id, isOperator)
    return person
  })
  const says = isOperator ? 'is an operator: they see the page Operations' : 'is no operator any more'
  output.result({ email, isOperator }, `${email} ${says}.`)
}

/** Finds the one account that an address, or an id, means. Several may share an address, so a business tells them apart. */
async function findAccount(ctx: Context, who: string, business: string | undefined): Promise<ListedPersonRow> {
  const id = parseId('person', who)
  const email = id === undefined ? emailOf(who) : undefined
  const all = await listPeople(ctx, null)
  const businessId = business === undefined ? undefined : idOf('business', business)
  const rows = all.filter((one) => one.id === id || one.email === email)
  const here = businessId === undefined ? rows : rows.filter((one) => one.business_id === businessId)
  const [account, ...others] = Map.groupBy(here, (one) => one.id).values()
  const [first] = account ?? []
  if (first === undefined) throw nobody(who, business)
  if (others.length === 0) return first
  const choices = [...Map.groupBy(rows, (one) => one.id).values()].map(choiceOf)
  throw new OperatorError(
    `${others.length + 1} accounts have the address ${first.email}. Say --business, or the id in place of the address:\n${choices.join('\n')}`,
  )
}

function choiceOf(rows: ListedPersonRow[]): string {
  const [one] = rows
  const businesses = rows.flatMap(({ business_id: id, role }) =>
    id === null ? [] : `${role} of ${formatId('business', id)}`,
  )
  return `  ${one === undefined ? '' : formatId('person', one.id)}  ${one?.name}, ${businesses.join(', ') || 'of no business'}`
}

function emailOf(text: string): string {
  const email = parseEmail(text)
  if (email === undefined) throw new OperatorError(`${text} is not an e-mail address.`)
  return email
}

async function requireBusiness(ctx: Context, id: Uuid): Promise<void> {
  if ((await findTenant(ctx, id, 'staging')) !== undefined) return
  throw new OperatorError(`There is no business ${formatId('business', id)}. See: npx manilla businesses list`)
}

function nobody(who: string, business: string | undefined): OperatorError {
  return new OperatorError(
    business === undefined
      ? `There is nobody with the address ${who}. See: npx manilla people list`
      : `There is no ${who} in this business. See: npx manilla people list --business ${business}`,
  )
}

function documentOf(one: ListedPersonRow): Record<string, unknown> {
  const { id, email, name, role, business_id: business, has_second_factor, is_operator, seen_at } = one
  return {
    id: formatId('person', id),
    email,
    name,
    business: business === null ? null : formatId('business', business),
    role,
    hasSecondFactor: has_second_factor,
    isOperator: is_operator,
    seenAt: seen_at,
  }
}
