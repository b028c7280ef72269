// The second step of signing in.

import { Link } from '@tanstack/react-router'
import { confirmWithPasskey } from '#api/passkeys.ts'
import { giveCode } from '#api/sign-in.ts'
import { CodeField } from '#form/fields.tsx'
import { Form } from '#form/form.tsx'
import { useEnter } from '#shell/enter.ts'
import { Outside } from '#shell/outside.tsx'
import { PasskeyButton } from '#shell/passkey-button.tsx'
import { paths } from '#shell/paths.ts'
import { useSearchState } from '#table/filters.ts'

export function CodePage() {
  const enter = useEnter()
  const [{ with: other }] = useSearchState()
  return (
    <Outside title="Enter your code" says="Your account has a second factor.">
      {other === 'passkey' ? (
        <PasskeyButton label="Use a passkey" onPress={async () => enter(await confirmWithPasskey())} />
      ) : null}
      <Form
        submit="Continue"
        asksToLeave={false}
        onSubmit={async ({ code = '' }) => enter(await giveCode(code.trim()))}
      >
        <CodeField name="code" label="Code" />
      </Form>
      <Link to={paths.signIn}>Sign in as another person</Link>
    </Outside>
  )
}
