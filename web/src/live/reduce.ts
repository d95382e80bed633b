import type { Job, Schemas } from '../api/client'

/** A change of a job, as the stream of all jobs tells it. */
export interface Change {
  event: string
  job_id: string
  seq: number
  data: unknown
}

const over = new Set(['completed', 'failed', 'cancelled'])

/** isOver reports whether a job in a status has ended for good. */
export const isOver = (status: string) => over.has(status)

/** apply returns a job after a change, or the same job when it knows the change already. */
export function apply(job: Job, change: Change): Job {
  if (change.event === 'snapshot') {
    const fresh = change.data as Job
    return fresh.event_seq >= job.event_seq ? fresh : job
  }
  if (change.seq <= job.event_seq) return job
  const next: Job = { ...job, event_seq: change.seq }
  switch (change.event) {
    case 'status': {
      const d = change.data as { status: string; at: string; approved_by?: string; retries?: number; error?: string; lane?: string }
      next.status = d.status
      if (d.approved_by !== undefined) next.approved_by = d.approved_by
      if (d.retries !== undefined) next.retries = d.retries
      if (d.error !== undefined) next.error = d.error
      if (d.status === 'approved') next.approved_at ??= d.at
      if (d.status === 'processing') next.started_at = d.at
      if (isOver(d.status)) next.completed_at = d.at
      return next
    }
    case 'progress':
      next.progress = change.data as Schemas['Progress']
      return next
    case 'completed':
      next.status = 'completed'
      next.result = change.data
      return next
    case 'failed':
      next.status = 'failed'
      next.error = (change.data as { error: string }).error
      return next
    case 'cancelled':
      next.status = 'cancelled'
      return next
  }
  return next
}

/** withLane is the list of lanes with one of them as it is now, or without it. */
export function withLane(list: Schemas['LaneList'], lane: Schemas['LaneUsage'] & { removed?: boolean }): Schemas['LaneList'] {
  const others = (list.lanes ?? []).filter((l) => l.name !== lane.name)
  if (lane.removed) return { ...list, lanes: others }
  return { ...list, lanes: [...others, lane].sort((a, b) => a.name.localeCompare(b.name)) }
}

/** applyTo applies a change to the job that it is about, and returns the same list without one. */
export function applyTo(jobs: Job[], change: Change): Job[] {
  const at = jobs.findIndex((j) => j.job_id === change.job_id)
  if (at < 0) return jobs
  const next = apply(jobs[at]!, change)
  return next === jobs[at] ? jobs : jobs.with(at, next)
}
