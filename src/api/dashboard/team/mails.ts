// Which e-mails a person gets from a business, and who gets those about its low balance.

import { z } from 'zod'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { ApiError } from '#platform/errors.ts'
import type { Context } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { alwaysSent, chosenKinds } from '#mail/letter.ts'
import { mayGet, readChoices, saveChoice, type LetterReader } from '#mail/choices.ts'
import type { SignedIn, UserRole } from '#users/service.ts'

const path = '/dashboard/api/b/:business/mails'

export function mailEndpoints({ ctx }: Pick<EndpointParts, 'ctx'>): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path,
      permission: 'signed-in',
      handle: async ({ business, role, person }) => ({
        data: await shownChoices(ctx, readerOf(business, role, person)),
      }),
    }),
    dashboardEndpoint({
      method: 'PATCH',
      path,
      permission: 'signed-in',
      // It changes only what the user gets.
      changesBusiness: false,
      body: z.object({
        kind: z.enum(chosenKinds, `must be one of ${chosenKinds.join(', ')}`),
        wants: z.boolean('must be true or false'),
      }),
      handle: async ({ business, role, person, body }) => {
        const reader = readerOf(business, role, person)
        if (!mayGet(body.kind, reader)) throw new ApiError('FORBIDDEN', 'Your role does not get this e-mail.')
        await saveChoice(ctx, reader, body)
        return { data: await shownChoices(ctx, reader) }
      },
    }),
  ]
}

function readerOf(businessId: Uuid, role: UserRole, { person }: SignedIn): LetterReader {
  return { personId: person.id, businessId, role, isOperator: person.isOperator }
}

async function shownChoices(ctx: Context, reader: LetterReader): Promise<Record<string, unknown>> {
  const always = alwaysSent.map((title) => ({ title }))
  return { sendsMail: ctx.sendsMail === true, choices: await readChoices(ctx, reader), always }
}
