// API keys of an environment. The page cannot show an existing key again.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { keysQuery, type Key, type NewKey } from '#api/keys.ts'
import { paths } from '#shell/paths.ts'
import { usePlace, useRefusal } from '#shell/place.ts'
import { statusColumn, timeColumn, textColumn, type Column } from '#table/columns.tsx'
import { DataTable } from '#table/data-table.tsx'
import { Button, buttonLook } from '#ui/button.tsx'
import { PageHead } from '#ui/layout.tsx'
import { EmptyState } from '#ui/states.tsx'
import { Time } from '#ui/values.tsx'
import { KeyActions } from './key-actions.tsx'
import { sayLastUsed } from './last-used.ts'
import { NewKeyForm } from './new-key-form.tsx'
import { KeySecret } from './key-secret.tsx'

export function KeysPage() {
  const place = usePlace()
  const { data, error, refetch } = useQuery(keysQuery(place))
  const refusal = useRefusal('keys.change')
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<NewKey>()
  const create = (
    <Button tone="primary" disabledReason={refusal} onClick={() => setMaking(true)}>
      Create key
    </Button>
  )
  return (
    <>
      <PageHead
        title="API keys"
        says="Your programs use these keys to call the API. A key is shown once, when you create it."
        actions={create}
      />
      <DataTable
        label="API keys"
        columns={columnsWith(setMade)}
        rows={data}
        failure={error}
        onRetry={() => void refetch()}
        keyOf={({ id }) => id}
        empty={place.environment === 'production' ? <NoLiveKey /> : <NoTestKey>{create}</NoTestKey>}
      />
      {isMaking ? <NewKeyForm onMade={setMade} onClose={() => setMaking(false)} /> : null}
      {made === undefined ? null : <KeySecret made={made} onClose={() => setMade(undefined)} />}
    </>
  )
}

function columnsWith(onRolled: (made: NewKey) => void): Column<Key>[] {
  return [
    textColumn('name', 'Name', ({ name }) => name, { isOnPhone: true }),
    { id: 'key', head: 'Key', cell: ({ prefix, lastFour }) => `${prefix}…${lastFour}` },
    statusColumn(({ status }) => status),
    { id: 'used', head: 'Last used', cell: ({ lastUsedAt }) => sayLastUsed(lastUsedAt, new Date().getTime()) },
    textColumn('scopes', 'Permissions', sayLimits),
    timeColumn('createdAt', 'Created', ({ createdAt }) => createdAt),
    textColumn('by', 'By', ({ createdBy }) => createdBy),
    { id: 'ends', head: 'Expires', cell: (key) => <Time at={key.revokedAt ?? key.expiresAt} ago={isEnding(key)} /> },
    {
      id: 'actions',
      head: 'Actions',
      cell: (key) => <KeyActions apiKey={key} onRolled={onRolled} />,
      align: 'end',
      isOnPhone: true,
    },
  ]
}

function sayLimits({ scopes, allow }: Key): string {
  const does = scopes?.join(', ') ?? 'full access'
  return allow === null ? does : `${does}, from ${allow.join(', ')}`
}

/** A rolled key works for some hours beside its successor, so the page shows the hours that are left and no date. */
function isEnding({ status }: Key): boolean {
  return status === 'expiring'
}

function NoTestKey({ children }: { children: ReactNode }) {
  return (
    <EmptyState title="No key yet" says="A test key works on staging alone, where no real money moves.">
      {children}
    </EmptyState>
  )
}

function NoLiveKey() {
  return (
    <EmptyState
      title="No live key yet"
      says="The first live key is made at the end of a list that checks whether this business is ready."
    >
      <Link to={paths.goLive(usePlace())} className={buttonLook({ tone: 'primary' })}>
        Go live
      </Link>
    </EmptyState>
  )
}
