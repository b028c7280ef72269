// Passkeys: they replace the password at sign-in, and serve as second factor.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { meQuery } from '#api/me.ts'
import { addPasskey, hasPasskeys, passkeysQuery, removePasskey, renamePasskey, type Passkey } from '#api/passkeys.ts'
import { TextField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { nameDevice } from '#format/device.ts'
import { useMe } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Row, Section, Stack } from '#ui/layout.tsx'
import { ErrorState, SkeletonLines } from '#ui/states.tsx'
import { Time } from '#ui/values.tsx'
import { LastFactor } from './factor-section.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import styles from './profile.module.css'
import { RecoveryCodes } from './recovery-codes.tsx'

type Open =
  | { kind: 'name' }
  | { kind: 'password'; name: string }
  | { kind: 'codes'; codes: string[] }
  | { kind: 'rename'; passkey: Passkey }
  | { kind: 'remove'; passkey: Passkey }

export function PasskeySection() {
  const { data, error, refetch } = useQuery(passkeysQuery)
  const [open, setOpen] = useState<Open>()
  return (
    <Section title="Passkeys">
      <Stack>
        <p>
          A passkey signs you in with the lock of your phone or computer, or with a security key. It works at this
          address only, so no other site can ask for it.
        </p>
        {data === undefined && error === null ? <SkeletonLines lines={2} /> : null}
        {data === undefined && error !== null ? <ErrorState failure={error} onRetry={() => void refetch()} /> : null}
        {data === undefined || data.length === 0 ? null : (
          <ul>
            {data.map((passkey) => (
              <PasskeyItem
                key={passkey.id}
                passkey={passkey}
                onRename={() => setOpen({ kind: 'rename', passkey })}
                onRemove={() => setOpen({ kind: 'remove', passkey })}
              />
            ))}
          </ul>
        )}
        <Row>
          <Button
            disabledReason={hasPasskeys() ? undefined : 'This browser knows no passkeys.'}
            onClick={() => setOpen({ kind: 'name' })}
          >
            Add passkey
          </Button>
        </Row>
      </Stack>
      {open === undefined ? null : <Opened open={open} isLast={data?.length === 1} onOpen={setOpen} />}
    </Section>
  )
}

type PasskeyItemProps = { passkey: Passkey; onRename: () => void; onRemove: () => void }

function PasskeyItem({ passkey, onRename, onRemove }: PasskeyItemProps) {
  const { name, createdAt, lastUsedAt } = passkey
  return (
    <li className={styles.signIn}>
      <div>
        {name}
        <div className={styles.muted}>
          Added <Time at={createdAt} />
          {lastUsedAt === null ? (
            ', never used'
          ) : (
            <>
              , last used <Time at={lastUsedAt} ago />
            </>
          )}
        </div>
      </div>
      <Row>
        <Button isSmall aria-label={`Rename the passkey ${name}`} onClick={onRename}>
          Rename
        </Button>
        <Button isSmall aria-label={`Remove the passkey ${name}`} onClick={onRemove}>
          Remove
        </Button>
      </Row>
    </li>
  )
}

type OpenedProps = { open: Open; isLast: boolean; onOpen: (next: Open | undefined) => void }

function Opened({ open, isLast, onOpen }: OpenedProps) {
  const refreshOf = useRefreshOf()
  const { hasApp } = useMe().person
  const close = (): void => onOpen(undefined)
  async function refresh(): Promise<void> {
    await refreshOf(passkeysQuery.queryKey, meQuery.queryKey)
  }

  async function add(name: string, password?: string): Promise<void> {
    const added = await addPasskey(name, password)
    if (added === undefined) return onOpen({ kind: 'password', name })
    if (added.recoveryCodes !== null) return onOpen({ kind: 'codes', codes: added.recoveryCodes })
    await refresh()
    close()
  }

  switch (open.kind) {
    case 'name':
      return (
        <NameDialog
          title="Add passkey"
          says="Give it a name by which you know the device, then follow your browser."
          name={nameDevice(navigator.userAgent)}
          onGiven={(name) => add(name)}
          onClose={close}
        />
      )
    case 'rename':
      return (
        <NameDialog
          title="Rename passkey"
          name={open.passkey.name}
          onGiven={(name) => renamePasskey(open.passkey.id, name).then(refresh).then(close)}
          onClose={close}
        />
      )
    case 'password':
      return <PasswordDialog onGiven={(password) => add(open.name, password)} onClose={close} />
    case 'codes':
      return <RecoveryCodes codes={open.codes} onClose={() => void refresh().then(close)} />
    case 'remove':
      return (
        <Confirm
          title={`Remove ${open.passkey.name}`}
          verb="Remove passkey"
          onClose={close}
          onConfirm={() => removePasskey(open.passkey.id).then(refresh)}
        >
          <p>It will not sign you in any more. Delete it on your device as well.</p>
          {isLast && !hasApp ? <LastFactor /> : null}
        </Confirm>
      )
  }
}

type NameDialogProps = {
  title: string
  says?: string
  name: string
  onGiven: (name: string) => Promise<void>
  onClose: () => void
}

function NameDialog({ title, says, name: known, onGiven, onClose }: NameDialogProps) {
  return (
    <Dialog title={title} says={says} onClose={onClose}>
      <Form submit={title} onCancel={onClose} onSubmit={({ name = '' }) => onGiven(name.trim())}>
        <TextField name="name" label="Name" defaultValue={known.slice(0, 100)} maxLength={100} autoComplete="off" />
      </Form>
    </Dialog>
  )
}
