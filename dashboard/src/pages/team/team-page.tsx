// The people of a business, open invitations, and the permissions of each role.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { teamQuery, type Member } from '#api/team.ts'
import { FactorNotice } from '#shell/factor-notice.tsx'
import { usePlace, useRefusal } from '#shell/place.ts'
import { Button } from '#ui/button.tsx'
import { PageHead, Section, Stack } from '#ui/layout.tsx'
import { ErrorState, SkeletonLines } from '#ui/states.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { Invitations } from './invitations.tsx'
import { People } from './people.tsx'
import { PersonDialog } from './person-dialog.tsx'
import { RolesTable } from './roles-table.tsx'

type Open = { kind: 'invite' } | { kind: 'person'; person: Member }

export function TeamPage() {
  const { businessId } = usePlace()
  const { data, error, refetch } = useQuery(teamQuery(businessId))
  const [open, setOpen] = useState<Open>()
  const refusal = useRefusal('people.manage')
  const close = (): void => setOpen(undefined)
  if (data === undefined) {
    return error === null ? <SkeletonLines /> : <ErrorState isPage failure={error} onRetry={() => void refetch()} />
  }
  return (
    <>
      <PageHead
        title="Team"
        says="The same people work in staging and in production; what each may do there differs."
        actions={
          <Button tone="primary" disabledReason={refusal} onClick={() => setOpen({ kind: 'invite' })}>
            Invite person
          </Button>
        }
      />
      <Stack isWide>
        <FactorNotice permission="people.manage" />
        <People people={data.people} refusal={refusal} onManage={(person) => setOpen({ kind: 'person', person })} />
        {data.invitations.length === 0 ? null : <Invitations invitations={data.invitations} refusal={refusal} />}
        <Section title="What each role may do">
          <RolesTable />
        </Section>
      </Stack>
      {open?.kind === 'invite' ? <InviteDialog sendsMail={data.sendsMail} onClose={close} /> : null}
      {open?.kind === 'person' ? (
        <PersonDialog person={open.person} sendsMail={data.sendsMail} onClose={close} />
      ) : null}
    </>
  )
}
