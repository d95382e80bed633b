import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { get, type Job, type Schemas } from '../api/client'
import { isOver } from '../live/reduce'
import { ago, plural, price, sizeOf } from '../ui/format'
import { ErrorState, Loading, Page, Section } from '../ui/page'
import { Bar, percentOf, Status, titleOf } from '../ui/status'
import { JobActs, MoreActs } from './acts'
import { Children, Events, Log, Steps } from './history'
import { Timeline } from './timeline'

/** JobPage shows a job: where it stands, why it waits or failed, its attempts, and its result. */
export default function JobPage({ id }: { id: string }) {
  const job = useQuery({ queryKey: ['job', id], queryFn: ({ signal }) => get<Job>('/jobs/' + encodeURIComponent(id), signal) })
  if (job.isPending) return <Page title="Job"><Loading what="the job" /></Page>
  if (!job.data)
    return (
      <Page title="Job">
        <ErrorState error={job.error} retry={() => void job.refetch()} />
        <p><Link href="/jobs">All jobs</Link></p>
      </Page>
    )
  const j = job.data
  return (
    <Page title={titleOf(j)} actions={<><JobActs job={j} /><MoreActs job={j} /></>}>
      <p className="facts">
        <Status status={j.status} /> <code>{j.job_id}</code> · {j.job_type}
        {j.ontology && <> · ontology {j.ontology}</>} · submitted by {j.username ?? 'somebody'} {ago(j.created_at)}
        {j.retry_of && <> · <Link href={'/jobs/' + j.retry_of}>retry of {j.retry_of}</Link></>}
        {j.retried_as && <> · <Link href={'/jobs/' + j.retried_as.job_id}>retried as {j.retried_as.job_id}</Link></>}
      </p>
      {j.error && (
        <div className="card error" role="alert">
          <strong>{j.error}</strong>
          <p className="muted">{adviceFor(j)}</p>
        </div>
      )}
      {j.pause_reason && <p className="card">Paused: {j.pause_reason}</p>}
      {j.status === 'processing' && <Progress job={j} />}
      {!isOver(j.status) && j.status !== 'processing' && <Wait id={id} status={j.status} />}
      {j.analysis && <Analysed analysis={j.analysis} />}
      <Timeline job={j} />
      <Result job={j} />
      <Steps job={j} />
      <Children id={id} />
      <Log id={id} />
      <Events id={id} />
    </Page>
  )
}

/** adviceFor says what to do about a failed job. */
function adviceFor(j: Job): string {
  if (j.retried_as) return 'It was submitted again; see the job that it was retried as.'
  if (j.status === 'failed') return 'Mend the cause, then retry: a document goes on after its last stored chunk.'
  if (isOver(j.status)) return ''
  return 'It is tried again by itself.'
}

function Progress({ job }: { job: Job }) {
  const p = job.progress
  return (
    <Section title="Progress" aside={<span className="muted num">{percentOf(job)} %</span>}>
      <Bar job={job} label="Progress" />
      {p && (
        <p className="muted">
          {p.chunks_total ? `${p.chunks_processed} of ${plural(p.chunks_total, 'chunk')} · ${plural(p.concepts_created + p.concepts_linked, 'concept')} · ` : ''}
          {p.stage} {p.message}
        </p>
      )}
    </Section>
  )
}

function Wait({ id, status }: { id: string; status: string }) {
  const wait = useQuery({ queryKey: ['attempts', id, 'wait', status], queryFn: ({ signal }) => get<Schemas['JobWait']>(`/jobs/${id}/wait`, signal), staleTime: 5_000 })
  if (!wait.data?.reason) return null
  return (
    <Section title="Why it does not run">
      <p>{wait.data.reason}</p>
      {wait.data.remedy && <p className="muted">{wait.data.remedy}</p>}
    </Section>
  )
}

function Analysed({ analysis: a }: { analysis: Schemas['Analysis'] }) {
  return (
    <Section title="Analysis">
      <dl className="pairs">
        <dt>Price</dt>
        <dd>{price(a.cost_estimate)}</dd>
        <dt>Size</dt>
        <dd>
          {sizeOf(a)}
          {a.file_stats && ` · ${a.file_stats.size_human}`}
        </dd>
        {a.version && (
          <>
            <dt>Version</dt>
            <dd>{a.version.note}</dd>
          </>
        )}
        {a.content_type && (
          <>
            <dt>Kind</dt>
            <dd>{a.content_type}</dd>
          </>
        )}
        {a.preview && a.preview.chunks_read > 0 && (
          <>
            <dt>First chunks</dt>
            <dd>
              {plural(a.preview.concepts_new, 'new concept')}, {a.preview.concepts_matched} known
            </dd>
          </>
        )}
        {(a.warnings ?? []).map((w) => (
          <div key={w} className="pair">
            <dt>Warning</dt>
            <dd>{w}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

/** membersOf are the members of a result, with those of an object in it beside the others. */
function membersOf(result: Record<string, unknown>): [string, unknown][] {
  return Object.entries(result).flatMap(([name, value]) =>
    value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.entries(value).map(([inner, v]): [string, unknown] => [`${name}: ${inner}`, v]) : [[name, value] as [string, unknown]],
  )
}

function Result({ job }: { job: Job }) {
  const result = job.result as Record<string, unknown> | null | undefined
  if (!result || Object.keys(result).length === 0) return null
  const hash = job.content_hash
  return (
    <Section title="Result" aside={hash && job.status === 'completed' ? <Link href={`/documents/${encodeURIComponent(hash)}${job.ontology ? '?ontology=' + encodeURIComponent(job.ontology) : ''}`}>Open the document</Link> : null}>
      <dl className="pairs">
        {membersOf(result).map(([name, value]) => (
          <div key={name} className="pair">
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>{value !== null && typeof value === 'object' ? <code>{JSON.stringify(value)}</code> : String(value)}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
