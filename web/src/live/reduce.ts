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
      const d = change.data as { status: Job['status']; at: string; approved_by?: string; retries?: number; error?: string; lane?: string }
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

/** isDeletion reports a change that says that the job was deleted. */
export const isDeletion = (c: Change) => c.event === 'error'

/** grouped returns changes by the job that they are about, in their order. */
export function grouped(changes: Change[]): Map<string, Change[]> {
  const by = new Map<string, Change[]>()
  for (const c of changes) {
    const ofJob = by.get(c.job_id)
    if (ofJob) ofJob.push(c)
    else by.set(c.job_id, [c])
  }
  return by
}

/** applyAll applies changes to the jobs that they are about, leaves out those that were deleted, and returns the same list when it changes in nothing. */
export function applyAll(jobs: Job[], changes: ReadonlyMap<string, Change[]>): Job[] {
  let changed = false
  const next = jobs.flatMap((job) => {
    const ofJob = changes.get(job.job_id)
    if (!ofJob) return [job]
    const now = ofJob.some(isDeletion) ? [] : [ofJob.reduce(apply, job)]
    changed ||= now[0] !== job
    return now
  })
  return changed ? next : jobs
}
