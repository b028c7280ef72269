// The users of the business.

import type { Member } from '#api/team.ts'
import { useMembership } from '#shell/place.ts'
import { textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Button } from '#ui/button.tsx'
import { Chip } from '#ui/status.tsx'
import { EmptyState } from '#ui/states.tsx'
import { Time } from '#ui/values.tsx'
import { canManage, roleWords } from './roles.ts'

type PeopleProps = { people: Member[]; refusal: string | undefined; onManage: (person: Member) => void }

const facts: Column<Member>[] = [
  textColumn('name', 'Name', ({ name, isYou }) => (isYou ? `${name} (you)` : name), { isOnPhone: true }),
  textColumn('email', 'E-mail address', ({ email }) => email),
  { id: 'role', head: 'Role', cell: ({ role }) => roleWords[role], isOnPhone: true },
  {
    id: 'factor',
    head: 'Second factor',
    cell: ({ hasSecondFactor }) =>
      hasSecondFactor ? <Chip tone="done">Set up</Chip> : <Chip tone="asks">Missing</Chip>,
  },
  { id: 'seen', head: 'Last seen', cell: ({ seenAt }) => <Time at={seenAt} /> },
]

export function People({ people, refusal, onManage }: PeopleProps) {
  const { role: own } = useMembership()
  function refusalOf({ isYou, role }: Member): string | undefined {
    if (isYou) return 'You cannot change your own role. Ask another owner.'
    return refusal ?? (canManage(own, role) ? undefined : 'Only an owner can manage owners and admins.')
  }
  const manage: Column<Member> = {
    id: 'manage',
    head: '',
    align: 'end',
    isOnPhone: true,
    cell: (person) => (
      <Button
        isSmall
        aria-label={`Manage ${person.name}`}
        disabledReason={refusalOf(person)}
        onClick={() => onManage(person)}
      >
        Manage
      </Button>
    ),
  }
  return (
    <DataTable
      label="People"
      columns={[...facts, manage]}
      rows={people}
      keyOf={({ id }) => id}
      empty={<EmptyState title="No people yet" says="Invite the first person." />}
    />
  )
}
