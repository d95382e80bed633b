import type { Job } from '../api/client'
import { statusNames } from './format'

/** Status names the status of a job; its colour only repeats that. */
export function Status({ status }: { status: string }) {
  return <span className={'status ' + status}>{statusNames[status] ?? status}</span>
}

/** percentOf is how far a job has come, from 0 to 100. */
export function percentOf(job: Job): number {
  if (job.status === 'completed') return 100
  const p = job.progress
  if (!p) return 0
  return Math.min(100, p.chunks_total ? Math.floor((100 * p.chunks_processed) / p.chunks_total) : (p.percent ?? 0))
}

export function Bar({ job, label }: { job: Job; label: string }) {
  const percent = percentOf(job)
  return <progress max={100} value={percent} aria-label={label} title={percent + ' %'} />
}

/** titleOf is what a job is called: its document's name, or its type. */
export const titleOf = (job: Job) => job.filename || job.job_type.replaceAll('_', ' ')
