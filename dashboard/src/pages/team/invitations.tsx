// Invitations that were not accepted yet.

import { useState } from 'react'
import { teamQuery, withdrawInvitation, type Invitation } from '#api/team.ts'
import { usePlace } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { Section } from '#ui/layout.tsx'
import { Time } from '#ui/values.tsx'
import { roleWords } from './roles.ts'

const facts: Column<Invitation>[] = [
  textColumn('email', 'E-mail address', ({ email }) => email, { isOnPhone: true }),
  { id: 'role', head: 'Role', cell: ({ role }) => roleWords[role], isOnPhone: true },
  textColumn('by', 'Invited by', ({ invitedBy }) => invitedBy),
  { id: 'expires', head: 'Works until', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
]

type InvitationsProps = { invitations: Invitation[]; refusal: string | undefined }

export function Invitations({ invitations, refusal }: InvitationsProps) {
  const { businessId } = usePlace()
  const refreshOf = useRefreshOf()
  const [asked, setAsked] = useState<Invitation>()
  const withdraw: Column<Invitation> = {
    id: 'withdraw',
    head: '',
    align: 'end',
    isOnPhone: true,
    cell: (invitation) => (
      <Button
        isSmall
        aria-label={`Withdraw the invitation of ${invitation.email}`}
        disabledReason={refusal}
        onClick={() => setAsked(invitation)}
      >
        Withdraw
      </Button>
    ),
  }
  return (
    <Section title="Open invitations">
      <DataTable
        label="Open invitations"
        columns={[...facts, withdraw]}
        rows={invitations}
        keyOf={({ id }) => id}
        empty={null}
      />
      {asked === undefined ? null : (
        <Confirm
          title="Withdraw invitation"
          verb="Withdraw invitation"
          onClose={() => setAsked(undefined)}
          onConfirm={async () => {
            await withdrawInvitation(businessId, asked.id)
            await refreshOf(teamQuery(businessId).queryKey)
          }}
        >
          The link that {asked.email} was sent stops working at once.
        </Confirm>
      )}
    </Section>
  )
}
