// An invitation is a link, shown once and mailed if a mail server is set. Otherwise the inviter sends it to the person by a way
// that they trust.

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Role } from '#api/me.ts'
import { invite, teamQuery } from '#api/team.ts'
import { SelectField, TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useMembership } from '#shell/place.ts'
import { Dialog } from '#ui/dialog.tsx'
import { LinkOnce } from './link-once.tsx'
import { rolesGivenBy } from './roles.ts'

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { id: businessId, role: own } = useMembership()
  const queries = useQueryClient()
  const [made, setMade] = useState<{ link: string; email: string; isMailed: boolean }>()
  if (made !== undefined) {
    return (
      <Dialog title="Invitation made">
        <LinkOnce
          link={made.link}
          says={
            made.isMailed
              ? `An invitation was sent to ${made.email}. This is the same link, which works once, for that address, within seven days, and is not shown again.`
              : `Send this link to ${made.email}. It works once, for that address, within seven days, and is not shown again.`
          }
          onClose={onClose}
        />
      </Dialog>
    )
  }
  return (
    <Dialog title="Invite person" onClose={onClose}>
      <Form
        submit="Make invitation"
        onCancel={onClose}
        onSubmit={async ({ email = '', role = '' }) => {
          const { link, isMailed } = await invite(businessId, email.trim(), role as Role)
          setMade({ link, email: email.trim(), isMailed })
          await queries.invalidateQueries({ queryKey: teamQuery(businessId).queryKey })
        }}
      >
        <TextField name="email" label="E-mail address" type="email" autoComplete="off" />
        <SelectField name="role" label="Role" choices={rolesGivenBy(own)} defaultValue="viewer" />
      </Form>
    </Dialog>
  )
}
