// Which e-mails the person gets, for each business.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { chooseMail, mailsQuery, type MailChoices } from '#api/mails.ts'
import { useMe } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Checkbox, Field, Select } from '#ui/field.tsx'
import { Section, Stack } from '#ui/layout.tsx'
import { ErrorState, Notice, SkeletonLines } from '#ui/states.tsx'
import { useSay } from '#ui/say.ts'

export function MailsSection() {
  const { businesses } = useMe()
  const [chosen, setChosen] = useState(businesses[0]?.id)
  if (chosen === undefined) return null
  return (
    <Section title="E-mails">
      <Stack>
        {businesses.length > 1 ? (
          <Field label="Business">
            {(ties) => (
              <Select
                {...ties}
                choices={businesses.map(({ id, name }) => ({ value: id, label: name }))}
                value={chosen}
                onChange={(event) => setChosen(event.target.value)}
              />
            )}
          </Field>
        ) : null}
        <Mails businessId={chosen} />
      </Stack>
    </Section>
  )
}

function Mails({ businessId }: { businessId: string }) {
  const { data, error, refetch } = useQuery(mailsQuery(businessId))
  if (data !== undefined) return <MailList businessId={businessId} mails={data} />
  if (error === null) return <SkeletonLines lines={4} />
  return <ErrorState failure={error} onRetry={() => void refetch()} />
}

function MailList({ businessId, mails }: { businessId: string; mails: MailChoices }) {
  const { person } = useMe()
  const queries = useQueryClient()
  const refreshOf = useRefreshOf()
  const say = useSay()
  const change = async (kind: string, wants: boolean): Promise<void> => {
    // The box changes at once; if the request fails, it changes back.
    const { queryKey } = mailsQuery(businessId)
    const choices = mails.choices.map((one) => (one.kind === kind ? { ...one, wants } : one))
    queries.setQueryData(queryKey, { ...mails, choices })
    try {
      await chooseMail(businessId, kind, wants)
      say(wants ? 'E-mail switched on' : 'E-mail switched off')
    } catch {
      say('Not saved. Try again.')
    }
    await refreshOf(queryKey)
  }
  return (
    <Stack>
      {mails.sendsMail ? (
        <p>E-mails go to {person.email}.</p>
      ) : (
        <Notice>This installation has no mail server, so no e-mails are sent.</Notice>
      )}
      {mails.choices.map(({ kind, title, wants }) => (
        <Checkbox key={kind} checked={wants} onChange={(event) => void change(kind, event.target.checked)}>
          {title}
        </Checkbox>
      ))}
      <p>Always sent: {mails.always.map(({ title }) => title.toLowerCase().replace('api', 'API')).join('; ')}.</p>
    </Stack>
  )
}
