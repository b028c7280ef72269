// The permissions of each role, drawn from the table by which the server decides.

import { useQuery } from '@tanstack/react-query'
import type { Role } from '#api/me.ts'
import { rolesQuery, type Answer, type RolesTable as Table } from '#api/team.ts'
import { usePlace } from '#shell/place.ts'
import { ErrorState, SkeletonLines } from '#ui/states.tsx'
import styles from './roles-table.module.css'
import { roleWords } from './roles.ts'

export function RolesTable() {
  const { businessId } = usePlace()
  const { data, error, refetch } = useQuery(rolesQuery(businessId))
  if (data === undefined) {
    return error === null ? <SkeletonLines /> : <ErrorState failure={error} onRetry={() => void refetch()} />
  }
  return (
    <>
      <div className={styles.scroll} tabIndex={0} role="region" aria-label="Table of roles">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Permission</th>
              {data.roles.map((role) => (
                <th key={role} scope="col">
                  {roleWords[role]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.permissions.map((permission) => (
              <tr key={permission.name}>
                <th scope="row">{permission.title}</th>
                {data.roles.map((role) => (
                  <td key={role}>{wordsOf(permission, role)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={styles.note}>* asks for the second factor again.</p>
    </>
  )
}

function wordsOf({ staging, production }: Table['permissions'][number], role: Role): string {
  const [inStaging, inProduction] = [staging[role], production[role]]
  if (inStaging === inProduction) return inStaging === 'no' ? '–' : `Yes${mark(inStaging)}`
  if (inProduction === 'no') return `Staging${mark(inStaging)}`
  if (inStaging === 'no') return `Production${mark(inProduction)}`
  return `Staging${mark(inStaging)}, production${mark(inProduction)}`
}

function mark(answer: Answer): string {
  return answer === 'step-up' ? '*' : ''
}
