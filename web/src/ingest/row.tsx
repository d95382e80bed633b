import { useQuery } from '@tanstack/react-query'
import { memo, useRef } from 'react'
import { Link } from 'wouter'
import { get, type Job } from '../api/client'
import { Undo } from '../document/undo'
import { JobActs } from '../jobs/acts'
import { plural, price, sizeOf } from '../ui/format'
import { useNear } from '../ui/near'
import { Bar, percentOf, Status } from '../ui/status'
import { paceOf } from './pace'

/** Item is something that was submitted on this page. */
export interface Item {
  id: number
  title: string
  state: 'waiting' | 'sending' | 'sent' | 'duplicate' | 'refused'
  jobId?: string
  reason?: string
}

interface Props {
  item: Item
  selected: boolean
  select: (id: number) => void
}

/** Row shows an item: its way to the server, and, once it is near to what is in view, its analysis and its progress. */
export const Row = memo(function Row({ item, selected, select }: Props) {
  const box = useRef<HTMLLIElement>(null)
  const seen = useNear(box)
  const job = item.state === 'sent' && item.jobId
  return (
    <li ref={box} className="ingested">
      {job && <input type="checkbox" aria-label={'Select ' + item.title} checked={selected} onChange={() => select(item.id)} />}
      {job && seen ? <OfJob id={job} title={item.title} /> : <OfFile item={item} />}
    </li>
  )
})

function OfFile({ item }: { item: Item }) {
  return (
    <>
      <span className="name">{item.title}</span>
      <span className={item.state === 'refused' ? 'error' : 'muted'}>
        {item.state === 'waiting' ? 'waits to be sent' : item.state === 'sending' ? 'is being sent…' : item.state === 'sent' ? 'is sent' : item.reason}
        {item.jobId && (
          <>
            {' '}
            <Link href={'/jobs/' + item.jobId}>{item.jobId}</Link>
          </>
        )}
      </span>
    </>
  )
}

function OfJob({ id, title }: { id: string; title: string }) {
  const job = useQuery({ queryKey: ['job', id], queryFn: ({ signal }) => get<Job>('/jobs/' + id, signal) })
  const j = job.data
  if (!j)
    return (
      <>
        <span className="name">{title}</span>
        <span className={job.error ? 'error' : 'muted'}>{job.error?.message ?? 'is being analysed…'}</span>
      </>
    )
  const a = j.analysis
  const pace = j.status === 'processing' ? paceOf(j) : ''
  return (
    <>
      <Link className="name" href={'/jobs/' + id}>
        {title}
      </Link>
      <Status status={j.status} />
      {a && (
        <span className="muted">
          {[a.content_type, sizeOf(a)].filter(Boolean).join(' · ')} · <strong>{price(a.cost_estimate)}</strong>
          {a.preview && a.preview.chunks_read > 0 && ` · first chunks: ${a.preview.concepts_new} concepts new, ${a.preview.concepts_matched} known`}
        </span>
      )}
      {a?.warnings?.map((w) => (
        <span key={w} className="warning">
          {w}
        </span>
      ))}
      {j.status === 'processing' && (
        <span className="progressing">
          <Bar job={j} label={`Progress of ${title}`} />
          <span className="muted num">
            {j.progress?.chunks_total ? `${j.progress.chunks_processed} of ${plural(j.progress.chunks_total, 'chunk')} · ${plural(j.progress.concepts_created + j.progress.concepts_linked, 'concept')}` : percentOf(j) + ' %'}
            {pace && ' · ' + pace}
          </span>
        </span>
      )}
      {j.error && <span className="error">{j.error}</span>}
      {j.status === 'completed' && j.content_hash && (
        <Link href={`/documents/${encodeURIComponent(j.content_hash)}?ontology=${encodeURIComponent(j.ontology ?? '')}`}>Open the document</Link>
      )}
      <span className="actions">
        <JobActs job={j} />
        {j.status === 'completed' && j.content_hash && <Undo document={j.content_hash} ontology={j.ontology ?? ''} job={id} stay />}
      </span>
    </>
  )
}
