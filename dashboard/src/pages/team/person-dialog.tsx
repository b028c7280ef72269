// The actions on a person of the business: another role, a link for a new password, removal.

import { useState } from 'react'
import type { Role } from '#api/me.ts'
import { changeRole, makeResetLink, removePerson, teamQuery, type Member } from '#api/team.ts'
import { SelectField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useMembership, usePlace } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Row, Section, Stack } from '#ui/layout.tsx'
import { useSay } from '#ui/say.ts'
import { LinkOnce } from './link-once.tsx'
import { rolesGivenBy, roleWords } from './roles.ts'

type PersonDialogProps = { person: Member; sendsMail: boolean; onClose: () => void }

export function PersonDialog({ person, sendsMail, onClose }: PersonDialogProps) {
  const { id: businessId, role: own } = useMembership()
  const refreshOf = useRefreshOf()
  const say = useSay()
  const [isRemoving, setRemoving] = useState(false)
  const [link, setLink] = useState<string>()
  const refresh = (): Promise<void> => refreshOf(teamQuery(businessId).queryKey)
  if (link !== undefined) {
    const says = `Send this link to ${person.name}. It works once, within an hour, and is not shown again.`
    return <Dialog title="Link for a new password" children={<LinkOnce link={link} says={says} onClose={onClose} />} />
  }
  if (isRemoving) {
    return (
      <Confirm
        title={`Remove ${person.name}`}
        verb="Remove person"
        onClose={onClose}
        onConfirm={async () => {
          await removePerson(businessId, person.id)
          say(`${person.name} was removed`)
          await refresh()
        }}
      >
        {person.name} loses access to this business at once. What they did stays in the audit log.
      </Confirm>
    )
  }
  return (
    <Dialog title={person.name} says={person.email} onClose={onClose}>
      <Stack isWide>
        <Form
          submit="Change role"
          onSubmit={async ({ role = '' }) => {
            await changeRole(businessId, person.id, role as Role)
            say(`${person.name} is ${roleWords[role as Role].toLowerCase()} now`)
            await refresh()
            onClose()
          }}
        >
          <SelectField
            name="role"
            label="Role"
            hint="Takes effect at once; their sessions end."
            choices={rolesGivenBy(own)}
            defaultValue={person.role}
          />
        </Form>
        <Reset person={person} sendsMail={sendsMail} onMade={setLink} onClose={onClose} />
        <Row>
          <Button tone="danger" onClick={() => setRemoving(true)}>
            Remove person
          </Button>
        </Row>
      </Stack>
    </Dialog>
  )
}

function Reset({ person, sendsMail, onMade, onClose }: PersonDialogProps & { onMade: (link: string) => void }) {
  const { businessId } = usePlace()
  const say = useSay()
  return (
    <Section title="Forgotten password">
      <Stack>
        <p>
          A link{sendsMail ? ' in an e-mail' : ''} lets {person.name} set a new one. Their second factor stays as it is.
        </p>
        <Form
          submit={sendsMail ? 'Send reset link' : 'Make reset link'}
          tone="plain"
          onSubmit={async () => {
            const { link } = await makeResetLink(businessId, person.id)
            if (link !== null) return onMade(link)
            say(`Link sent to ${person.email}`)
            onClose()
          }}
        />
      </Stack>
    </Section>
  )
}
