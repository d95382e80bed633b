import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { get, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { ago, count, plural, took } from '../ui/format'
import { Empty, ErrorState, Loading, Page, Section } from '../ui/page'
import { ChangeLane } from './change'

/** LanesPage shows where jobs run: the lanes as they are now, the last hour, and the workers. */
export default function LanesPage() {
  return (
    <Page title="Lanes and workers">
      <Lanes />
      <LastHour />
      <Workers />
    </Page>
  )
}

function Lanes() {
  const manages = useMay()('workers', 'manage')
  const [changing, setChanging] = useState('')
  const lanes = useQuery({ queryKey: ['lanes'], queryFn: ({ signal }) => get<Schemas['LaneList']>('/admin/workers/lanes', signal) })
  if (lanes.isPending) return <Section title="Lanes"><Loading what="lanes" /></Section>
  if (!lanes.data) return <Section title="Lanes"><ErrorState error={lanes.error} retry={() => void lanes.refetch()} /></Section>
  return (
    <Section title="Lanes">
      <div className="scroll" tabIndex={0} role="region" aria-label="Lanes">
        <table>
          <thead>
            <tr><th>Lane</th><th>Running</th><th>Queued</th><th>Oldest wait</th><th>Job types</th>{manages && <th>Settings</th>}</tr>
          </thead>
          <tbody>
            {(lanes.data.lanes ?? []).map((l) => (
              <tr key={l.name}>
                <td>
                  <strong>{l.name}</strong>
                  {!l.enabled && <small className="warning">{l.running_jobs > 0 ? `takes nothing new; ${l.running_jobs} still running` : 'takes nothing'}</small>}
                </td>
                <td className="num">
                  <progress max={Math.max(1, l.max_slots)} value={l.running_jobs} aria-label={`Slots of ${l.name} in use`} />
                  <small>
                    {l.running_jobs} of {plural(l.max_slots, 'slot')}
                  </small>
                </td>
                <td className="num">{count(l.queued_jobs)}</td>
                <td className="num">{took(l.oldest_wait_seconds)}</td>
                <td className="name">{(l.job_types ?? []).join(', ')}</td>
                {manages && (
                  <td>
                    <button onClick={() => setChanging(l.name)} aria-label={`Change ${l.name}`}>
                      Change…
                    </button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {changing && <ChangeLane name={changing} close={() => setChanging('')} />}
    </Section>
  )
}

function LastHour() {
  const stats = useQuery({ queryKey: ['lanes', 'hour'], queryFn: ({ signal }) => get<Schemas['AttemptStats']>('/admin/workers/stats?since=1h', signal), refetchInterval: 60_000 })
  if (stats.isPending) return <Section title="The last hour"><Loading what="the last hour" /></Section>
  if (!stats.data) return <Section title="The last hour"><ErrorState error={stats.error} retry={() => void stats.refetch()} /></Section>
  const rows = stats.data.stats ?? []
  return (
    <Section title="The last hour" aside={<span className="muted">counted once a minute</span>}>
      {rows.length === 0 ? (
        <Empty title="No attempt has ended in the last hour." />
      ) : (
        <div className="scroll" tabIndex={0} role="region" aria-label="The last hour">
          <table>
            <thead>
              <tr><th>Type</th><th>Lane</th><th>Ended</th><th>Over time</th><th>Waited, half</th><th>Waited, 95 %</th><th>Ran, half</th><th>Ran, 95 %</th></tr>
            </thead>
            <tbody>
              {rows.map((s) => (
                <tr key={s.lane + s.job_type}>
                  <td>{s.job_type}</td>
                  <td>{s.lane}</td>
                  <td className="num">{Object.entries(s.ended).filter(([, n]) => n > 0).map(([how, n]) => `${count(n)} ${how}`).join(', ')}</td>
                  <td><Line points={s.series ?? []} /></td>
                  <td className="num">{took(s.wait?.p50_seconds)}</td>
                  <td className="num">{took(s.wait?.p95_seconds)}</td>
                  <td className="num">{took(s.run?.p50_seconds)}</td>
                  <td className="num">{took(s.run?.p95_seconds)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  )
}

/** Line draws how many attempts ended in each part of the time. */
function Line({ points }: { points: number[] }) {
  const most = Math.max(1, ...points)
  const path = points.map((n, i) => `${i === 0 ? 'M' : 'L'}${(i * 120) / Math.max(1, points.length - 1)} ${24 - (22 * n) / most}`).join(' ')
  return (
    <svg className="line" viewBox="0 0 120 26" width="120" height="26" role="img" aria-label={`At most ${most} ended in two minutes`}>
      <path d={path} />
    </svg>
  )
}

function Workers() {
  const status = useQuery({ queryKey: ['lanes', 'workers'], queryFn: ({ signal }) => get<Schemas['WorkerStatus']>('/admin/workers/status', signal), refetchInterval: 15_000 })
  if (status.isPending) return <Section title="Workers"><Loading what="workers" /></Section>
  if (!status.data) return <Section title="Workers"><ErrorState error={status.error} retry={() => void status.refetch()} /></Section>
  const rows = status.data.processes ?? []
  return (
    <Section title="Workers" aside={<span className="muted">{status.data.slots_in_use} of {plural(status.data.total_slots, 'slot')} in use</span>}>
      {rows.length === 0 ? (
        <Empty title="No worker is known.">Jobs wait until a server or a remote worker is there.</Empty>
      ) : (
        <div className="scroll" tabIndex={0} role="region" aria-label="Workers">
          <table>
            <thead>
              <tr><th>Worker</th><th>Kind</th><th>State</th><th>Running</th><th>Runs</th><th>Version</th><th>Started</th></tr>
            </thead>
            <tbody>
              {rows.map((w) => (
                <tr key={w.worker_id}>
                  <td className="name">{w.name || w.worker_id}</td>
                  <td>{w.kind}{w.leads_since ? ', leads' : ''}</td>
                  <td>{w.state}</td>
                  <td className="num">{w.capacity > 0 ? `${w.running} of ${w.capacity}` : w.running}</td>
                  <td className="name">{(w.runs ?? []).join(', ')}</td>
                  <td>{w.version}</td>
                  <td className="num">{ago(w.started_at)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  )
}
