import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { Answer, Job, Schemas } from '../api/client'
import { apply, applyTo, isOver, withLane, type Change } from './reduce'

/** What the stream of this tab knows: whether it is heard, and every job that is not over. */
export interface Live {
  state: 'connecting' | 'live' | 'lost'
  open: ReadonlyMap<string, Job>
}

const events = ['ready', 'snapshot', 'status', 'progress', 'completed', 'failed', 'cancelled', 'error', 'keepalive', 'lane'] as const
const silence = 45_000 // ms after which a connection that says nothing is dead
const unknownWait = 500 // ms in which jobs that no list has are collected before lists are read again

const remembered = 2_000 // jobs

/** The latest that was heard of a job, of those that were heard of last. */
const heardOf = new Map<string, Job>()

/** newest returns a job that was read as it is now: what was heard since the read began is in it. */
export function newest(job: Job): Job {
  const heard = heardOf.get(job.job_id)
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

/** follow opens the one event stream of this tab, and feeds the query cache, until what it returns is called. */
export function follow(client: QueryClient): () => void {
  let source: EventSource | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let dead: ReturnType<typeof setTimeout> | undefined
  let unknown: ReturnType<typeof setTimeout> | undefined
  let wait = 500
  let begun = false // before: what is in the cache was read while nothing was heard

  const lost = () => {
    source?.close()
    clearTimeout(dead)
    publish({ ...current, state: 'lost' })
    clearTimeout(again)
    again = setTimeout(connect, wait * (0.5 + Math.random()))
    wait = Math.min(wait * 2, 8_000)
  }
  const heard = () => {
    clearTimeout(dead)
    dead = setTimeout(lost, silence)
  }
  const ready = () => {
    wait = 500
    heardOf.clear()
    publish({ state: 'live', open: new Map() }) // the jobs that are not over follow
    // What ended while nothing was heard is in no snapshot.
    if (begun) void client.invalidateQueries()
    begun = true
  }
  const take = (event: string, text: string) => {
    heard()
    if (event === 'keepalive') return
    if (event === 'ready') {
      if (current.state !== 'live') ready()
      return
    }
    if (event === 'lane') {
      const lane = JSON.parse(text) as Schemas['LaneUsage'] & { removed?: boolean }
      client.setQueryData<Schemas['LaneList']>(['lanes'], (list) => list && withLane(list, lane))
      return
    }
    const envelope = JSON.parse(text) as { job_id?: string; seq: number; data: unknown; error?: string }
    if (!envelope.job_id) return lost() // the session has ended, or the server leaves
    const change: Change = { event, job_id: envelope.job_id, seq: envelope.seq, data: envelope.data }
    if (!feed(client, change)) {
      unknown ??= setTimeout(() => {
        unknown = undefined
        void reread(client, ['jobs'])
      }, unknownWait)
    }
  }
  const connect = () => {
    source = new EventSource('/api/events') // all jobs, and all lanes to those who may see them
    source.onerror = lost
    for (const event of events) source.addEventListener(event, (e) => e instanceof MessageEvent && take(event, e.data as string))
    heard()
  }
  connect()
  return () => {
    source?.close()
    for (const timer of [again, dead, unknown]) clearTimeout(timer)
    publish({ state: 'connecting', open: new Map() })
  }
}

/** feed applies a change to all that is known. It reports whether some list should have the job and has not. */
function feed(client: QueryClient, change: Change): boolean {
  const id = change.job_id
  const before = heardOf.get(id)
  const now = before ? apply(before, change) : change.event === 'snapshot' ? (change.data as Job) : undefined
  const open = new Map(current.open)
  if (now) remember(now)
  if (now && change.event !== 'error' && !isOver(now.status)) open.set(id, now)
  else open.delete(id)
  publish({ ...current, open })

  client.setQueryData<Job>(['job', id], (job) => job && apply(job, change))
  // What a change of status brings with it, such as the analysis, is in no event.
  if (change.event === 'status') for (const key of ['attempts', 'job']) void reread(client, [key, id])
  if (change.event === 'completed') for (const key of ['stats', 'documents']) void reread(client, [key])
  if (change.event === 'failed') void reread(client, ['failed'])
  let found = false
  client.setQueriesData<InfiniteData<Answer<Job[]>>>({ queryKey: ['jobs'] }, (list) => {
    if (!list) return list
    let changed = false
    const pages = list.pages.map((page) => {
      found ||= page.body.some((j) => j.job_id === id)
      const body = applyTo(page.body, change)
      if (body === page.body) return page
      changed = true
      return { ...page, body }
    })
    return changed ? { ...list, pages } : list
  })
  return found || change.event !== 'snapshot'
}
