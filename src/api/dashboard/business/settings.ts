// The endpoints for the settings of a business, its logo and currencies, saved views, and creating further businesses.

import { z } from 'zod'
import { judge } from '#api/dashboard/permissions.ts'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { businessName } from '#api/dashboard/team/fields.ts'
import { currencyName, text, requireId, validationError } from '#api/server/fields.ts'
import { createBusiness } from '#businesses/business.ts'
import { readCurrencies, setCurrencies, type CurrencyOutcome } from '#businesses/currencies.ts'
import { readLogo, setLogo, readLogoImage, uploadBytesMax, type LogoImage } from '#businesses/logo.ts'
import { changeSettings, isTimeZone, readSettings, type BusinessSettings } from '#businesses/settings.ts'
import { listViews, removeView, saveView, viewsMax, type SavedView } from '#businesses/views.ts'
import { present } from '#platform/assert.ts'
import { ApiError } from '#platform/errors.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { currencies } from '#platform/money.ts'
import { makeOwner } from '#users/members.ts'
import { roles } from '#users/service.ts'

/**
 * A user who belongs to this many businesses cannot create another in the dashboard. `manilla businesses create` has no
 * limit.
 */
const businessesMax = 50

export function createBusinessEndpoint({ ctx }: Pick<EndpointParts, 'ctx'>): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'POST',
    path: '/dashboard/api/businesses',
    permission: 'signed-in',
    body: z.object({ name: businessName }),
    handle: async ({ person, body, by }) => {
      if (![...person.roles.values()].includes('owner'))
        throw new ApiError('FORBIDDEN', 'Only an owner of a business can create another one.')
      const personId = person.person.id
      const { id, name } = await createBusiness(
        { ...ctx, by: by() },
        body.name,
        async (tx, { id: businessId, createdAt }) => {
          const nowMs = createdAt.getTime()
          if (!(await makeOwner(tx, { businessId, personId, nowMs, businessesMax })))
            throw new ApiError('CONFLICT', `You already belong to ${businessesMax} businesses.`)
        },
      )
      return { data: { id: formatId('business', id), name } }
    },
  })
}

const factorRole = z.enum(roles, `must be one of ${roles.join(', ')}`)
const timeZone = z.string('must be a string').refine(isTimeZone, 'must be the zone of a place, such as Africa/Lagos')

export function settingsEndpoints({ ctx }: Pick<EndpointParts, 'ctx'>): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/b/:business/settings',
      permission: 'settings.see',
      handle: async ({ business }) => {
        const [settings] = await readSettings(ctx, [business])
        return { data: shownSettings(present(settings, 'a member of the business sends the request')) }
      },
    }),
    dashboardEndpoint({
      method: 'PATCH',
      path: '/dashboard/api/b/:business/settings',
      permission: 'settings.change',
      body: z.object({
        name: businessName.optional(),
        timeZone: timeZone.optional(),
        compulsoryFactorRoles: z
          .array(factorRole, 'must be a list of roles')
          .transform((given) => roles.filter((one) => given.includes(one)))
          .optional(),
        hasReceiptLinks: z.boolean('must be true or false').optional(),
      }),
      handle: async ({ business, body, by }) => ({
        data: shownSettings(await changeSettings({ ...ctx, by: by() }, business, body)),
      }),
    }),
  ]
}

const logoPath = '/dashboard/api/b/:business/logo'

/** The logo is served only inside other responses, so that a browser never interprets its bytes as a page. */
export function dataUrlOf({ type, bytes }: LogoImage): string {
  return `data:${type};base64,${bytes.toString('base64')}`
}

export function logoEndpoints({ ctx }: Pick<EndpointParts, 'ctx'>): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path: logoPath,
      permission: 'settings.see',
      handle: async ({ business }) => {
        const logo = await readLogo(ctx, business)
        return { data: { image: logo === undefined ? null : dataUrlOf(logo) } }
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path: logoPath,
      permission: 'settings.change',
      body: z.object({ image: z.string('must be the file in Base64') }),
      // Base64 has four characters for three bytes. The limit is higher still, so that a file that is somewhat too
      // large gets an error about the image.
      bodyBytesMax: 2 * uploadBytesMax,
      handle: async ({ business, body, by }) => {
        const logo = readLogoImage(Buffer.from(body.image, 'base64'))
        if ('why' in logo) throw validationError([{ field: 'image', message: `image ${logo.why}` }])
        await setLogo({ ...ctx, by: by() }, business, logo)
        return { data: { image: dataUrlOf(logo) } }
      },
    }),
    dashboardEndpoint({
      method: 'DELETE',
      path: logoPath,
      permission: 'settings.change',
      handle: async ({ business, by }) => {
        await setLogo({ ...ctx, by: by() }, business, undefined)
        return { data: { image: null } }
      },
    }),
  ]
}

const currenciesPath = '/dashboard/api/b/:business/:environment/currencies'

export function currencyEndpoints({ ctx }: Pick<EndpointParts, 'ctx'>): DashboardEndpoint[] {
  const listed = z.array(currencyName).max(currencies.length).default([])
  return [
    dashboardEndpoint({
      method: 'GET',
      path: currenciesPath,
      permission: 'balance.see',
      handle: async ({ tenant }) => ({ data: { currencies: await readCurrencies(ctx, tenant) } }),
    }),
    dashboardEndpoint({
      method: 'PATCH',
      path: currenciesPath,
      permission: 'settings.change',
      body: z.object({ on: listed, off: listed }),
      handle: async ({ tenant, body, by }) => {
        const outcome = await setCurrencies({ ...ctx, by: by() }, tenant, body)
        if (outcome.kind !== 'set') throw refusedCurrency(outcome)
        return { data: { currencies: await readCurrencies(ctx, tenant) } }
      },
    }),
  ]
}

function refusedCurrency(outcome: Exclude<CurrencyOutcome, { kind: 'set' }>): ApiError {
  if (outcome.kind === 'always-on') return validationError([{ field: 'off', message: 'NGN is always on' }])
  return new ApiError(
    'CONFLICT',
    `${outcome.currency} has a balance or payments under way, so it cannot be switched off.`,
  )
}

function shownSettings(settings: BusinessSettings): Record<string, unknown> {
  const { id, name, timeZone: zone, compulsoryFactorRoles, hasReceiptLinks } = settings
  return { id: formatId('business', id), name, timeZone: zone, compulsoryFactorRoles, hasReceiptLinks }
}

const path = '/dashboard/api/b/:business/:environment/views'
const noun = z.string('must be a string').regex(/^[a-z-]{1,40}$/, 'must be the name of a list, such as transfers')
const queryLengthMax = 2_000

export function viewEndpoints({ ctx }: Pick<EndpointParts, 'ctx'>): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path,
      permission: 'payments.see',
      query: z.object({ noun: noun.optional() }),
      handle: async ({ tenant, person, query }) => {
        const views = await listViews(ctx, tenant, person.person.id, query.noun)
        return { data: { views: views.map((view) => shownView(view, person.person.id)) } }
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path,
      permission: 'payments.see',
      changesBusiness: false,
      body: z.object({
        noun,
        name: text(60).trim().min(1, 'must not be empty'),
        query: text(queryLengthMax, 0),
        isShared: z.boolean('must be true or false'),
      }),
      handle: async ({ tenant, person, body }) => {
        const personId = person.person.id
        const saved = await saveView(ctx, tenant, { ...body, personId })
        if (saved === undefined)
          throw new ApiError('CONFLICT', `There are already ${viewsMax} saved views. Remove one first.`)
        return { data: shownView(saved, personId) }
      },
    }),
    dashboardEndpoint({
      method: 'DELETE',
      path: `${path}/:id`,
      permission: 'payments.see',
      changesBusiness: false,
      params: z.object({ id: z.string() }),
      handle: async ({ tenant, person, role, params }) => {
        const id = requireId('savedView', params.id, noView)
        // Owners and admins may also remove shared views of other users.
        const mayDeleteShared = judge('settings.see', role, tenant.environment) !== 'no'
        if (!(await removeView(ctx, tenant, id, { personId: person.person.id, mayDeleteShared }))) throw noView()
        return { data: {} }
      },
    }),
  ]
}

function noView(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no such saved view, or you may not remove it.')
}

function shownView({ id, noun: list, name, query, isShared, personId }: SavedView, you: Uuid): Record<string, unknown> {
  return { id: formatId('savedView', id), noun: list, name, query, isShared, isYours: personId === you }
}
