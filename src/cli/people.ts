// The people of the dashboard, at a terminal: who is there, and the links that let somebody in. Whoever has this terminal has
// the database, so nobody is asked what they are; the last owner of a business stays all the same.

import type { Context } from '#platform/context.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
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
  ])
  const head = ['e-mail', 'name', 'business', 'role', 'second factor', 'operator', 'last seen']
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
  email: string,
  { business }: { business: string },
): Promise<void> {
  const [businessId, address] = [idOf('business', business), emailOf(email)]
  const removed = await withContext(readConfig(), output.step, async (ctx) => {
    const person = (await listPeople(ctx, businessId)).find((one) => one.email === address)
    return person === undefined ? undefined : removeMember(ctx, { businessId, by: ctx.by, personId: null }, person.id)
  })
  if (removed?.kind === 'last-owner')
    throw new OperatorError(
      `${address} is the last owner of this business. Invite another one first: npx manilla people invite --help`,
    )
  if (removed?.kind !== 'done')
    throw new OperatorError(
      `There is no ${address} in this business. See: npx manilla people list --business ${business}`,
    )
  output.result({ business, email: address, removed: true }, `Removed ${address}, who is signed out everywhere.`)
}

export async function resetPersonCommand(
  output: Output,
  email: string,
  { secondFactor = false }: { secondFactor?: boolean },
): Promise<void> {
  const [address, config] = [emailOf(email), readConfig()]
  const reset = await withContext(config, output.step, (ctx) =>
    resetAtTerminal(ctx, address, { takesFactor: secondFactor }),
  )
  if (reset === undefined) throw nobody(address)
  const link = linkTo(dashboardUrlOf(config, config.port), 'reset', reset.link.token)
  const { expiresAt } = reset.link
  const isGone = secondFactor && reset.hadFactor
  const factor = isGone
    ? ' Their second factor is gone.'
    : reset.hadFactor
      ? ' Their second factor is still asked for.'
      : ''
  const text = `${link}\nIt sets a new password for ${address}, once, until ${formatTime(expiresAt)}.${factor}`
  output.result({ email: address, link, expiresAt, secondFactorRemoved: isGone }, text)
}

export async function setOperatorCommand(output: Output, email: string, word: 'on' | 'off'): Promise<void> {
  const [address, isOperator] = [emailOf(email), word === 'on']
  if (!(await withContext(readConfig(), output.step, (ctx) => makeOperator(ctx, address, isOperator))))
    throw nobody(address)
  const says = isOperator ? 'is an operator: they see the page Operations' : 'is no operator any more'
  output.result({ email: address, isOperator }, `${address} ${says}.`)
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

function nobody(email: string): OperatorError {
  return new OperatorError(`There is nobody with the address ${email}. See: npx manilla people list`)
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
