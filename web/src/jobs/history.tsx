import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { get, type Job, type Schemas } from '../api/client'
import { stream, type Told } from '../api/sse'
import { percentOf, Status, titleOf } from '../ui/status'
import { plural, took } from '../ui/format'
import { ErrorState, Loading, Section } from '../ui/page'

const keptEvents = 500 // of a job, the last ones
const childrenShown = 20

/** Events shows all that is known to have happened to a job, and what happens, when it is opened. */
export function Events({ id }: { id: string }) {
  const [opened, setOpened] = useState(false)
  return (
    <details className="card" onToggle={(e) => setOpened(e.currentTarget.open)}>
      <summary>Events as they come</summary>
      {opened && <Follow id={id} />}
    </details>
  )
}

function Follow({ id }: { id: string }) {
  const [told, setTold] = useState<Told[]>([])
  const [error, setError] = useState<Error | null>(null)
  useEffect(() => {
    const end = new AbortController()
    const follow = async () => {
      try {
        for await (const t of stream('GET', `/jobs/${id}/stream`, end.signal, undefined, { 'Last-Event-ID': '0' }))
          if (t.event !== 'keepalive') setTold((all) => [...all, t].slice(-keptEvents))
      } catch (err) {
        setError(err as Error)
      }
    }
    void follow()
    return () => end.abort()
  }, [id])
  if (error) return <ErrorState error={error} />
  if (told.length === 0) return <Loading what="events" />
  return (
    <ol className="log" tabIndex={0} aria-label="Events">
      {told.map((t, i) => (
        <li key={i}>
          <span className="muted num">{t.id}</span> <strong>{t.event}</strong> {inWords(t)}
        </li>
      ))}
    </ol>
  )
}

/** inWords says what an event has to say. */
function inWords(t: Told): string {
  const d = JSON.parse(t.data) as Record<string, unknown>
  switch (t.event) {
    case 'status':
      return [`${String(d.previous ?? '')} → ${String(d.status)}`, d.at, d.error, d.lane && `lane ${String(d.lane)}`].filter(Boolean).join(' · ')
    case 'progress':
      return [d.chunks_total ? `${String(d.chunks_processed)} of ${String(d.chunks_total)} chunks` : `${String(d.percent)} %`, d.stage, d.message].filter(Boolean).join(' · ')
    case 'snapshot':
      return String(d.status)
    case 'failed':
      return String(d.error ?? '')
  }
  return ''
}

/** Log shows what a remote worker has logged about a job; nothing when there is none. */
export function Log({ id }: { id: string }) {
  const log = useInfiniteQuery({
    queryKey: ['attempts', id, 'log'],
    queryFn: ({ pageParam, signal }) => get<Schemas['LogAnswer']>(`/jobs/${id}/log${pageParam}`, signal),
    initialPageParam: '',
    getNextPageParam: (last) => {
      const end = last.lines?.at(-1)
      return last.more && end ? `?after_attempt=${end.attempt_token}&after_line=${end.line}` : undefined
    },
  })
  const lines = log.data?.pages.flatMap((p) => p.lines ?? []) ?? []
  if (lines.length === 0) return null
  return (
    <Section title="Log of the worker" aside={<button onClick={() => void log.refetch()}>Read it again</button>}>
      <ol className="log" tabIndex={0} aria-label="Log">
        {lines.map((l) => (
          <li key={`${l.attempt_token} ${l.line}`}>
            <time className="muted num" dateTime={l.worker_time}>{l.worker_time.slice(11, 23)}</time> <strong>{l.level}</strong> {l.message}
          </li>
        ))}
      </ol>
      {log.hasNextPage && <button onClick={() => void log.fetchNextPage()}>Show more</button>}
    </Section>
  )
}

/** Steps are those of a run of a workflow. */
export function Steps({ job }: { job: Job }) {
  const steps = useQuery({ queryKey: ['attempts', job.job_id, 'steps'], queryFn: ({ signal }) => get<Schemas['StepsAnswer']>(`/jobs/${job.job_id}/steps`, signal), enabled: job.job_type === 'openfn_run' })
  const list = steps.data?.steps ?? []
  if (list.length === 0) return null
  return (
    <Section title="Steps">
      <div className="scroll" tabIndex={0} role="region" aria-label="Steps">
        <table>
          <thead><tr><th>Step</th><th>Began</th><th>Took</th><th>Outcome</th><th>Error</th></tr></thead>
          <tbody>
            {list.map((s) => (
              <tr key={s.step_id + s.attempt_token}>
                <td className="name">{s.step_id}</td>
                <td className="num">{s.started_at}</td>
                <td className="num">{s.ended_at ? took((Date.parse(s.ended_at) - Date.parse(s.started_at)) / 1000) : 'still'}</td>
                <td>{s.reason}</td>
                <td className="name">{s.error_message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  )
}

/** Children are the jobs that a job has made for parts of its work. */
export function Children({ id }: { id: string }) {
  const children = useQuery({ queryKey: ['attempts', id, 'children'], queryFn: ({ signal }) => get<Job[] | null>(`/jobs?parent=${id}&sort=oldest&limit=${childrenShown}`, signal) })
  const list = children.data ?? []
  if (list.length === 0) return null
  return (
    <Section title="Jobs for parts of it" aside={<Link href={'/jobs?parent=' + id}>{list.length < childrenShown ? plural(list.length, 'job') : 'All of them'}</Link>}>
      <ul className="rows">
        {list.map((j) => (
          <li key={j.job_id}>
            <Link href={'/jobs/' + j.job_id}>{titleOf(j)}</Link>
            <Status status={j.status} />
            <span className="muted num">{percentOf(j)} %</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
