import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { post, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { plural } from '../ui/format'
import { Dialog } from '../ui/dialog'
import { toast } from '../ui/toast'
import { selecting, type Filter } from './filter'

type Reply = Schemas['JobActReply']

const acts = [
  { act: 'approve', name: 'Approve', action: 'approve' },
  { act: 'cancel', name: 'Cancel', action: 'cancel' },
  { act: 'retry', name: 'Retry', action: 'write' },
  { act: 'delete', name: 'Delete', action: 'delete' },
  { act: 'run-now', name: 'Run now', action: 'write' },
  { act: 'priority', name: 'Change the priority of', action: 'manage' },
] as const

const together = 500 // ids that the server takes at once

type Asked = { act: string; dry_run?: boolean; expect?: number; priority?: number }

/** send sends an act on jobs to the server, by their ids in as many parts as it takes, and returns what came of all. */
async function send(asked: Asked, what: { filter: Filter } | { ids: string[] }): Promise<Reply> {
  if (!('ids' in what) || what.ids.length <= together) return post<Reply>('/jobs/actions', { ...asked, ...what })
  const { expect: _, ...each } = asked // is of all parts
  let sum: Reply | undefined
  for (let i = 0; i < what.ids.length; i += together) {
    const reply = await post<Reply>('/jobs/actions', { ...each, ids: what.ids.slice(i, i + together) })
    sum = sum
      ? { ...sum, selected: sum.selected + reply.selected, denied: sum.denied + reply.denied, done: sum.done + reply.done, refused: sum.refused + reply.refused, outcomes: [...(sum.outcomes ?? []), ...(reply.outcomes ?? [])] }
      : reply
  }
  return sum!
}
type Act = (typeof acts)[number]

/** BulkBar acts on the selected jobs: it asks the server first how many an act is for, and shows afterwards what was refused. */
export function BulkBar(props: { ids: string[]; filter: Filter | null; total: string | null | undefined; canSelectAll: boolean; selectAll: () => void; clear: () => void }) {
  const may = useMay()
  const client = useQueryClient()
  const [chosen, setChosen] = useState<{ act: Act; preview: Reply } | null>(null)
  const [done, setDone] = useState<Reply | null>(null)
  const [busy, setBusy] = useState(false)
  const [priority, setPriority] = useState(0)
  const what = props.filter ? { filter: selecting(props.filter) } : { ids: props.ids }

  const ask = async (chosen: Act) => {
    setBusy(true)
    try {
      setChosen({ act: chosen, preview: await send({ act: chosen.act, dry_run: true, ...(chosen.act === 'priority' && { priority }) }, what) })
    } catch (err) {
      toast((err as Error).message, true)
    }
    setBusy(false)
  }
  const run = async () => {
    if (!chosen) return
    setBusy(true)
    try {
      const reply = await send({ act: chosen.act.act, expect: chosen.preview.selected, ...(chosen.act.act === 'priority' && { priority }) }, what)
      setDone(reply)
      await client.invalidateQueries({ queryKey: ['jobs'] })
    } catch (err) {
      toast((err as Error).message, true)
      setChosen(null)
    }
    setBusy(false)
  }
  const close = () => {
    setChosen(null)
    if (done) props.clear()
    setDone(null)
  }

  return (
    <div className="bulk" role="group" aria-label="Act on the selection">
      <strong>{props.filter ? 'All that match' : plural(props.ids.length, 'job') + ' selected'}</strong>
      {props.canSelectAll && !props.filter && <button onClick={props.selectAll}>Select all that match{props.total ? ` (about ${Number(props.total).toLocaleString('en')})` : ''}</button>}
      {acts
        .filter((a) => may(a.act === 'priority' ? 'workers' : 'jobs', a.action))
        .map((a) => (
          <button key={a.act} disabled={busy} onClick={() => void ask(a)}>
            {a.name}…
          </button>
        ))}
      <button onClick={props.clear}>Clear selection</button>
      {chosen && !done && (
        <Dialog title={`${chosen.act.name} ${plural(chosen.preview.selected, 'job')}?`} confirm={busy ? 'Working…' : `${chosen.act.name} ${plural(chosen.preview.selected, 'job')}`}
          danger={chosen.act.act === 'delete' || chosen.act.act === 'cancel'} disabled={busy || chosen.preview.selected === 0} onConfirm={() => void run()} onClose={close}>
          <p>
            {chosen.preview.selected === 0 ? `None of them can be treated so now.` : chosen.act.act === 'delete' ? 'They and their histories are deleted for good.' : chosen.act.act === 'retry' ? 'Each is submitted again, as a new job.' : chosen.act.act === 'run-now' ? 'They no longer wait for their time.' : 'Jobs that have changed meanwhile are left as they are.'}
          </p>
          {chosen.act.act === 'priority' && (
            <label>
              Priority, from -100 to 100; the highest runs first
              <input type="number" min={-100} max={100} value={priority} onChange={(e) => setPriority(Math.max(-100, Math.min(100, Math.trunc(e.target.valueAsNumber) || 0)))} />
            </label>
          )}
          {chosen.preview.denied > 0 && <p>{plural(chosen.preview.denied, 'job')} of them are not yours to treat so, and stay.</p>}
        </Dialog>
      )}
      {done && (
        <Dialog title="Done" confirm="Close" onConfirm={close} onClose={close}>
          {done.job_id ? (
            <p>
              A job does it: <Link href={'/jobs/' + done.job_id}>{done.job_id}</Link>
            </p>
          ) : (
            <p>
              {plural(done.done, 'job')} done, {done.refused} refused.
            </p>
          )}
          <ul>
            {(done.outcomes ?? [])
              .filter((o) => o.outcome === 'refused')
              .slice(0, 20)
              .map((o) => (
                <li key={o.job_id}>
                  {o.job_id}: {o.reason}
                </li>
              ))}
          </ul>
        </Dialog>
      )}
    </div>
  )
}
