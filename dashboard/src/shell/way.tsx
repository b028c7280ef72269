// A link to a page whose complete address, filters included, comes from the server.

import { Link } from '@tanstack/react-router'
import { buttonLook } from '#ui/button.tsx'

export function Way({ href, children }: { href: string; children: string }) {
  const { pathname, searchParams } = new URL(href, location.origin)
  return (
    <Link
      to={pathname.replace(/^\/dashboard/, '')}
      search={Object.fromEntries(searchParams)}
      className={buttonLook({ isSmall: true })}
    >
      {children}
    </Link>
  )
}
