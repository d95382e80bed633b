import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { get } from '../api/client'
import { ErrorState, Loading, Section } from './page'

/** useRead reads a route of the API, again each so many milliseconds if every is given. The key is the path unless events of the stream have it read again by another one. */
export const useRead = <T,>(path: string, { every, enabled, key }: { every?: number; enabled?: boolean; key?: string[] } = {}) =>
  useQuery({ queryKey: key ?? [path], queryFn: ({ signal }) => get<T>(path, signal), refetchInterval: every ?? false, enabled: enabled ?? true })

/** Part is a titled part of a page that shows what was read, or that it is read, or why not. */
export function Part<T>({ title, query, aside, children }: { title: string; query: UseQueryResult<T>; aside?: ReactNode; children: (data: T) => ReactNode }) {
  return (
    <Section title={title} aside={aside}>
      {query.data !== undefined ? children(query.data) : query.isPending ? <Loading what={title.toLowerCase()} /> : <ErrorState error={query.error} retry={() => void query.refetch()} />}
    </Section>
  )
}
