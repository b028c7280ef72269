// Tells a person without a second factor how to set one up, on pages whose buttons all need it.

import { Link } from '@tanstack/react-router'
import type { Permission } from '#api/me.ts'
import { buttonLook } from '#ui/button.tsx'
import { Notice } from '#ui/states.tsx'
import { paths } from './paths.ts'
import { useMe, usePlace, useRoleRefusal } from './place.ts'

/** Not shown to a role without the permission, because a factor would change nothing for it. */
export function FactorNotice({ permission }: { permission: Permission }) {
  const place = usePlace()
  const { hasSecondFactor } = useMe().person
  const refusal = useRoleRefusal(permission)
  if (hasSecondFactor || refusal !== undefined) return null
  return (
    <Notice
      tone="asks"
      action={
        <Link to={paths.profile(place)} className={buttonLook({ isSmall: true })}>
          Set one up
        </Link>
      }
    >
      You have no second factor yet. You need one to change the people or the settings of the business.
    </Notice>
  )
}
