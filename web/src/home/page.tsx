import { useQuery } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Link, useLocation } from 'wouter'
import { get, type Job, type Schemas } from '../api/client'
import { useLive } from '../live/live'
import { useMay } from '../signin/session'
import { ago, count, plural, price } from '../ui/format'
import { useMayIngest } from '../ui/frame'
import { Empty, ErrorState, Loading, Page, Section } from '../ui/page'
import { Bar, percentOf, Status, titleOf } from '../ui/status'

const shown = 8 // rows of a list here

/** HomePage shows what the graph holds, what runs now, what waits for whoever reads it, and the last documents. */
export function HomePage() {
  const may = useMay()
  const [, go] = useLocation()
  const search = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault()
    const q = String(new FormData(e.currentTarget).get('q')).trim()
    if (q) go(/^job_[0-9a-f]{12}$/.test(q) ? '/jobs/' + q : '/ask?q=' + encodeURIComponent(q))
  }
  return (
    <Page title="Home">
      {may('graph', 'read') && (
        <form role="search" className="search" onSubmit={search}>
          <input name="q" type="search" aria-label="Ask, or search for a concept, a document or a job" placeholder="Ask, or search for a concept, a document or a job" />
          <button className="primary">Search</button>
        </form>
      )}
      {may('database', 'read') && <Holds />}
      <div className="columns">
        {may('jobs', 'read') && <Running />}
        {may('jobs', 'read') && <Waiting />}
      </div>
      {may('graph', 'read') && <Documents />}
    </Page>
  )
}

function Holds() {
  const stats = useQuery({ queryKey: ['stats'], queryFn: ({ signal }) => get<Schemas['StatsAnswer']>('/database/stats', signal) })
  if (stats.isPending) return <Loading what="what the graph holds" />
  if (!stats.data) return <ErrorState error={stats.error} retry={() => void stats.refetch()} />
  const { nodes, relationships, ontologies } = stats.data
  const figures: [string, number][] = [
    ['documents', nodes.documents], ['concepts', nodes.concepts], ['relationships', relationships.total], ['quotes', nodes.instances], ['ontologies', ontologies?.length ?? 0],
  ]
  return (
    <dl className="figures" aria-label="What the graph holds">
      {figures.map(([name, n]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{count(n)}</dd>
        </div>
      ))}
    </dl>
  )
}

function Running() {
  const { open, state } = useLive()
  const running = [...open.values()].filter((j) => j.status === 'processing')
  const queued = [...open.values()].filter((j) => j.status === 'approved').length
  return (
    <Section title="Running now" aside={<span className="muted">{queued > 0 && plural(queued, 'job') + ' queued'}</span>}>
      {state === 'connecting' ? (
        <Loading what="jobs" />
      ) : running.length === 0 ? (
        <Empty title="Nothing runs." />
      ) : (
        <ul className="rows">
          {running.slice(0, shown).map((j) => (
            <li key={j.job_id}>
              <Link href={'/jobs/' + j.job_id}>{titleOf(j)}</Link>
              <Bar job={j} label={`Progress of ${titleOf(j)}`} />
              <span className="muted num">{percentOf(j)} %</span>
            </li>
          ))}
          {running.length > shown && (
            <li>
              <Link href="/jobs?status=processing">and {running.length - shown} more</Link>
            </li>
          )}
        </ul>
      )}
    </Section>
  )
}

function Waiting() {
  const { open } = useLive()
  const failed = useQuery({ queryKey: ['failed'], queryFn: ({ signal }) => get<Job[] | null>('/jobs?status=failed&limit=' + shown, signal) })
  const approval = [...open.values()].filter((j) => j.status === 'awaiting_approval')
  if (failed.isPending) return <Section title="Waits for you"><Loading what="jobs" /></Section>
  const rows = [...approval, ...(failed.data ?? []).filter((j) => !j.retried_as)].slice(0, shown)
  return (
    <Section title="Waits for you" aside={approval.length > 0 && <Link href="/jobs?status=awaiting_approval">{plural(approval.length, 'approval')}</Link>}>
      {failed.error ? (
        <ErrorState error={failed.error} retry={() => void failed.refetch()} />
      ) : rows.length === 0 ? (
        <Empty title="Nothing waits for you." />
      ) : (
        <ul className="rows">
          {rows.map((j) => (
            <li key={j.job_id}>
              <Link href={'/jobs/' + j.job_id}>{titleOf(j)}</Link>
              <Status status={j.status} />
              <span className="muted">{j.status === 'awaiting_approval' ? (j.pause_reason ? 'paused' : j.analysis ? price(j.analysis.cost_estimate) : '') : ago(j.completed_at)}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function Documents() {
  const ingests = useMayIngest()
  const docs = useQuery({ queryKey: ['documents'], queryFn: ({ signal }) => get<Schemas['DocumentList']>('/documents?limit=' + shown, signal) })
  if (docs.isPending) return <Section title="Last documents"><Loading what="documents" /></Section>
  const list = docs.data?.documents ?? []
  return (
    <Section title="Last documents" aside={docs.data && <span className="muted">{plural(docs.data.total, 'document')}</span>}>
      {docs.error ? (
        <ErrorState error={docs.error} retry={() => void docs.refetch()} />
      ) : list.length === 0 ? (
        <Empty title="The graph has no documents yet.">{ingests && <Link href="/ingest">Ingest the first one</Link>}</Empty>
      ) : (
        <ul className="rows">
          {list.map((d) => (
            <li key={d.document_id + d.ontology}>
              <Link href={`/documents/${encodeURIComponent(d.document_id)}?ontology=${encodeURIComponent(d.ontology)}`}>{d.filename}</Link>
              <span className="muted">{d.ontology}</span>
              <span className="muted num">{plural(d.concept_count, 'concept')}</span>
              <span className="muted num">{ago(d.created_at)}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
