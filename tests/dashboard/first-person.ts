// The first person of a service, who signed up by the link of its start.

import { makeWelcomeLink } from '#users/links.ts'
import { goodPassword } from '#tests/users/room.ts'
import type { Dashboard, Visit } from '#tests/support/browser.ts'

export const firstEmail = 'ada@example.ng'

/** Signs up and opens the home page, with the password `goodPassword`. */
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
