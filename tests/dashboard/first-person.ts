// The first person of a service, who came in by its link.

import { makeWelcomeLink } from '#users/links.ts'
import { goodPassword } from '#tests/users/room.ts'
import type { Dashboard, Visit } from '#tests/support/browser.ts'

export const firstEmail = 'ada@example.ng'

/** Their visit, on the home page. Their password is `goodPassword`. */
export async function beFirst(dashboard: Dashboard): Promise<Visit> {
  const visit = await dashboard.visit()
  const { page, open } = visit
  await open(`/welcome#${await makeWelcomeLink(dashboard.ctx)}`)
  await page.getByLabel('Your name').fill('Ada Obi')
  await page.getByLabel('E-mail address').fill(firstEmail)
  await page.getByLabel('Password').fill(goodPassword)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  return visit
}
