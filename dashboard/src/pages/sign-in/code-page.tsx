// The second step of signing in.

import { Link } from '@tanstack/react-router'
import { giveCode } from '#api/sign-in.ts'
import { CodeField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useEnter } from '#shell/enter.ts'
import { Outside } from '#shell/outside.tsx'
import { paths } from '#shell/paths.ts'

export function CodePage() {
  const enter = useEnter()
  return (
    <Outside title="Enter your code" says="Your account has a second factor.">
      <Form submit="Continue" onSubmit={async ({ code = '' }) => enter(await giveCode(code.trim()))}>
        <CodeField name="code" label="Code" />
      </Form>
      <Link to={paths.signIn}>Sign in as somebody else</Link>
    </Outside>
  )
}
