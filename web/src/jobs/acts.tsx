import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { del, post, request, type Job, type Schemas } from '../api/client'
import { Undo } from '../document/undo'
import { isOver } from '../live/reduce'
import { useMay } from '../signin/session'
import { price } from '../ui/format'
import { Dialog } from '../ui/dialog'
import { toast } from '../ui/toast'

/** JobActs are what can be done with a job as it is now, and by this role. */
export function JobActs({ job }: { job: Job }) {
  const may = useMay()
  const client = useQueryClient()
  const [, go] = useLocation()
  const [busy, setBusy] = useState(false)
  const [asks, setAsks] = useState(false)
  const path = '/jobs/' + job.job_id

  const act = async (f: () => Promise<unknown>) => {
    setBusy(true)
    try {
      await f()
      await client.invalidateQueries({ queryKey: ['job', job.job_id] })
    } catch (err) {
      toast((err as Error).message, true)
    }
    setBusy(false)
    setAsks(false)
  }
  const retry = async () => {
    const answer = await post<Schemas['DecisionAnswer']>(path + '/retry')
    void client.invalidateQueries({ queryKey: ['failed'] })
    go('/jobs/' + answer.job_id)
  }
  return (
    <>
      {job.status === 'awaiting_approval' && may('jobs', 'approve') && (
        <button className="primary" disabled={busy} onClick={() => void act(() => post(path + '/approve'))}>
          Approve{job.analysis && !job.pause_reason ? ` (${price(job.analysis.cost_estimate)})` : ''}
        </button>
      )}
      {(job.status === 'failed' || job.status === 'cancelled') && !job.retried_as && may('jobs', 'write') && (
        <button className="primary" disabled={busy} onClick={() => void act(retry)}>
          Retry
        </button>
      )}
      {!isOver(job.status) && may('jobs', 'cancel') && (
        <button disabled={busy || job.cancel_requested} onClick={() => setAsks(true)}>
          {job.cancel_requested ? 'Stopping…' : 'Cancel…'}
        </button>
      )}
      {asks && (
        <Dialog title="Cancel this job?" confirm="Cancel the job" danger disabled={busy} onConfirm={() => void act(() => del(path))} onClose={() => setAsks(false)}>
          <p>What it has stored so far stays. It can be retried later.</p>
        </Dialog>
      )}
    </>
  )
}

/** MoreActs are what is seldom done with a job: on its own page only. */
export function MoreActs({ job }: { job: Job }) {
  const may = useMay()
  const client = useQueryClient()
  const [, go] = useLocation()
  const [asks, setAsks] = useState<'' | 'priority' | 'delete'>('')
  const [priority, setPriority] = useState(job.priority)
  const [busy, setBusy] = useState(false)
  const act = async (f: () => Promise<unknown>, then?: () => void) => {
    setBusy(true)
    try {
      await f()
      await client.invalidateQueries({ queryKey: ['job', job.job_id] })
      then?.()
    } catch (err) {
      toast((err as Error).message, true)
    }
    setBusy(false)
    setAsks('')
  }
  const later = job.status === 'approved' && !!job.run_at && Date.parse(job.run_at) > Date.now()
  const ingested = job.status === 'completed' && job.job_type === 'ingestion' && job.content_hash
  return (
    <>
      {later && may('jobs', 'write') && (
        <button disabled={busy} onClick={() => void act(() => post('/jobs/actions', { act: 'run-now', ids: [job.job_id] }))}>
          Run now
        </button>
      )}
      {job.status === 'approved' && may('workers', 'manage') && <button disabled={busy} onClick={() => setAsks('priority')}>Priority {job.priority}…</button>}
      {ingested && <Undo document={ingested} ontology={job.ontology ?? ''} job={job.job_id} name="Take the document out…" />}
      {job.status !== 'processing' && may('jobs', 'delete') && <button disabled={busy} onClick={() => setAsks('delete')}>Delete…</button>}
      {asks === 'priority' && (
        <Dialog title="Change its priority" confirm="Change" disabled={busy} onConfirm={() => void act(() => request('PATCH', `/admin/workers/jobs/${job.job_id}/priority`, { priority }))} onClose={() => setAsks('')}>
          <label>
            Priority, from -100 to 100; the highest runs first
            <input type="number" min={-100} max={100} value={priority} onChange={(e) => setPriority(Math.max(-100, Math.min(100, Math.trunc(e.target.valueAsNumber) || 0)))} />
          </label>
        </Dialog>
      )}
      {asks === 'delete' && (
        <Dialog title="Delete this job?" confirm="Delete the job" danger disabled={busy} onConfirm={() => void act(() => del('/jobs/' + job.job_id + '?purge=true'), () => go('/jobs'))} onClose={() => setAsks('')}>
          <p>It and its history are deleted for good. What it has written to the graph stays.</p>
        </Dialog>
      )}
    </>
  )
}
