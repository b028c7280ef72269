// The endpoints for saved recipients: the bank accounts, wallets and tills that a business pays repeatedly.

import { z } from 'zod'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { accountNumber, requireId, text, validationError } from '#api/server/fields.ts'
import { phoneForms } from '#api/v1/directory.ts'
import { readCurrencies } from '#businesses/currencies.ts'
import { businessNumberForm, findOperator, parsePhoneNumber, servesNumber } from '#directory/operators.ts'
import { recipientsMax, type RecipientOutcome } from '#payouts/recipients.ts'
import type { ListedRecipient } from '#payouts/service.ts'
import { ApiError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { personOf } from './drafts.ts'

const path = '/dashboard/api/b/:business/:environment/recipients'
const idParams = z.object({ id: z.string() })
const listMax = 100

const common = {
  name: text(100).trim().min(1, 'must not be empty'),
  institution: text(100),
  tags: z.array(text(40).trim().min(1, 'must not be empty')).max(10, 'must have at most 10 items').default([]),
}

const body = z
  .discriminatedUnion(
    'kind',
    [
      z.object({ kind: z.literal('bank'), ...common, accountNumber }),
      z.object({ kind: z.literal('wallet'), ...common, accountNumber: text(30) }),
    ],
    'must be bank or wallet',
  )
  .transform((fields, context) => {
    if (fields.kind === 'bank') return fields
    const operator = findOperator(fields.institution)
    if (operator !== undefined && operator.recipient !== 'phone') {
      const isTill = operator.recipient === 'till'
      if (isTill && businessNumberForm.test(fields.accountNumber)) return fields
      const message = isTill
        ? 'must be the 5 to 7 digits of the till'
        : 'cannot be saved: paybills are paid with the API'
      context.addIssue({ code: 'custom', path: ['accountNumber'], message })
      return z.NEVER
    }
    // The country of the mobile operator lets the parser read a number in its national form. Nigerian numbers are read
    // without a country, because with it the parser would accept a number that lacks its leading 0.
    const country = operator?.country === 'NG' ? undefined : operator?.country
    const number = parsePhoneNumber(fields.accountNumber, country)
    if (number !== undefined && (operator === undefined || servesNumber(operator, number)))
      return { ...fields, accountNumber: number }
    const message = operator === undefined ? phoneForms : `must be a phone number of ${operator.countryName}`
    context.addIssue({ code: 'custom', path: ['accountNumber'], message })
    return z.NEVER
  })

const shownText = z.string('must be a string')
/** The recipient as the user saw it. It is only compared with the stored recipient. */
const shownBody = z.object(
  {
    kind: z.enum(['bank', 'wallet'], 'must be bank or wallet'),
    name: shownText,
    institution: shownText,
    accountNumber: shownText,
    tags: z.array(shownText, 'must be an array'),
  },
  'must be an object',
)

const paid = z.enum(['never', 'lately', 'not-lately'], 'must be never, lately or not-lately')

const importBytesMax = 4 * 1024 * 1024
const importedCell = text(300, 0).default('')
const importedRow = z.object({ name: importedCell, bank: importedCell, account: importedCell, tags: importedCell })

export function recipientEndpoints(parts: Pick<EndpointParts, 'ctx' | 'rooms'>): DashboardEndpoint[] {
  const { payouts } = parts.rooms
  return [
    dashboardEndpoint({
      method: 'GET',
      path,
      permission: 'payments.see',
      query: z.object({ search: text(100, 0).default(''), tag: text(40).optional(), paid: paid.optional() }),
      handle: async ({ tenant, query: { search, tag = null, paid: paidWhen = null } }) => {
        const [found, tags] = await Promise.all([
          payouts.recipients(tenant, { search, tag, paid: paidWhen, limit: listMax }),
          payouts.recipientTags(tenant),
        ])
        return { data: { recipients: found.map(shownRecipient), tags } }
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path,
      permission: 'payouts.propose',
      body,
      handle: async (place) => ({
        data: shownRecipient(requireSaved(await payouts.saveRecipient(place.tenant, personOf(place), place.body))),
      }),
    }),
    importEndpoint(parts),
    dashboardEndpoint({
      method: 'PATCH',
      path: `${path}/:id`,
      permission: 'payouts.propose',
      params: idParams,
      body: z.intersection(body, z.object({ shown: shownBody })),
      handle: async (place) => {
        const id = requireId('recipient', place.params.id, noRecipient)
        const { shown, ...fields } = place.body
        const outcome = await payouts.changeRecipient(place.tenant, personOf(place), id, { fields, shown })
        return { data: shownRecipient(requireSaved(outcome)) }
      },
    }),
    dashboardEndpoint({
      method: 'DELETE',
      path: `${path}/:id`,
      permission: 'payouts.propose',
      params: idParams,
      body: z.object({ shown: shownBody }),
      handle: async (place) => {
        const id = requireId('recipient', place.params.id, noRecipient)
        const outcome = await payouts.removeRecipient(place.tenant, personOf(place), { id, shown: place.body.shown })
        if (outcome === 'not-found') throw noRecipient()
        if (outcome === 'changed') throw changed()
        return { data: {} }
      },
    }),
  ]
}

function importEndpoint({ ctx, rooms: { payouts } }: Pick<EndpointParts, 'ctx' | 'rooms'>): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: `${path}/import`,
    permission: 'payouts.propose',
    bodyBytesMax: importBytesMax,
    body: z.object({
      rows: z
        .array(importedRow, 'must be an array')
        .min(1, 'must not be empty')
        .max(recipientsMax, `must have at most ${recipientsMax} items`),
    }),
    handle: async (place) => {
      const { tenant, body: imported } = place
      const used = (await readCurrencies(ctx, tenant)).filter(({ on }) => on).map(({ currency }) => currency)
      const outcome = await payouts.importRecipients(tenant, personOf(place), imported.rows, used)
      if (outcome.kind === 'too-many')
        throw new ApiError('CONFLICT', `A business can have at most ${outcome.max} recipients. None was imported.`)
      return { data: { saved: outcome.saved, unsaved: outcome.unsaved } }
    },
  })
}

function noRecipient(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no such recipient.')
}

function changed(): ApiError {
  return new ApiError(
    'CONFLICT',
    'Another person changed this recipient since you opened the page. Reload the page and check it again.',
  )
}

function requireSaved(outcome: RecipientOutcome): ListedRecipient {
  switch (outcome.kind) {
    case 'saved':
      return { ...outcome.recipient, lastPaidAt: null }
    case 'not-found':
      throw noRecipient()
    case 'changed':
      throw changed()
    case 'unknown-institution':
      throw validationError([{ field: 'institution', message: 'institution is not the slug of a bank or operator' }])
    case 'no-such-account':
      throw validationError([{ field: 'accountNumber', message: 'accountNumber is unknown to the bank' }])
    case 'taken':
      throw new ApiError('CONFLICT', 'Another recipient already has this account.')
    case 'too-many':
      throw new ApiError('CONFLICT', `There are already ${outcome.max} recipients. Remove one first.`)
  }
}

function shownRecipient(recipient: ListedRecipient): Record<string, unknown> {
  const { id, kind, name, institution, accountNumber: number, accountName, tags, changedBy } = recipient
  return {
    id: formatId('recipient', id),
    kind,
    name,
    institution,
    accountNumber: number,
    accountName,
    tags,
    changedBy,
    verifiedAt: recipient.verifiedAt?.toISOString() ?? null,
    createdAt: recipient.createdAt.toISOString(),
    changedAt: recipient.changedAt?.toISOString() ?? null,
    lastPaidAt: recipient.lastPaidAt?.toISOString() ?? null,
  }
}
