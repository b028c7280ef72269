// The second factor: an app on a phone that shows six digits, or a passkey (passkey-section.tsx), and recovery codes
// for both. A person without a second factor can only read production, and can make no large exports of it. If the
// business requires a second factor of the person's role, such a person can use nothing of the business.

import { useState } from 'react'
import { beginFactor, makeRecoveryCodes, meQuery, removeFactor, type FactorToBe } from '#api/me.ts'
import { countOf } from '#format/ids.ts'
import { useMe } from '#shell/place.ts'
import { useRefreshOf } from '#shell/refresh.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { Row, Section, Stack } from '#ui/layout.tsx'
import { Notice } from '#ui/states.tsx'
import { FactorDialog } from './factor-dialog.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

type Open =
  | { kind: 'password' }
  | ({ kind: 'set-up' } & FactorToBe)
  | { kind: 'codes'; codes: string[] }
  | { kind: 'remove' }

async function setUp(password?: string): Promise<Open> {
  const begun = await beginFactor(password)
  return begun === undefined ? { kind: 'password' } : { kind: 'set-up', ...begun }
}

export function FactorSection() {
  const { person } = useMe()
  const [open, setOpen] = useState<Open>()
  const [wrong, setWrong] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  /**
   * The buttons are disabled during the action: a second press would make new codes or a new secret, and the dialog
   * could show the ones that are no longer valid.
   */
  async function attempt(action: () => Promise<Open>): Promise<void> {
    setBusy(true)
    setWrong(undefined)
    await action().then(setOpen, (error: unknown) => setWrong(error instanceof Error ? error.message : String(error)))
    setBusy(false)
  }

  return (
    <Section title="Second factor">
      <Stack>
        <p>
          {person.hasApp
            ? 'An app shows your codes.'
            : 'An app on your phone shows six digits that you enter after your password.'}{' '}
          {person.hasSecondFactor
            ? `${countOf(person.recoveryCodesLeft, 'recovery code')} left.`
            : 'Without a second factor, you can only read in production. A passkey is one too.'}
        </p>
        {wrong === undefined ? null : <Notice tone="failed">{wrong}</Notice>}
        <Row>
          {person.hasSecondFactor ? (
            <Button
              isBusy={isBusy}
              onClick={() => void attempt(async () => ({ kind: 'codes', codes: await makeRecoveryCodes() }))}
            >
              Make new recovery codes
            </Button>
          ) : null}
          {person.hasApp ? (
            <Button tone="quiet" onClick={() => setOpen({ kind: 'remove' })}>
              Remove second factor
            </Button>
          ) : (
            <Button
              tone={person.hasSecondFactor ? 'plain' : 'primary'}
              isBusy={isBusy}
              onClick={() => void attempt(setUp)}
            >
              Set up second factor
            </Button>
          )}
        </Row>
      </Stack>
      {open === undefined ? null : <Opened open={open} onOpen={setOpen} />}
    </Section>
  )
}

export function LastFactor() {
  return <p>Your password alone will let you in, and in production you will only be able to read.</p>
}

function Opened({ open, onOpen }: { open: Open; onOpen: (next: Open | undefined) => void }) {
  const { hasPasskey } = useMe().person
  const refreshOf = useRefreshOf()
  const refresh = (): Promise<void> => refreshOf(meQuery.queryKey)
  const close = (): void => onOpen(undefined)
  switch (open.kind) {
    case 'password':
      return <PasswordDialog onGiven={async (password) => onOpen(await setUp(password))} onClose={close} />
    case 'set-up':
      return <FactorDialog {...open} onClose={close} onDone={(codes) => onOpen({ kind: 'codes', codes })} />
    case 'codes':
      return <RecoveryCodes codes={open.codes} onClose={() => void refresh().then(close)} />
    case 'remove':
      return (
        <Confirm
          title="Remove second factor"
          verb="Remove second factor"
          onClose={close}
          onConfirm={() => removeFactor().then(refresh)}
        >
          {hasPasskey ? null : <LastFactor />}
        </Confirm>
      )
  }
}
