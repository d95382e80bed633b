import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useRef, useState, type FormEvent, type MouseEvent } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { request, type Job } from '../api/client'
import { newest, useLive } from '../live/live'
import { useMay } from '../signin/session'
import { ago, plural, statusNames } from '../ui/format'
import { Empty, ErrorState, Loading, Page } from '../ui/page'
import { Bar, percentOf, Status, titleOf } from '../ui/status'
import { BulkBar } from './bulk'
import { range, readFilter, writeFilter, type Filter } from './filter'

const perPage = 50

/** JobsPage is the live list of jobs: filtered by the address, page by page, with acts on many at once. */
export function JobsPage() {
  const filter = readFilter(useSearch())
  const query = writeFilter(filter)
  return <List key={query} filter={filter} query={query} />
}

function List({ filter, query }: { filter: Filter; query: string }) {
  const may = useMay()
  const { state } = useLive()
  const [held, setHeld] = useState<Job[] | null>(null) // what is shown while updates are paused
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [allMatching, setAllMatching] = useState(false)
  const lastClicked = useRef('')
  const list = useInfiniteQuery({
    queryKey: ['jobs', query],
    queryFn: async ({ pageParam, signal }) => {
      const page = new URLSearchParams(query)
      page.set('limit', String(perPage))
      page.set('count', 'estimated')
      if (pageParam) page.set('cursor', pageParam)
      const answer = await request<Job[] | null>('GET', '/jobs?' + page, undefined, signal)
      return { ...answer, body: (answer.body ?? []).map(newest) }
    },
    initialPageParam: '',
    getNextPageParam: (last) => last.header.get('X-Next-Cursor') || undefined,
  })
  const all = useMemo(() => list.data?.pages.flatMap((p) => p.body) ?? [], [list.data])
  const jobs = held ?? all
  const total = list.data?.pages[0]?.header.get('X-Total-Count')
  const acts = may('jobs', 'approve') || may('jobs', 'cancel') || may('jobs', 'write') || may('jobs', 'delete')

  const toggle = (id: string, e: MouseEvent) => {
    const next = new Set(selected)
    const ids = e.shiftKey && lastClicked.current ? range(jobs.map((j) => j.job_id), lastClicked.current, id) : [id]
    const on = !selected.has(id)
    for (const one of ids) if (on) next.add(one)
    else next.delete(one)
    lastClicked.current = id
    setSelected(next)
    setAllMatching(false)
  }
  const every = jobs.length > 0 && jobs.every((j) => selected.has(j.job_id))
  const clear = () => {
    setSelected(new Set())
    setAllMatching(false)
  }

  return (
    <Page
      title="Jobs"
      actions={
        <>
          <span className="muted" role="status">
            {state === 'live' ? (held ? 'paused' : 'live') : state === 'lost' ? 'not live' : 'connecting'}
          </span>
          <button aria-pressed={!!held} onClick={() => setHeld(held ? null : all)}>
            {held ? 'Resume updates' : 'Pause updates'}
          </button>
        </>
      }
    >
      <Filters filter={filter} />
      {acts && (selected.size > 0 || allMatching) && (
        <BulkBar ids={[...selected]} filter={allMatching ? filter : null} total={total} canSelectAll={every && list.hasNextPage && query !== ''} selectAll={() => setAllMatching(true)} clear={clear} />
      )}
      {list.isPending ? (
        <Loading what="jobs" />
      ) : list.isError && jobs.length === 0 ? (
        <ErrorState error={list.error} retry={() => void list.refetch()} />
      ) : jobs.length === 0 ? (
        <Empty title={query ? 'No job matches these filters.' : 'There are no jobs yet.'}>
          {query ? <Link href="/jobs">Show all jobs</Link> : may('ingest', 'create') ? <Link href="/ingest">Ingest a document</Link> : null}
        </Empty>
      ) : (
        <>
          <div className="scroll" tabIndex={0} role="region" aria-label="Jobs">
            <table>
              <thead>
                <tr>
                  {acts && (
                    <th>
                      <input type="checkbox" aria-label="Select all that are shown" checked={every} onChange={() => (every ? clear() : setSelected(new Set(jobs.map((j) => j.job_id))))} />
                    </th>
                  )}
                  <th>Job</th>
                  <th>Status</th>
                  <th>Progress</th>
                  <th>Type</th>
                  <th>Ontology</th>
                  <th>By</th>
                  <th>Submitted</th>
                </tr>
              </thead>
              <tbody>
                {jobs.map((j) => (
                  <tr key={j.job_id} data-job={j.job_id} aria-selected={selected.has(j.job_id)}>
                    {acts && (
                      <td>
                        <input type="checkbox" aria-label={`Select ${titleOf(j)} ${j.job_id}`} checked={selected.has(j.job_id)} onClick={(e) => toggle(j.job_id, e)} onChange={() => {}} />
                      </td>
                    )}
                    <td className="name">
                      <Link href={'/jobs/' + j.job_id}>{titleOf(j)}</Link>
                      {j.error && <small className="error">{j.error}</small>}
                    </td>
                    <td>
                      <Status status={j.status} />
                    </td>
                    <td className="num">{j.status === 'processing' ? <Bar job={j} label={`Progress of ${titleOf(j)}`} /> : j.status === 'completed' ? '' : percentOf(j) > 0 ? percentOf(j) + ' %' : ''}</td>
                    <td>{j.job_type}</td>
                    <td>{j.ontology}</td>
                    <td>{j.username}</td>
                    <td className="num">
                      <time dateTime={j.created_at} title={j.created_at}>
                        {ago(j.created_at)}
                      </time>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <div className="actions">
            {list.hasNextPage && !held && (
              <button onClick={() => void list.fetchNextPage()} disabled={list.isFetchingNextPage}>
                {list.isFetchingNextPage ? 'Loading…' : 'Show more'}
              </button>
            )}
            <span className="muted">{plural(jobs.length, 'job')} shown{total && Number(total) > jobs.length ? ` of about ${Number(total).toLocaleString('en')}` : ''}</span>
          </div>
        </>
      )}
    </Page>
  )
}

function Filters({ filter }: { filter: Filter }) {
  const [, go] = useLocation()
  const apply = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault()
    const form = new FormData(e.currentTarget)
    const next = readFilter('?' + new URLSearchParams([...form].map(([k, v]) => [k, String(v)])))
    const query = writeFilter(next)
    go('/jobs' + (query && '?' + query))
  }
  return (
    <form className="filters" onSubmit={apply} aria-label="Filters">
      <label>
        Status
        <select name="status" defaultValue={filter.status ?? ''} onChange={(e) => e.currentTarget.form?.requestSubmit()}>
          <option value="">any</option>
          {Object.entries(statusNames).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
          {filter.status && !statusNames[filter.status] && <option value={filter.status}>{filter.status}</option>}
        </select>
      </label>
      <label>
        Type
        <input name="job_type" defaultValue={filter.job_type} placeholder="ingestion" size={12} />
      </label>
      <label>
        Ontology
        <input name="ontology" defaultValue={filter.ontology} size={12} />
      </label>
      <label>
        File
        <input name="file" defaultValue={filter.file} size={12} />
      </label>
      <label>
        Error
        <input name="error" defaultValue={filter.error} size={12} />
      </label>
      <label>
        Age
        <input name="age" defaultValue={filter.age} placeholder="<7d" size={8} />
      </label>
      <label>
        Order
        <select name="sort" defaultValue={filter.sort ?? ''} onChange={(e) => e.currentTarget.form?.requestSubmit()}>
          <option value="">newest</option>
          <option value="oldest">oldest</option>
        </select>
      </label>
      <button>Filter</button>
      {writeFilter(filter) && <Link href="/jobs">Clear</Link>}
    </form>
  )
}
