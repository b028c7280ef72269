// The two questions that a call may be stopped by: sign in again, and show the second factor. The call waits while the
// dialog is open and goes on by itself.

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { meetChallenges, type Challenge } from '#api/challenge.ts'
import { meQuery } from '#api/me.ts'
import { giveCode, signIn, stepUp } from '#api/sign-in.ts'
import { CodeField, PasswordField } from '#form/fields.tsx'
import { Form, type Values } from '#form/form.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { useMe } from './place.ts'

type Asked = { kind: Challenge; answer: (isMet: boolean) => void }

export function Challenges() {
  const [asked, setAsked] = useState<Asked>()
  const queries = useQueryClient()
  useEffect(() => {
    const open = (kind: Challenge) => () =>
      new Promise<boolean>((resolve) => {
        setAsked({
          kind,
          answer: (isMet) => {
            setAsked(undefined)
            if (isMet) void queries.invalidateQueries({ queryKey: meQuery.queryKey })
            resolve(isMet)
          },
        })
      })
    const unmeet = [meetChallenges('sign-in', open('sign-in')), meetChallenges('step-up', open('step-up'))]
    return () => unmeet.forEach((end) => end())
  }, [queries])
  if (asked === undefined) return null
  return asked.kind === 'step-up' ? <StepUp onAnswer={asked.answer} /> : <SignInAgain onAnswer={asked.answer} />
}

type AnswerProps = { onAnswer: (isMet: boolean) => void }

function StepUp({ onAnswer }: AnswerProps) {
  return (
    <Dialog
      title="Confirm that it is you"
      says="This action asks for your second factor. It then counts for ten minutes."
      onClose={() => onAnswer(false)}
    >
      <Form
        submit="Confirm"
        onCancel={() => onAnswer(false)}
        onSubmit={async ({ code = '' }) => {
          await stepUp(code.trim())
          onAnswer(true)
        }}
      >
        <CodeField name="code" label="Code" />
      </Form>
    </Dialog>
  )
}

function SignInAgain({ onAnswer }: AnswerProps) {
  const { person } = useMe()
  const [isCodeDue, setCodeDue] = useState(false)
  async function submit({ password = '', code = '' }: Values): Promise<void> {
    const next = isCodeDue ? await giveCode(code.trim()) : await signIn(person.email, password)
    if (next === 'code') setCodeDue(true)
    else onAnswer(true)
  }
  return (
    <Dialog
      title="Sign in again"
      says={`Your session of ${person.email} has ended. What you typed is still there.`}
      onClose={() => onAnswer(false)}
    >
      <Form key={String(isCodeDue)} submit="Sign in" onSubmit={submit}>
        <input hidden type="text" name="username" autoComplete="username" readOnly value={person.email} />
        {isCodeDue ? <CodeField name="code" label="Code" /> : <PasswordField name="password" label="Password" />}
      </Form>
    </Dialog>
  )
}
