import { memo, useEffect, useRef, type MouseEvent } from 'react'
import { Link } from 'wouter'
import type { Job } from '../api/client'
import { ago } from '../ui/format'
import { Bar, percentOf, Status, titleOf } from '../ui/status'
import { useWindowed } from '../ui/windowed'

interface Props {
  jobs: Job[]
  acts: boolean // whether rows can be selected
  selected: ReadonlySet<string>
  toggle: (id: string, e: MouseEvent) => void
  toggleAll: () => void
  every: boolean
  nearEnd: () => void
}

const endNear = '0px 0px 600px' // below the window, where the end has the next page read

/** JobTable shows jobs in rows that are equally high, of which those in view are rendered. */
export function JobTable({ jobs, acts, selected, toggle, toggleAll, every, nearEnd }: Props) {
  const body = useRef<HTMLTableSectionElement>(null)
  const part = useWindowed(jobs.length, body)
  const end = useRef<HTMLDivElement>(null)
  const ask = useRef(nearEnd)
  ask.current = nearEnd
  useEffect(() => {
    const observer = new IntersectionObserver((seen) => seen.some((e) => e.isIntersecting) && ask.current(), { rootMargin: endNear })
    observer.observe(end.current!)
    return () => observer.disconnect()
  }, [jobs.length])
  const columns = acts ? 8 : 7
  return (
    <div className="scroll jobs" tabIndex={0} role="region" aria-label="Jobs">
      <table aria-rowcount={jobs.length + 1}>
        <thead>
          <tr>
            {acts && (
              <th>
                <input type="checkbox" aria-label="Select all that are shown" checked={every} onChange={toggleAll} />
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
        <tbody ref={body}>
          {part.before > 0 && <tr className="left" style={{ height: part.before }}><td colSpan={columns} /></tr>}
          {jobs.slice(part.from, part.to).map((j, i) => (
            <JobRow key={j.job_id} job={j} at={part.from + i + 2} acts={acts} selected={selected.has(j.job_id)} toggle={toggle} />
          ))}
          {part.after > 0 && <tr className="left" style={{ height: part.after }}><td colSpan={columns} /></tr>}
        </tbody>
      </table>
      <div ref={end} />
    </div>
  )
}

const JobRow = memo(function JobRow({ job: j, at, acts, selected, toggle }: { job: Job; at: number; acts: boolean; selected: boolean; toggle: Props['toggle'] }) {
  return (
    <tr data-row="" data-job={j.job_id} aria-rowindex={at} aria-selected={selected}>
      {acts && (
        <td>
          <input type="checkbox" aria-label={`Select ${titleOf(j)} ${j.job_id}`} checked={selected} onClick={(e) => toggle(j.job_id, e)} onChange={() => {}} />
        </td>
      )}
      <td className="name">
        <Link href={'/jobs/' + j.job_id} title={titleOf(j)}>{titleOf(j)}</Link>
        {j.error && <small className="error" title={j.error}>{j.error}</small>}
      </td>
      <td>
        <Status status={j.status} />
      </td>
      <td className="num">{j.status === 'processing' ? <Bar job={j} label={`Progress of ${titleOf(j)}`} /> : j.status === 'completed' ? '' : percentOf(j) > 0 ? percentOf(j) + ' %' : ''}</td>
      <td>{j.job_type}</td>
      <td title={j.ontology ?? undefined}>{j.ontology}</td>
      <td>{j.username}</td>
      <td className="num">
        <time dateTime={j.created_at} title={j.created_at}>
          {ago(j.created_at)}
        </time>
      </td>
    </tr>
  )
})
