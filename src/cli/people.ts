// `manilla people`: the users of the dashboard, and links for a first sign-in or a new password. No role is checked,
// because an operator at this terminal has the whole database. The last owner of a business still cannot be removed.

import type { Context } from '#platform/context.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId, parseId } from '#platform/ids.ts'
import { dashboardUrlOf } from '#config.ts'
import { createListedBox, loadSecretKeys } from '#platform/secrets.ts'
import { inviteUser } from '#users/invitations.ts'
import { linkTo, makeWelcomeLink } from '#users/links.ts'
import { listPeople, makeOperator, removeMember, resetAtTerminal, type ListedPersonRow } from '#users/members.ts'
import { parseEmail, type UserRole } from '#users/user.ts'
import { withContext } from './database.ts'
import { businessIdOf, chooseBusiness, idOf, requireBusiness } from './arguments.ts'
import { formatTime, table, UsageError, type Output } from './output.ts'
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
  const head = ['email', 'name', 'business', 'role', 'second factor', 'operator', 'last seen', 'id']
  const none = business === undefined ? 'There are no users yet.' : `${business} has no users.`
  output.result({ people: people.map(documentOf) }, rows.length === 0 ? none : table(head, rows))
}

export type InviteOptions = { business?: string; role: UserRole; email: string }

export async function welcomeCommand(output: Output): Promise<void> {
  const config = readConfig()
  const token = await withContext(config, output.step, makeWelcomeLink)
  if (token === undefined)
    throw new OperatorError('The dashboard already has a user. Invite others: npx manilla people invite --help')
  const link = linkTo(dashboardUrlOf(config, config.port), 'welcome', token)
  output.result({ link }, `${link}\nIt creates the first user of the dashboard. It works once, within 24 hours.`)
}

export async function invitePersonCommand(output: Output, options: InviteOptions): Promise<void> {
  const { role, email } = options
  const [named, address] = [businessIdOf(options), emailOf(email)]
  const config = readConfig()
  const invited = await withContext(config, output.step, async (ctx) => {
    const businessId = await chooseBusiness(ctx, named)
    await requireBusiness(ctx, businessId)
    const box = ctx.sendsMail === true ? createListedBox(ctx, await loadSecretKeys(config)) : undefined
    const manager = { businessId, by: ctx.by, personId: null }
    const outcome = await inviteUser(ctx, manager, { email: address, role }, box)
    return { ...outcome, business: formatId('business', businessId) }
  })
  if (invited.kind === 'too-many-mails')
    throw new OperatorError(
      `Too many invitations were sent to ${address}, or by this business, within a day. Try again tomorrow.`,
    )
  if (invited.kind !== 'invited' && invited.kind !== 'mailed')
    throw new OperatorError(`${address} already belongs to this business.`)
  const isMailed = invited.kind === 'mailed'
  const link = isMailed ? null : linkTo(dashboardUrlOf(config, config.port), 'invitation', invited.token)
  const { id, expiresAt, business } = invited
  const use = `once, until ${formatTime(expiresAt)}`
  output.result(
    { id: formatId('invitation', id), business, email: address, role, link, expiresAt },
    isMailed
      ? `An invitation is sent to ${address} by e-mail. Its link works ${use}.`
      : `${link}\nOnly ${address} can use this link, ${use}.`,
  )
}

export async function removePersonCommand(output: Output, who: string, options: { business?: string }): Promise<void> {
  const named = businessIdOf(options)
  const { email, removed, businessId } = await withContext(readConfig(), output.step, async (ctx) => {
    const manager = { businessId: await chooseBusiness(ctx, named), by: ctx.by, personId: null }
    const person = await findAccount(ctx, who, formatId('business', manager.businessId))
    return { email: person.email, ...manager, removed: await removeMember(ctx, manager, person.id) }
  })
  if (removed.kind === 'last-owner')
    throw new OperatorError(
      `${email} is the last owner of this business. Invite another owner first: npx manilla people invite --help`,
    )
  const business = formatId('business', businessId)
  if (removed.kind !== 'done') throw unknownUser(who, business)
  output.result({ business, email, removed: true }, `Removed ${email} and ended all sessions of this user.`)
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
  if (reset === undefined) throw unknownUser(who, business)
  const link = linkTo(dashboardUrlOf(config, config.port), 'reset', reset.link.token)
  const { expiresAt } = reset.link
  const isGone = secondFactor && reset.hadFactor
  const factor = isGone
    ? ' The second factor was removed.'
    : reset.hadFactor
      ? ' The second factor is still required.'
      : ''
  const text = `${link}\nIt sets a new password for ${email}. It works once, until ${formatTime(expiresAt)}.${factor}`
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
  const says = isOperator ? 'is now an operator and can open the Operations page' : 'is no longer an operator'
  output.result({ email, isOperator }, `${email} ${says}.`)
}

/** Finds the account with this email address or id. If several accounts share the address, `business` selects one. */
async function findAccount(ctx: Context, who: string, business: string | undefined): Promise<ListedPersonRow> {
  const id = parseId('person', who)
  const email = id === undefined ? emailOf(who) : undefined
  const all = await listPeople(ctx, null)
  const businessId = business === undefined ? undefined : idOf('business', business)
  const rows = all.filter((one) => one.id === id || one.email === email)
  const here = businessId === undefined ? rows : rows.filter((one) => one.business_id === businessId)
  const [account, ...others] = Map.groupBy(here, (one) => one.id).values()
  const [first] = account ?? []
  if (first === undefined) throw unknownUser(who, business)
  if (others.length === 0) return first
  const choices = [...Map.groupBy(rows, (one) => one.id).values()].map(choiceOf)
  throw new OperatorError(
    `${others.length + 1} accounts have the address ${first.email}. Add --business, or use the id instead of the address:\n${choices.join('\n')}`,
  )
}

function choiceOf(rows: ListedPersonRow[]): string {
  const [one] = rows
  const businesses = rows.flatMap(({ business_id: id, role }) =>
    id === null ? [] : `${role} of ${formatId('business', id)}`,
  )
  return `  ${one === undefined ? '' : formatId('person', one.id)}  ${one?.name}, ${businesses.join(', ') || 'no business'}`
}

function emailOf(text: string): string {
  const email = parseEmail(text)
  if (email === undefined) throw new UsageError(`${text} is not an email address.`)
  return email
}

function unknownUser(who: string, business: string | undefined): OperatorError {
  return new OperatorError(
    business === undefined
      ? `There is no user ${who}. See: npx manilla people list`
      : `${who} does not belong to this business. See: npx manilla people list --business ${business}`,
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
