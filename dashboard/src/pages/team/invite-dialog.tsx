// An invitation is a link. With a mail server, the service e-mails it and the page does not show it, so that only a person who
// reads the mail of the invited address can follow it. Otherwise the page shows the link once, to be passed on.

import { useState } from 'react'
import type { Role } from '#api/me.ts'
import { invite, teamQuery } from '#api/team.ts'
import { SelectField, TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useMembership } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Dialog } from '#ui/dialog.tsx'
import { useSay } from '#ui/say.ts'
import { LinkOnce } from './link-once.tsx'
import { rolesGivenBy } from './roles.ts'

export function InviteDialog({ sendsMail, onClose }: { sendsMail: boolean; onClose: () => void }) {
  const { id: businessId, role: own } = useMembership()
  const refreshOf = useRefreshOf()
  const say = useSay()
  const [made, setMade] = useState<{ link: string; email: string }>()
  if (made !== undefined) {
    return (
      <Dialog title="Invitation made">
        <LinkOnce
          link={made.link}
          says={`Send this link to ${made.email}. It works once, for that address, within seven days, and is not shown again.`}
          onClose={onClose}
        />
      </Dialog>
    )
  }
  return (
    <Dialog
      title="Invite person"
      says={sendsMail ? 'They get an e-mail with a link that works once, within seven days.' : undefined}
      onClose={onClose}
    >
      <Form
        submit={sendsMail ? 'Send invitation' : 'Make invitation'}
        onCancel={onClose}
        onSubmit={async ({ email = '', role = '' }) => {
          const address = email.trim()
          const { link } = await invite(businessId, address, role as Role)
          if (link === null) {
            say(`Invitation sent to ${address}`)
            onClose()
          } else setMade({ link, email: address })
          await refreshOf(teamQuery(businessId).queryKey)
        }}
      >
        <TextField name="email" label="E-mail address" type="email" autoComplete="off" />
        <SelectField name="role" label="Role" choices={rolesGivenBy(own)} defaultValue="viewer" />
      </Form>
    </Dialog>
  )
}
