// Shown in place of a page that failed to load or to render, or that does not exist.

import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { failureOf } from '#api/failure.ts'
import { buttonLook } from '#ui/button.tsx'
import { EmptyState, ErrorState } from '#ui/states.tsx'

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  function retry(): void {
    // After an update of the server the files of this version are gone, so the page reloads.
    if (isMissingFile(error)) location.reload()
    reset()
    void router.invalidate()
  }
  return <ErrorState isPage failure={failureOf(error)} onRetry={retry} />
}

function isMissingFile(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes('module')
}

export function NotFoundPage() {
  return (
    <EmptyState isPage title="There is no such page" says="The address may be mistyped, or from another version.">
      <a className={buttonLook()} href="/dashboard">
        Go to the first page
      </a>
    </EmptyState>
  )
}
