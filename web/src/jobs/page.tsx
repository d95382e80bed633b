import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState, type MouseEvent } from 'react'
import { Link, useSearch } from 'wouter'
import { request, type Job } from '../api/client'
import { newest, useLive } from '../live/live'
import { useMay } from '../signin/session'
import { plural } from '../ui/format'
import { Empty, ErrorState, Loading, Page } from '../ui/page'
import { BulkBar } from './bulk'
import { range, readFilter, writeFilter, type Filter } from './filter'
import { Filters, Views } from './filters'
import { JobTable } from './table'

const firstPage = 50 // jobs; whoever asks for more gets
const nextPages = 250

/** JobsPage is the live list of jobs: filtered by the address, page by page, with acts on many at once. */
export default function JobsPage() {
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
      page.set('limit', String(pageParam ? nextPages : firstPage))
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

  const now = useRef({ jobs, selected })
  now.current = { jobs, selected }
  const toggle = useCallback((id: string, e: MouseEvent) => {
    const { jobs, selected } = now.current
    const next = new Set(selected)
    const ids = e.shiftKey && lastClicked.current ? range(jobs.map((j) => j.job_id), lastClicked.current, id) : [id]
    const on = !selected.has(id)
    for (const one of ids) if (on) next.add(one)
    else next.delete(one)
    lastClicked.current = id
    setSelected(next)
    setAllMatching(false)
  }, [])
  const every = selected.size > 0 && jobs.length > 0 && jobs.every((j) => selected.has(j.job_id))
  const clear = () => {
    setSelected(new Set())
    setAllMatching(false)
  }
  const more = () => {
    if (list.hasNextPage && !list.isFetching && !held) void list.fetchNextPage()
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
      <Views query={query} />
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
          <JobTable jobs={jobs} acts={acts} selected={selected} toggle={toggle} every={every} toggleAll={() => (every ? clear() : setSelected(new Set(jobs.map((j) => j.job_id))))} nearEnd={more} />
          <div className="actions">
            {list.hasNextPage && !held && (
              <button onClick={more} disabled={list.isFetchingNextPage}>
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
