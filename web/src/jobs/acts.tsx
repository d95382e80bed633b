import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { del, post, type Job, type Schemas } from '../api/client'
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
