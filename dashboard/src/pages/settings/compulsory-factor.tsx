// The roles that must have a second factor. Before a change takes effect, the page lists the people without one.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Role } from '#api/me.ts'
import { changeSettings, settingsQuery, type Settings } from '#api/settings.ts'
import { teamQuery } from '#api/team.ts'
import { ChecksField } from '#form/fields.tsx'
import { Form, unsent } from '#form/form.tsx'
import { joinWords } from '#format/ids.ts'
import { useRefusal } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Confirm } from '#ui/confirm.tsx'
import { Checkbox } from '#ui/field.tsx'
import { Section } from '#ui/layout.tsx'
import { useSay } from '#ui/say.ts'

const roles: [Role, string][] = [
  ['owner', 'Owners'],
  ['admin', 'Admins'],
  ['developer', 'Developers'],
  ['finance', 'Finance'],
  ['support', 'Support'],
  ['viewer', 'Viewers'],
]

export function CompulsoryFactor({ settings }: { settings: Settings }) {
  const refusal = useRefusal('settings.change')
  const { data: team } = useQuery(teamQuery(settings.id))
  const refreshOf = useRefreshOf()
  const say = useSay()
  const [asked, setAsked] = useState<Role[]>()
  const without = (chosen: readonly Role[]): string[] =>
    (team?.people ?? []).filter((one) => chosen.includes(one.role) && !one.hasSecondFactor).map(({ name }) => name)

  async function save(chosen: Role[]): Promise<void> {
    await changeSettings(settings.id, { compulsoryFactorRoles: chosen })
    say('Settings saved')
    await refreshOf(settingsQuery(settings.id).queryKey)
  }

  return (
    <Section title="Compulsory second factor">
      <Form
        key={settings.compulsoryFactorRoles.join(' ')}
        submit="Save roles"
        disabledReason={refusal ?? (team === undefined ? 'The team is still loading.' : undefined)}
        onSubmit={async (values) => {
          const chosen = roles.map(([role]) => role).filter((role) => values[role] !== undefined)
          if (without(chosen).length === 0) return save(chosen)
          setAsked(chosen)
          return unsent
        }}
      >
        <p>
          In production everybody needs a second factor to change anything. People with a role that you choose here need
          one to see anything, on staging too: until they have set one up, they reach nothing else.
        </p>
        <ChecksField name="compulsoryFactorRoles" label="Who must have one">
          {roles.map(([role, word]) => (
            <Checkbox key={role} name={role} defaultChecked={settings.compulsoryFactorRoles.includes(role)}>
              {word}
            </Checkbox>
          ))}
        </ChecksField>
      </Form>
      {asked === undefined ? null : (
        <Confirm
          title="These people have no second factor yet"
          verb="Save roles"
          tone="primary"
          onClose={() => setAsked(undefined)}
          onConfirm={() => save(asked)}
        >
          {joinWords(without(asked))} will reach nothing of this business until they have set one up under “My profile”.
          Tell them first.
        </Confirm>
      )}
    </Section>
  )
}
