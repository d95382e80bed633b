import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { Answer, Job, Schemas } from '../api/client'
import { apply, applyAll, grouped, isDeletion, isOver, withLane, type Change } from './reduce'
import { place } from './place'
import { share } from './share'
import type { Message } from './stream'

/** What is known of the stream: whether it is heard, and every job that is not over. */
export interface Live {
  state: 'connecting' | 'live' | 'lost'
  open: ReadonlyMap<string, Job>
}

const unknownWait = 500 // ms in which jobs that no list has are collected before lists are read again
const hiddenWait = 500 // ms in which changes are collected while nobody sees the page

const remembered = 2_000 // jobs that are over

/** The latest that was heard of a job that is not in open, of those that were heard of last. */
const heardOf = new Map<string, Job>()

/** newest returns a job that was read as it is now: what was heard since the read began is in it. */
export function newest(job: Job): Job {
  const heard = current.open.get(job.job_id) ?? heardOf.get(job.job_id)
  return heard && heard.event_seq > job.event_seq ? { ...heard, analysis: job.analysis } : job
}

function remember(job: Job) {
  heardOf.delete(job.job_id)
  heardOf.set(job.job_id, job)
  if (heardOf.size > remembered) heardOf.delete(heardOf.keys().next().value!)
}

/** reread has what is shown of a key read again. A read that has no answer yet may be older than what has changed: it begins anew. */
async function reread(client: QueryClient, queryKey: string[]) {
  await client.cancelQueries({ queryKey, predicate: (q) => q.state.data === undefined && q.state.fetchStatus === 'fetching' })
  await client.invalidateQueries({ queryKey })
}

let current: Live = { state: 'connecting', open: new Map() }
const listeners = new Set<() => void>()

function publish(next: Live) {
  current = next
  for (const f of listeners) f()
}

/** useLive returns what is live now, and again whenever that changes. */
export const useLive = () =>
  useSyncExternalStore(
    (f) => (listeners.add(f), () => listeners.delete(f)),
    () => current,
  )

/** What may have changed while nothing was heard, and is in no snapshot: what ended. */
const missed = ['jobs', 'job', 'attempts', 'failed', 'stats', 'documents', 'lanes']

/** follow listens to the event stream that the tabs of a user share, and feeds the query cache, until what it returns is called. Changes are applied together, once a frame. */
export function follow(client: QueryClient, user: number): () => void {
  let unknown: ReturnType<typeof setTimeout> | undefined
  let frame: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let changes: Change[] = []
  let begun = false // before: what is in the cache was read while nothing was heard

  const flush = () => {
    if (frame !== undefined) cancelAnimationFrame(frame)
    clearTimeout(timer)
    frame = timer = undefined
    const taken = changes
    changes = []
    if (taken.length === 0 || feed(client, taken)) return
    unknown ??= setTimeout(() => {
      unknown = undefined
      void reread(client, ['jobs'])
    }, unknownWait)
  }
  const later = () => {
    // A page that nobody sees has no frames.
    timer ??= setTimeout(flush, hiddenWait)
    frame ??= requestAnimationFrame(flush)
  }
  const ready = () => {
    flush()
    heardOf.clear()
    publish({ state: 'live', open: new Map() }) // the jobs that are not over follow
    if (begun) for (const key of missed) void client.invalidateQueries({ queryKey: [key] })
    begun = true
  }
  const take = (m: Message) => {
    if (m.event === 'keepalive') return
    if (!('text' in m)) {
      flush()
      publish({ ...current, state: 'lost' })
    } else if (m.event === 'ready') ready()
    else if (m.event === 'lane') {
      const lane = JSON.parse(m.text) as Schemas['LaneUsage'] & { removed?: boolean }
      client.setQueryData<Schemas['LaneList']>(['lanes'], (list) => list && withLane(list, lane))
    } else {
      const { job_id, seq, data } = JSON.parse(m.text) as { job_id: string; seq: number; data: unknown }
      changes.push({ event: m.event, job_id, seq, data })
      later()
    }
  }
  const known = (): Message[] => {
    flush()
    if (current.state !== 'live') return current.state === 'lost' ? [{ event: 'lost' }] : []
    const snapshots = [...current.open.values()].map((job) => ({ event: 'snapshot', text: JSON.stringify({ job_id: job.job_id, seq: job.event_seq, data: job }) }))
    return [{ event: 'ready', text: '{}' }, ...snapshots]
  }
  const end = share('kappa-events-' + user, take, known)
  return () => {
    end()
    if (frame !== undefined) cancelAnimationFrame(frame)
    for (const t of [timer, unknown]) clearTimeout(t)
    heardOf.clear()
    publish({ state: 'connecting', open: new Map() })
  }
}

/** feed applies changes to all that is known. It reports whether every list has the jobs that it may have to show. */
function feed(client: QueryClient, changes: Change[]): boolean {
  const open = new Map(current.open)
  const byJob = grouped(changes)
  for (const [id, ofJob] of byJob) {
    if (ofJob.some(isDeletion)) {
      open.delete(id)
      heardOf.delete(id)
      void client.resetQueries({ queryKey: ['job', id] })
      continue
    }
    let job = open.get(id) ?? heardOf.get(id)
    for (const change of ofJob) job = job ? apply(job, change) : change.event === 'snapshot' ? (change.data as Job) : undefined
    if (job && !isOver(job.status)) open.set(id, job)
    else {
      open.delete(id)
      if (job) remember(job)
    }
    client.setQueryData<Job>(['job', id], (known) => known && ofJob.reduce(apply, known))
    // What a change of status brings with it, such as the analysis, is in no event.
    if (ofJob.some((c) => c.event === 'status')) for (const key of ['attempts', 'job']) void reread(client, [key, id])
  }
  publish({ ...current, open })
  if (changes.some((c) => c.event === 'completed')) for (const key of ['stats', 'documents']) void reread(client, [key])
  if (changes.some((c) => c.event === 'failed')) void reread(client, ['failed'])

  return feedLists(client, changes, byJob)
}

/** feedLists applies changes to the lists of jobs, and puts new jobs where they belong. It reports whether every list has the jobs that it has to show. */
function feedLists(client: QueryClient, changes: Change[], byJob: Map<string, Change[]>): boolean {
  const snapshots = changes.filter((c) => c.event === 'snapshot').map((c) => c.job_id)
  let complete = true
  for (const query of client.getQueryCache().findAll({ queryKey: ['jobs'] })) {
    client.setQueryData<InfiniteData<Answer<Job[]>>>(query.queryKey, (list) => {
      if (!list) return list
      const found = new Set(list.pages.flatMap((page) => page.body.flatMap((j) => (byJob.has(j.job_id) ? [j.job_id] : []))))
      const fresh = snapshots.flatMap((id) => (found.has(id) ? [] : (current.open.get(id) ?? heardOf.get(id) ?? [])))
      const bodies = list.pages.map((page) => applyAll(page.body, byJob))
      const goesOn = !!list.pages.at(-1)?.header.get('X-Next-Cursor')
      const placed = fresh.length > 0 ? place(bodies, String(query.queryKey[1]), fresh, goesOn) : bodies
      if (!placed) complete = false
      const next = placed ?? bodies
      return next.some((body, i) => body !== list.pages[i]!.body) ? { ...list, pages: list.pages.map((page, i) => ({ ...page, body: next[i]! })) } : list
    })
  }
  return complete
}
