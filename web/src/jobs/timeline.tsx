import { useQuery } from '@tanstack/react-query'
import { get, type Job, type Schemas } from '../api/client'
import { isOver } from '../live/reduce'
import { count, plural, took } from '../ui/format'
import { Empty, ErrorState, Loading, Section } from '../ui/page'

/** A phase of a job's life, in seconds; null while it lasts. */
interface Phase {
  name: string
  seconds: number | null
}

const between = (from: string | null | undefined, to: string | null | undefined) => (from && to ? Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000) : null)

/** phasesOf says what a job spent its time with: until it was approved, until a worker first took it, and until its end. */
export function phasesOf(j: Job, attempts: Schemas['Attempt'][]): Phase[] {
  const first = attempts[0]?.claimed_at ?? j.started_at
  const phases: Phase[] = [{ name: 'until its approval', seconds: between(j.created_at, j.approved_at ?? j.completed_at) }]
  if (j.approved_at) phases.push({ name: 'in the queue', seconds: between(j.approved_at, first ?? j.completed_at) })
  if (first) phases.push({ name: attempts.length > 1 ? `in ${attempts.length} attempts and the waits between` : 'running', seconds: between(first, j.completed_at) })
  return phases
}

/** Timeline shows what a job spent its time with, and each attempt with its wait and its run. */
export function Timeline({ job }: { job: Job }) {
  const id = job.job_id
  const attempts = useQuery({ queryKey: ['attempts', id], queryFn: ({ signal }) => get<Schemas['JobAttempts']>(`/jobs/${id}/attempts`, signal) })
  if (attempts.isPending) return <Section title="Attempts"><Loading what="attempts" /></Section>
  if (!attempts.data) return <Section title="Attempts"><ErrorState error={attempts.error} retry={() => void attempts.refetch()} /></Section>
  const list = attempts.data.attempts ?? []
  const phases = phasesOf(job, list)
  const ran = list.reduce((sum, a) => sum + (a.run_seconds ?? 0), 0)
  const chunks = job.progress?.chunks_processed ?? 0
  return (
    <>
      <Section title="Timeline">
        <ol className="phases">
          {phases.map((p) => (
            <li key={p.name}>
              <strong className="num">{p.seconds == null ? (isOver(job.status) ? '' : 'still') : took(p.seconds)}</strong> {p.name}
            </li>
          ))}
          {chunks > 0 && ran > 0 && (
            <li>
              <strong className="num">{took(ran / chunks)}</strong> a chunk, for {plural(chunks, 'chunk')}
            </li>
          )}
        </ol>
      </Section>
      <Section title="Attempts" aside={job.spent ? <span className="muted">{plural(job.spent.calls, 'call')} to models, ${job.spent.usd.toFixed(4)}</span> : null}>
        {list.length === 0 ? <Empty title="It has not run yet." /> : <Attempts list={list} earlier={attempts.data.earlier} />}
        <Usage usage={attempts.data.usage ?? []} />
      </Section>
    </>
  )
}

function Attempts({ list, earlier }: { list: Schemas['Attempt'][]; earlier: number }) {
  const longest = Math.max(...list.map((a) => a.wait_seconds + (a.run_seconds ?? 0)), 0.001)
  const share = (seconds: number | null) => `${(100 * (seconds ?? 0)) / longest}%`
  return (
    <>
      {earlier > 0 && <p className="muted">{plural(earlier, 'earlier attempt')} came before these.</p>}
      <div className="scroll" tabIndex={0} role="region" aria-label="Attempts">
        <table>
          <thead>
            <tr><th>No.</th><th>Outcome</th><th>Waited</th><th>Ran</th><th>Wait and run</th><th>Lane</th><th>Worker</th><th>Reason</th></tr>
          </thead>
          <tbody>
            {list.map((a) => (
              <tr key={a.number}>
                <td className="num">{a.number}</td>
                <td>{a.outcome}</td>
                <td className="num">{took(a.wait_seconds)}</td>
                <td className="num">{took(a.run_seconds)}</td>
                <td>
                  <span className="spans" aria-hidden="true">
                    <span className="waited" style={{ width: share(a.wait_seconds) }} />
                    <span className="ran" style={{ width: share(a.run_seconds) }} />
                  </span>
                </td>
                <td>{a.lane}</td>
                <td>{a.worker.name || a.worker.hostname}</td>
                <td className="name">{a.reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

/** Usage is what the calls to models cost. */
function Usage({ usage }: { usage: Schemas['ModelUsage'][] }) {
  if (usage.length === 0) return null
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Calls to models">
      <table>
        <thead>
          <tr><th>Model</th><th>For</th><th>Calls</th><th>Tokens read</th><th>Tokens written</th><th>Took</th><th>Cost</th></tr>
        </thead>
        <tbody>
          {usage.map((u) => (
            <tr key={u.model + u.purpose}>
              <td className="name">{u.model}</td>
              <td>{u.purpose}</td>
              <td className="num">{count(u.calls)}{u.failed_calls > 0 && `, ${count(u.failed_calls)} failed`}</td>
              <td className="num">{count(u.input_tokens)}</td>
              <td className="num">{count(u.output_tokens)}</td>
              <td className="num">{took(u.seconds)}</td>
              <td className="num">${u.usd.toFixed(4)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
