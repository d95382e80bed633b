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
] as const
type Act = (typeof acts)[number]

/** BulkBar acts on the selected jobs: it asks the server first how many an act is for, and shows afterwards what was refused. */
export function BulkBar(props: { ids: string[]; filter: Filter | null; total: string | null | undefined; canSelectAll: boolean; selectAll: () => void; clear: () => void }) {
  const may = useMay()
  const client = useQueryClient()
  const [chosen, setChosen] = useState<{ act: Act; preview: Reply } | null>(null)
  const [done, setDone] = useState<Reply | null>(null)
  const [busy, setBusy] = useState(false)
  const what = props.filter ? { filter: selecting(props.filter) } : { ids: props.ids }

  const ask = async (act: Act) => {
    setBusy(true)
    try {
      setChosen({ act, preview: await post<Reply>('/jobs/actions', { act: act.act, dry_run: true, ...what }) })
    } catch (err) {
      toast((err as Error).message, true)
    }
    setBusy(false)
  }
  const run = async () => {
    if (!chosen) return
    setBusy(true)
    try {
      const reply = await post<Reply>('/jobs/actions', { act: chosen.act.act, expect: chosen.preview.selected, ...what })
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
        .filter((a) => may('jobs', a.action))
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
            {chosen.preview.selected === 0 ? `None of them can be treated so now.` : chosen.act.act === 'delete' ? 'They and their histories are deleted for good.' : chosen.act.act === 'retry' ? 'Each is submitted again, as a new job.' : 'Jobs that have changed meanwhile are left as they are.'}
          </p>
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
