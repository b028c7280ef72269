// The e-mails that a person gets from a business.

import { queryOptions } from '@tanstack/react-query'
import { ask, underBusiness } from './client.ts'

export type MailChoice = { kind: string; title: string; wants: boolean }
export type MailChoices = { sendsMail: boolean; choices: MailChoice[]; always: { title: string }[] }

export function mailsQuery(businessId: string) {
  return queryOptions({
    queryKey: [businessId, 'mails'],
    queryFn: async () => (await ask<MailChoices>(underBusiness(businessId, 'mails'))).data,
  })
}

export async function chooseMail(businessId: string, kind: string, wants: boolean): Promise<void> {
  await ask(underBusiness(businessId, 'mails'), { method: 'PATCH', body: { kind, wants } })
}
