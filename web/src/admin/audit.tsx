import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import { get, type Schemas } from '../api/client'
import { ErrorState, Loading, Section } from '../ui/page'
import { Table } from '../ui/table'
import { instant } from '../ui/units'

const shown = 50 // entries of a page
const filters: [name: string, label: string, type: string][] = [
  ['user', 'Who', 'text'], ['action', 'What, such as job.approve', 'text'], ['object', 'Of what, such as lane', 'text'], ['object_id', 'Which one', 'text'], ['since', 'From', 'datetime-local'], ['until', 'To', 'datetime-local'],
]

/** AuditTab shows who did what, newest first, and what that changed. */
export function AuditTab() {
  const [search, setSearch] = useSearchParams()
  const query = new URLSearchParams()
  for (const [name, , type] of filters) {
    const value = search.get(name)
    if (value) query.set(name, type === 'text' ? value : new Date(value).toISOString())
  }
  const pages = useInfiniteQuery({
    queryKey: ['audit', query.toString()],
    queryFn: ({ signal, pageParam }) => get<Schemas['AuditList']>(`/admin/audit?limit=${shown}${query.size ? '&' + query : ''}${pageParam ? '&before_id=' + pageParam : ''}`, signal),
    initialPageParam: 0,
    getNextPageParam: (last) => last.next_before_id ?? undefined,
    staleTime: 0,
  })
  const put = (name: string, value: string) =>
    setSearch((was) => {
      const next = new URLSearchParams(was)
      if (value) next.set(name, value)
      else next.delete(name)
      return next
    }, { replace: true })
  const entries = pages.data?.pages.flatMap((p) => p.entries ?? []) ?? []
  return (
    <Section title="Audit" aside={<button onClick={() => void pages.refetch()}>Read again</button>}>
      <div className="filters" role="search" aria-label="Filters">
        {filters.map(([name, label, type]) => (
          <label key={name}>
            {label}
            <input type={type} value={search.get(name) ?? ''} onChange={(e) => put(name, e.target.value)} />
          </label>
        ))}
        {search.size > 0 && <button onClick={() => setSearch({})}>Clear filters</button>}
      </div>
      {pages.isPending ? <Loading what="entries" /> : pages.error ? <ErrorState error={pages.error} retry={() => void pages.refetch()} /> : (
        <>
          <Table label="Audit" rows={entries} keyOf={(e) => e.id} empty="Nothing matches these filters."
            columns={[
              { head: 'When', cell: (e) => instant(e.at), kind: 'num' },
              { head: 'Who', cell: (e) => <button className="link" onClick={() => put('user', e.username)}>{e.username}</button> },
              { head: 'What', cell: (e) => <button className="link" onClick={() => put('action', e.action)}>{e.action}</button> },
              { head: 'Which', cell: (e) => <>{e.object_id}<small className="muted">{e.object}</small></>, kind: 'name' },
              { head: 'Change', cell: (e) => <Change before={e.before} after={e.after} />, kind: 'name' },
            ]} />
          {pages.hasNextPage && (
            <p>
              <button onClick={() => void pages.fetchNextPage()} disabled={pages.isFetching}>
                {pages.isFetching ? 'Loading…' : 'Older ones'}
              </button>
            </p>
          )}
        </>
      )}
    </Section>
  )
}

/** Change shows what was before and is after, member by member where both are objects. */
function Change({ before, after }: { before: unknown; after: unknown }) {
  const text = (v: unknown) => (typeof v === 'string' ? v : JSON.stringify(v))
  const isObject = (v: unknown): v is Record<string, unknown> => v !== null && typeof v === 'object' && !Array.isArray(v)
  if (before == null && after == null) return null
  if (!isObject(before ?? {}) || !isObject(after ?? {})) return <code>{[before, after].filter((v) => v != null).map(text).join(' → ')}</code>
  const [was, is] = [(before ?? {}) as Record<string, unknown>, (after ?? {}) as Record<string, unknown>]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((n) => text(was[n]) !== text(is[n]))
  return (
    <>
      {names.map((n) => (
        <small key={n}>
          {n}: <code>{[n in was && text(was[n]), n in is && text(is[n])].filter((v) => v !== false).join(' → ')}</code>
        </small>
      ))}
    </>
  )
}
