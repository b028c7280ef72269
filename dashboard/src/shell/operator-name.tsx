// The name of a mobile-money operator, for the slug that a payment has.

import { useQuery } from '@tanstack/react-query'
import { operatorsQuery } from '#api/directory.ts'
import { usePlace } from './place.ts'

export function OperatorName({ slug }: { slug: string }) {
  const { data } = useQuery(operatorsQuery(usePlace()))
  return data?.find((operator) => operator.slug === slug)?.name ?? slug
}
